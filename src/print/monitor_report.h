/* SPDX-License-Identifier: MIT
 *
 * One report of picknext monitor as text. */
#ifndef PRINT_MONITOR_REPORT_H
#define PRINT_MONITOR_REPORT_H

#include "base/buffer.h"
#include "measure/top.h"

struct monitor_report {
	const struct top *top;
	const struct task_states *states;
	unsigned int cpu_count;      /* of the machine, including CPUs without an event */
	uint64_t start_ns, until_ns; /* of the monitor, of the interval */
	uint64_t lost;               /* since the start */
	unsigned int cpu_rows;       /* max number of CPUs shown */
	unsigned int task_rows;      /* max number of tasks shown */
	const char *hint;            /* after the first line, such as "q quits"; may be NULL */
};

void monitor_report_add(const struct monitor_report *report, struct buffer *out);

#endif
