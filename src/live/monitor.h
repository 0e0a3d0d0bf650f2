/* SPDX-License-Identifier: MIT
 *
 * The scheduler live: either a report in every interval, on the terminal's screen or one after the other, or a line for
 * each switch. */
#ifndef LIVE_MONITOR_H
#define LIVE_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "measure/task_choice.h"

struct monitor_choice {
	struct task_choice tasks; /* tasks in the list, in the longest waits and in the switches */
	uint64_t count;           /* number of reports or of switches; 0: until a signal or the key q */
	uint64_t rows;            /* max number of tasks in a report that is not on a screen */
	uint64_t buffer_size_kb;  /* for each CPU */
	double interval_s;        /* time between two reports */
	bool events;              /* each switch instead of reports */
};

/* Returns after choice->count reports or switches, or after a signal. Needs interrupt_catch(), and root. */
enum status monitor_run(const struct monitor_choice *choice, struct error *err);

#endif
