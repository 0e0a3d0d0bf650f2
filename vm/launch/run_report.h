/* SPDX-License-Identifier: MIT
 *
 * The process of a run reports to its parent: lines while its guest runs, and how it ended. */
#ifndef VM_LAUNCH_RUN_REPORT_H
#define VM_LAUNCH_RUN_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "runs/run_record.h"
#include "vm/protocol/guest_progress.h"

/* The report of a run's process to its parent, through memory that both share. */
struct run_report {
	bool is_finished; /* set last; false if the process died */
	enum status status;
	struct error error;         /* unless STATUS_OK */
	struct run_outcome outcome; /* traces and total_s: of all its starts */
	char release[65];           /* from the guest's uname, or the image's version string */
	char problem[512];          /* the first one of its files; or "" */
	char death[256];            /* what ended the guest's kernel: "NULL pointer in pick_task_fair"; or "" */
	char console_tail[4096];    /* after STATUS_GUEST: last lines of the console, escaped */
	char output[4096];          /* output file of a failed command; console_tail is its tail then */
};

/* Hears the lines of its guest that say how far it is: progress, and each "trace NAME.json" when NAME.dat and NAME.json
 * are in DIR/SET/raw while the guest runs on. */
struct run_listener {
	void (*hear)(void *context, const struct guest_line *line);
	void *context;
};

#endif
