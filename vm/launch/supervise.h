/* SPDX-License-Identifier: MIT
 *
 * Watches a guest from start to end: reads all of its channels, and ends it when a time limit has passed. */
#ifndef VM_LAUNCH_SUPERVISE_H
#define VM_LAUNCH_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/engine/channels.h"
#include "vm/engine/emulator_process.h"
#include "vm/engine/host_wait.h"
#include "vm/launch/console.h"
#include "vm/protocol/guest_progress.h"

enum guest_end {
	GUEST_DONE,        /* the job reported its end; until_hello: the hello arrived */
	GUEST_PANICKED,    /* according to the console */
	GUEST_NOT_BOOTED,  /* no hello within boot_timeout_s */
	GUEST_SILENT,      /* no output for silence_timeout_s */
	GUEST_OVERTIME,    /* total_timeout_s has passed */
	GUEST_LEFT_EARLY,  /* it ended before its job did */
	GUEST_LEFT_SHELL,  /* the shell ended */
	GUEST_INTERRUPTED, /* picknext received a signal */
	GUEST_HOST_FAILED, /* the host could not store its output: see host_error */
};

struct supervision {
	struct emulator_process *process;
	struct channels *channels;
	struct console *console;                                    /* the serial console */
	struct console *engine_log;                                 /* what the engine and the job print */
	struct host_wait *host_wait;                                /* measured from hello to done, or NULL */
	struct host_wait quiet;                                     /* measured while a booting guest writes nothing */
	void (*line)(void *context, const struct guest_line *line); /* or NULL */
	void (*silent)(void *context, unsigned int seconds); /* once, for a booting guest that wrote nothing; or NULL */
	void *context;
	unsigned int boot_timeout_s, silence_timeout_s, total_timeout_s; /* 0: no limit */
	bool until_hello;                                                /* for a probe: stop after the hello */
	bool until_done; /* stop after the job: the guest cannot power off (vm/preload/lockstep.c) */
	bool shell;      /* standard input and output are the guest's console */

	enum guest_end end;
	char release[65];  /* from the hello, usable as a directory name; "": no hello */
	int job_exit;      /* -1: not reported */
	int engine_signal; /* that ended the engine by itself, or 0 */
	bool said_hello, said_done;
	char problem[GUEST_LINE_MAX + 1]; /* the last problem that the guest reported */
	char last_sign[128];              /* the last report: "hackbench_pipe_small, run 2" */
	double boot_s, elapsed_s;         /* to the hello; in total */
	uint64_t virtual_ns;              /* the guest's own time at the end of its job; 0: not reported */
	struct error host_error;
};

/* Returns when the guest and all processes started for it have ended. */
void supervise(struct supervision *supervision);

#endif
