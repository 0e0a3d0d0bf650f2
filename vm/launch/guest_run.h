/* SPDX-License-Identifier: MIT
 *
 * A run of a kernel set: one boot with its number, which is the seed of a deterministic guest. It is made in a process
 * of its own (run_process.h), from its files to the end of the guest. */
#ifndef VM_LAUNCH_GUEST_RUN_H
#define VM_LAUNCH_GUEST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "runs/run_record.h"
#include "vm/protocol/guest_progress.h"

struct launch;

#define CONSOLE_LOGS  "console" /* directories of DIR/SET */
#define ENGINE_LOGS   "engine"
#define GUEST_STAGING ".guest-" /* then the number of the run, and "-XXXXXX" */

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

/* "base, seed 3" */
void guest_run_name(const struct launch *launch, uint32_t number, char *name, size_t size);
/* Boots it and receives its traces; a guest that dies before its first run is started once more. The report has
 * the outcome. Only DIR/SET/raw and the logs remain. */
void guest_run_make(const struct launch *launch, uint32_t number, const struct run_listener *listener,
		    struct run_report *report);

#endif
