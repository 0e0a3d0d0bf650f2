/* SPDX-License-Identifier: MIT
 *
 * QEMU or vng as a process that cannot be lost. A guardian process starts it in a session of its own, adopts whatever
 * it leaves behind, and kills all of that as soon as the launcher asks for it, or is gone itself. */
#ifndef VM_ENGINE_ENGINE_PROCESS_H
#define VM_ENGINE_ENGINE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arguments.h"
#include "base/error.h"

struct engine_process {
	pid_t guardian; /* 0: not running */
	int lifeline;   /* closing it makes the guardian end everything */
	int report;     /* readable once the engine ended: for poll() */
	int output;     /* what the engine and its children write to standard output and error; does not block */
	bool ended;
	int wait_status; /* of the engine, once ended; as wait(2) gives it */
};

/* Starts arguments->items[0] (a path) with environment (KEY=VALUE, added to ours) in working_directory. Standard
 * input is /dev/null. orphan_directory (or NULL) is removed by the guardian should the launcher be killed. */
enum status engine_process_start(struct engine_process *process, const struct arguments *arguments,
				 const struct arguments *environment, const char *working_directory,
				 const char *orphan_directory, struct error *err);
/* True once the engine itself has ended. Does not block. */
bool engine_process_ended(struct engine_process *process);
/* Ends everything that was started, however it hid, and returns when it is gone. output stays readable. */
void engine_process_stop(struct engine_process *process);
/* Stops, and closes what is open. */
void engine_process_free(struct engine_process *process);

#endif
