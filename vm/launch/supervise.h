/* SPDX-License-Identifier: MIT
 *
 * Watches a guest from its start to its end: takes what it says on every channel, and ends it when it is late. */
#ifndef VM_LAUNCH_SUPERVISE_H
#define VM_LAUNCH_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/engine/channels.h"
#include "vm/engine/engine_process.h"
#include "vm/launch/console.h"
#include "vm/launch/host_wait.h"
#include "vm/launch/transfer_receive.h"
#include "vm/protocol/guest_progress.h"

enum guest_end {
	GUEST_DONE,        /* the job said that it is over, or the hello that was waited for came */
	GUEST_PANICKED,    /* the console says so */
	GUEST_NOT_BOOTED,  /* no hello within boot_timeout_s */
	GUEST_SILENT,      /* no sign of life for silence_timeout_s */
	GUEST_OVERTIME,    /* total_timeout_s is over */
	GUEST_LEFT_EARLY,  /* it went away without the job being over */
	GUEST_LEFT_SHELL,  /* the shell was left */
	GUEST_INTERRUPTED, /* a signal came for picknext */
	GUEST_HOST_FAILED, /* the host could not keep what came: see host_error */
};

struct supervision {
	struct engine_process *process;
	struct channels *channels;
	struct console *console;                                    /* the serial console */
	struct console *engine_log;                                 /* what the engine and the job print */
	struct transfer_receiver *receiver;                         /* takes CHANNEL_DATA, or NULL */
	struct host_wait *host_wait;                                /* measured from hello to done, or NULL */
	void (*line)(void *context, const struct guest_line *line); /* or NULL */
	void *context;
	unsigned int boot_timeout_s, silence_timeout_s, total_timeout_s; /* 0: no limit */
	bool until_hello;                                                /* a probe: the hello is all that is wanted */
	bool until_done; /* the job's end is the guest's: it cannot switch itself off (vm/preload/lockstep.c) */
	bool shell;      /* standard input and output are the guest's console */

	enum guest_end end;
	char release[65]; /* from the hello, fit for a directory's name; "" where none came */
	int job_exit;     /* -1: not told */
	bool said_hello, said_done;
	char problem[GUEST_LINE_MAX + 1]; /* the last problem that the guest told */
	char last_sign[128];              /* what was last heard: "hackbench_pipe_small, run 2" */
	double boot_s, elapsed_s;         /* to the hello; in all */
	uint64_t virtual_ns;              /* the guest's own time at the end of its job; 0: not told */
	struct error host_error;
};

/* Returns when the guest and everything that it was started with is gone. */
void supervise(struct supervision *supervision);

#endif
