/* SPDX-License-Identifier: MIT
 *
 * The scheduler live: a report in every interval, on the terminal's screen or one after the other, or each switch. */
#ifndef PRINT_LIVE_MONITOR_H
#define PRINT_LIVE_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "measure/task_choice.h"

struct monitor_choice {
	struct task_choice tasks; /* in the list, and of the longest waits and the switches */
	uint64_t count;           /* of reports, or of switches; 0: until a signal or the key q */
	uint64_t rows;            /* of tasks in a report that is not on a screen */
	uint64_t buffer_size_kb;  /* of each CPU */
	double interval_s;        /* between two reports */
	bool events;              /* each switch instead of reports */
};

/* Returns after the end that choice names, or a signal: it needs interrupt_catch(), and root. */
enum status monitor_run(const struct monitor_choice *choice, struct error *err);

#endif
