/* SPDX-License-Identifier: MIT
 *
 * The guest's machine: checks of it, and its resources for the job. */
#ifndef GUEST_MACHINE_H
#define GUEST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* STATUS_UNSUPPORTED for a kernel that cannot record scheduler events. */
enum status guest_check_ftrace(struct error *err);
/* name receives the current clocksource, "unknown" if the kernel does not report it. */
void guest_clock_read(char *name, size_t size);
/* True if this clocksource counts nanoseconds and is read without an exit to the host. */
bool guest_clock_is_exact(const char *name);
/* STATUS_UNSUPPORTED if the kernel does not show the workload CPUs grouped as asked, in the texts of --topology. */
enum status guest_check_topology(const char *asked, struct error *err);
bool guest_is_mount_point(const char *path);
/* The block device for workloads: null_blk, else virtio-blk; NULL if there is neither. */
const char *guest_scratch_device(void);
/* Mounts a tmpfs for traces, limited to the memory that the trace buffers leave (buffer_size_kb per CPU). */
enum status guest_mount_memory(const char *path, uint64_t buffer_size_kb, struct error *err);
uint64_t guest_file_size(const char *path); /* 0 if it does not exist */

#endif
