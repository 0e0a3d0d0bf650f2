/* SPDX-License-Identifier: MIT
 *
 * The process of one run: a child that makes one run of a prepared launch, and passes its messages on to its parent.
 */
#ifndef VM_LAUNCH_RUN_PROCESS_H
#define VM_LAUNCH_RUN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "vm/protocol/guest_progress.h"

struct launch;
struct run_report;

/* A message to the user, or a line of its guest (struct run_listener). */
struct run_message {
	bool is_line;
	struct guest_line line;
	enum message_kind kind;
	char text[2048];
};

struct run_process {
	pid_t pid;                 /* 0: none */
	int channel;               /* readable when there is a message, and after its end */
	struct run_report *report; /* shared with it */
	struct cleanup cleanup;    /* private */
};

/* Starts it. If this process dies, it ends its guest as after SIGTERM. */
enum status run_process_start(struct run_process *process, const struct launch *launch, uint32_t number,
			      struct error *err);
/* Takes one message; false if there is none now. */
bool run_process_message(const struct run_process *process, struct run_message *message);
/* True if it has ended; does not block. Then the report is complete: if the process died before it finished the report,
 * the report has how it died. Its messages can still be read. */
bool run_process_ended(struct run_process *process);
void run_process_signal(const struct run_process *process, int number);
/* Kills it, if it still runs, and releases all. */
void run_process_free(struct run_process *process);

#endif
