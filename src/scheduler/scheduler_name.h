/* SPDX-License-Identifier: MIT
 *
 * Names of schedulers in names of sets, and the needs of programs of the scx project. */
#ifndef SCHEDULER_SCHEDULER_NAME_H
#define SCHEDULER_SCHEDULER_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "scheduler/scheduler_spec.h"

enum scheduler_need {
	SCHEDULER_NEED_NOTHING,
	SCHEDULER_NEED_CMPXCHG16B, /* of the CPU */
	SCHEDULER_NEED_UNKNOWN,    /* a program that is not known here */
};

/* "simple" of scx_simple, the name in the kernel of a builtin, "" of the kernel's own scheduler. */
const char *scheduler_base_name(const struct scheduler_spec *spec);
/* Writes the base name and, with_arguments, its arguments; "-" replaces characters that the name
 * of a directory must not have. */
void scheduler_name(const struct scheduler_spec *spec, bool with_arguments, char *name, size_t size);
enum scheduler_need scheduler_need(const struct scheduler_spec *spec);

#endif
