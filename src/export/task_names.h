/* SPDX-License-Identifier: MIT
 *
 * Which task had which name, from the saved_cmdlines that travel with a trace: what the kernel puts before each line
 * of its text trace. Pure. */
#ifndef EXPORT_TASK_NAMES_H
#define EXPORT_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "format/event_format.h"

struct task_name {
	int32_t pid; /* 0: free */
	struct text_span name;
};

struct task_names {
	struct task_name *slots;
	size_t mask; /* slots less one */
};

/* text holds "PID NAME" lines (saved_cmdlines_show() in kernel/trace/trace.c) and must outlive *names. A name can
 * hold newlines: what does not begin like a line belongs to the name before. Of two names of one PID the first counts.
 * Freed with task_names_free(). */
enum status task_names_parse(struct text_span text, struct task_names *names, struct error *err);
/* As trace_find_cmdline() in kernel/trace/trace.c: "<idle>" for 0, "<XXX>" below it, "<...>" if unknown. */
struct text_span task_names_find(const struct task_names *names, int32_t pid);
void task_names_free(struct task_names *names);

#endif
