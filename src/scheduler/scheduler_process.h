/* SPDX-License-Identifier: MIT
 *
 * The process that holds a scheduler of sched_ext: its start, wait and stop; and its output, which may be anything and
 * of any length. */
#ifndef SCHEDULER_SCHEDULER_PROCESS_H
#define SCHEDULER_SCHEDULER_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "scheduler/scheduler_spec.h"
#include "scheduler/scheduler_state.h"

struct scheduler_process {
	const struct scheduler_spec *spec; /* a builtin or a program */
	char output[PATH_MAX];             /* its output is added to this file */
	pid_t pid;                         /* 0: it does not run */
	int wait_status;                   /* after its end */
	long output_begin;                 /* where the output of this start begins */
	struct scheduler_state enabled;    /* as it was when the scheduler was enabled */
};

/* Starts it in a session of its own and waits until the kernel has enabled its scheduler, at most 120 s. STATUS_SYSTEM
 * if another scheduler is enabled; if the process ends before that (with its last line of output); if it takes too
 * long. STATUS_INTERRUPTED after a signal. After a failure it does not run. */
enum status scheduler_process_start(struct scheduler_process *process, struct error *err);
/* Interrupts it, and kills it if it does not end. Waits until the kernel has disabled its scheduler. */
void scheduler_process_stop(struct scheduler_process *process);
/* Finds why it is no longer enabled: the signal that killed it, the kernel's log, or its own output. Call it before
 * scheduler_process_stop(). It waits a short time for the process to end. */
void scheduler_process_explain(struct scheduler_process *process, char *reason, size_t size);

enum { SCHEDULER_OUTPUT_MAX = 256 * 1024 };

/* Reads the file from begin on into text, at most the last SCHEDULER_OUTPUT_MAX bytes; a NUL becomes a space. "" if the
 * file cannot be read or is no regular one. */
void scheduler_output_read(const char *path, off_t begin, struct buffer *text);
/* The last line that is not empty, without the "EXIT: " of the kernel's schedulers, with escapes for control
 * characters. Pure. */
void scheduler_output_last_words(const char *text, size_t length, char *words, size_t size);

#endif
