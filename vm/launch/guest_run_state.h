/* SPDX-License-Identifier: MIT
 *
 * The state of a run in its own process: guest_run.c makes it, guest_lines.c and guest_end.c use it too. */
#ifndef VM_LAUNCH_GUEST_RUN_STATE_H
#define VM_LAUNCH_GUEST_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/engine/host_wait.h"
#include "vm/launch/arrival.h"
#include "vm/launch/launch.h"
#include "vm/launch/run_report.h"

struct guest_run {
	const struct launch *launch;
	uint32_t number;
	char name[112];            /* for messages: "base, seed 3" */
	struct run_report *report; /* filled in from its begin on */
	const struct run_listener *listener;
	struct boot boot;

	struct arrival arrival;

	struct supervision on;
	bool has_ended; /* on.end is known */
	struct console console, engine_log;
	struct host_wait host_wait; /* not of a deterministic guest */
	unsigned int runs_done, runs_of;
	char problem[GUEST_LINE_MAX + 1]; /* the last one of the guest, not shown yet: it may become the error */

	char log[256]; /* the file in raw with the output of its command; or "" */
};

#endif
