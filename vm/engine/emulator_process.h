/* SPDX-License-Identifier: MIT
 *
 * Runs QEMU or vng so that none of its processes outlives picknext. A guardian process starts the engine in a session
 * of its own, adopts orphaned descendants, and kills all of them when the launcher asks for it or has exited. */
#ifndef VM_ENGINE_EMULATOR_PROCESS_H
#define VM_ENGINE_EMULATOR_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arguments.h"
#include "base/error.h"
#include "base/memory.h"

struct emulator_process {
	pid_t guardian; /* 0: not running */
	int lifeline;   /* closing it makes the guardian kill all processes */
	int report;     /* readable once the engine has ended; for poll() */
	int output;     /* standard output and error of the engine and its children; non-blocking */
	bool ended;
	int wait_status;        /* wait(2) status of the engine, once it has ended */
	struct cleanup cleanup; /* private */
};

struct emulator_start {
	const struct arguments *arguments;   /* the first one is the program's path */
	const struct arguments *environment; /* KEY=VALUE, added to the environment of picknext; or NULL */
	const char *working_directory;       /* or NULL */
	const char *orphan_directory;        /* removed by the guardian if the launcher is killed; or NULL */
	bool batch;                          /* SCHED_BATCH: its threads do not preempt each other when they wake up */
};

/* Starts a program, restricted by confine_process(). Standard input is /dev/null. */
enum status emulator_process_start(struct emulator_process *process, const struct emulator_start *start,
				   struct error *err);
/* True once the engine itself has ended. Does not block. */
bool emulator_process_ended(struct emulator_process *process);
/* Kills all processes that were started, including daemons, and returns after their end. output stays readable. */
void emulator_process_stop(struct emulator_process *process);
/* Stops, and closes all descriptors. */
void emulator_process_free(struct emulator_process *process);

#endif
