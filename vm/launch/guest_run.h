/* SPDX-License-Identifier: MIT
 *
 * A run of a kernel set: one boot with its number, which is the seed of a deterministic guest. It is made in a process
 * of its own (run_process.h), from its files to the end of the guest. */
#ifndef VM_LAUNCH_GUEST_RUN_H
#define VM_LAUNCH_GUEST_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "vm/engine/host_wait.h"
#include "vm/launch/boot.h"
#include "vm/plan/run_outcomes.h"

struct launch;

#define CONSOLE_LOGS  "console" /* directories of DIR/SET */
#define ENGINE_LOGS   "engine"
#define GUEST_STAGING ".guest-" /* then the number of the run, and "-XXXXXX" */

/* What the process of a run reports to the one that started it, through memory that both share. */
struct run_report {
	bool is_finished; /* the last to be set; false if the process died */
	enum status status;
	struct error error;         /* unless STATUS_OK */
	struct run_outcome outcome; /* traces and total_s: of all its starts */
	char release[65];           /* from the guest's uname, or the image's version string */
	char problem[512];          /* the first one of its files; or "" */
	char death[256];            /* what ended the guest's kernel: "NULL pointer in pick_task_fair"; or "" */
	char console_tail[4096];    /* after STATUS_GUEST: last lines of the console, escaped */
	char output[4096];          /* output file of a failed command; console_tail is its tail then */
};

struct guest_run {
	const struct launch *launch;
	uint32_t number;
	char name[112];            /* for messages: "base, seed 3" */
	struct run_report *report; /* filled in from its begin on */
	struct boot boot;

	/* DIR/SET/.guest-RUN-XXXXXX: share, scratch disk and shared memory of a running guest, and what has arrived */
	char staging[PATH_MAX];
	struct cleanup remove_staging;
	char arrived[PATH_MAX]; /* in staging: the files of the guest, until they are all there */

	struct supervision on;
	bool has_ended; /* on.end is known */
	struct console console, engine_log;
	struct host_wait host_wait; /* not of a deterministic guest */
	unsigned int runs_done, runs_of;
	char problem[GUEST_LINE_MAX + 1]; /* the last one of the guest, not shown yet: it may become the error */

	char log[256]; /* the file in raw with the output of its command; or "" */
};

/* "base, seed 3" */
void guest_run_name(const struct launch *launch, uint32_t number, char *name, size_t size);
/* ", about 3 min left"; "" if seconds is negative. */
void format_time_left(double seconds, char *text, size_t size);
/* Boots it and receives its traces; a guest that dies before its first run is started once more. Whatever happened is
 * in the report. Nothing is left but DIR/SET/raw and the logs. */
void guest_run_make(const struct launch *launch, uint32_t number, struct run_report *report);

#endif
