/* SPDX-License-Identifier: MIT
 *
 * The process of one boot: a child that boots one run of a prepared launch, and passes its messages on to its parent.
 */
#ifndef VM_LAUNCH_CELL_PROCESS_H
#define VM_LAUNCH_CELL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"

struct launch;
struct boot_report;

struct cell_process {
	pid_t pid;                  /* 0: none */
	int channel;                /* readable when there is a message, and after its end */
	struct boot_report *report; /* shared with it */
	struct cleanup cleanup;     /* private */
};

/* Starts it. If this process dies, it ends its guest as after SIGTERM. */
enum status cell_process_start(struct cell_process *process, struct launch *launch, uint32_t run, struct error *err);
/* Takes one message; false if there is none now. */
bool cell_process_message(const struct cell_process *process, enum message_kind *kind, char *text, size_t size);
/* Whether it has ended, without waiting. Then the report has been completed: if the process died without one, with how
 * it died. All messages can still be taken. */
bool cell_process_ended(struct cell_process *process);
void cell_process_signal(const struct cell_process *process, int number);
/* Kills it, if it still runs, and releases all. */
void cell_process_free(struct cell_process *process);

#endif
