/* SPDX-License-Identifier: MIT
 *
 * The command that record traces: started behind a barrier, so that its first instruction is in the trace, and waited
 * for. */
#ifndef RECORD_TRACED_COMMAND_H
#define RECORD_TRACED_COMMAND_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct traced_command {
	pid_t pid;   /* 0: there is none */
	int start;   /* written to: go */
	int failure; /* read from: errno where exec failed, closed where it did not */
	int pidfd;   /* -1 before Linux 5.3 */
	bool ended;
	int status; /* of waitpid(), once ended */
};

/* 127 where there is no such program, 126 where it cannot be run, as shells have it; 0 where it can. Looks through
 * PATH as execvp() does, so that a typing error is told before anything is set up. */
int traced_command_check(const char *program, struct error *err);
/* Makes the process, on these CPUs and with the signal actions that picknext was started with. It waits. */
enum status traced_command_prepare(char **arguments, const cpu_set_t *cpus, struct traced_command *command,
				   struct error *err);
/* Lets it go. STATUS_SYSTEM where exec fails. */
enum status traced_command_start(struct traced_command *command, struct error *err);
/* Looks whether it has ended, or waits until it has. Waiting ends early with a signal (base/interrupt.h). */
bool traced_command_has_ended(struct traced_command *command);
void traced_command_wait(struct traced_command *command);
/* Its exit status, 128 + signal where one killed it. */
int traced_command_exit_code(const struct traced_command *command);
/* Kills it where it was prepared and never started; closes what is open. */
void traced_command_close(struct traced_command *command);

#endif
