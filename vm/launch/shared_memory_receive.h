/* SPDX-License-Identifier: MIT
 *
 * The host's end of the memory of vm/protocol/shared_memory.h: a file. */
#ifndef VM_LAUNCH_SHARED_MEMORY_RECEIVE_H
#define VM_LAUNCH_SHARED_MEMORY_RECEIVE_H

#include <stdint.h>

#include "base/error.h"
#include "vm/launch/place.h"

/* Makes files in directory (which exists) of the frames that a guest wrote; call it after the guest's end. Errors are
 * the host's own; the guest's faults are in the report. */
enum status shared_memory_receive(const char *path, const char *directory, const struct transfer_limits *limits,
				  struct transfer_report *report, struct error *err);

#endif
