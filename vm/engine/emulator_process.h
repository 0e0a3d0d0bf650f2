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

/* Starts arguments->items[0] (a path) with environment (KEY=VALUE, added to the environment of picknext) in
 * working_directory, restricted by confine_process(). Standard input is /dev/null. orphan_directory (or NULL) is
 * removed by the guardian if the launcher is killed. */
enum status emulator_process_start(struct emulator_process *process, const struct arguments *arguments,
				   const struct arguments *environment, const char *working_directory,
				   const char *orphan_directory, struct error *err);
/* True once the engine itself has ended. Does not block. */
bool emulator_process_ended(struct emulator_process *process);
/* Kills all processes that were started, including daemons, and returns after their end. output stays readable. */
void emulator_process_stop(struct emulator_process *process);
/* Stops, and closes all descriptors. */
void emulator_process_free(struct emulator_process *process);

#endif
