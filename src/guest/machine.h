/* SPDX-License-Identifier: MIT
 *
 * What the job asks of the virtual machine that it runs in. */
#ifndef GUEST_MACHINE_H
#define GUEST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* STATUS_UNSUPPORTED for a kernel that cannot record scheduler events. */
enum status guest_check_ftrace(struct error *err);
/* name receives the current clocksource, "unknown" where the kernel does not tell. */
bool guest_clock_is_tsc(char *name, size_t size);
bool guest_is_mount_point(const char *path);
/* The block device that exists for workloads to write to: null_blk, else virtio-blk; NULL where there is neither. */
const char *guest_scratch_device(void);
/* Mounts a tmpfs for traces, limited to what memory there is beyond the trace buffers (buffer_size_kb per CPU). */
enum status guest_mount_memory(const char *path, uint64_t buffer_size_kb, struct error *err);
uint64_t guest_file_size(const char *path); /* 0 where there is none */

#endif
