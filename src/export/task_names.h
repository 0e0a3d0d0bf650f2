/* SPDX-License-Identifier: MIT
 *
 * Task names by PID, from the saved_cmdlines in a trace: the kernel prints them before each line of its text trace.
 * Pure. */
#ifndef EXPORT_TASK_NAMES_H
#define EXPORT_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format/event_format.h"

struct task_name {
	int32_t pid; /* 0: free */
	struct text_span name;
};

struct task_names {
	struct task_name *slots;
	size_t mask; /* slots - 1 */
};

/* text holds "PID NAME" lines (saved_cmdlines_show() in kernel/trace/trace.c) and must outlive *names. A name can
 * contain newlines: a line without a PID continues the previous name. If a PID has two names, the first is used.
 * Freed with task_names_free(). */
void task_names_parse(struct text_span text, struct task_names *names);
/* Like trace_find_cmdline() in kernel/trace/trace.c: "<idle>" for 0, "<XXX>" for negative PIDs, "<...>" if unknown. */
struct text_span task_names_find(const struct task_names *names, int32_t pid);
void task_names_free(struct task_names *names);

#endif
