/* SPDX-License-Identifier: MIT
 *
 * A program that is held at a barrier before its first instruction, so that all of it is traced: the child process
 * exists, and executes the program once it is released. */
#ifndef WORKLOADS_RUNNER_HELD_COMMAND_H
#define WORKLOADS_RUNNER_HELD_COMMAND_H

#include <sys/types.h>

struct held_command {
	pid_t pid;   /* 0: none */
	int start;   /* pipe to write the start byte to; -1 once released */
	int failure; /* pipe to read from: errno if exec failed, end of file if it succeeded */
};

#define HELD_COMMAND_NONE ((struct held_command){.start = -1, .failure = -1})

/* Makes the child process. It calls enter(context) and waits. Before it executes the program, signals get their
 * default actions, as far as they have not been inherited as ignored. Returns 0 or errno. */
int held_command_prepare(char *const *arguments, void (*enter)(void *context), void *context,
			 struct held_command *command);
/* Releases it. Returns 0 or errno. */
int held_command_release(struct held_command *command);
/* Waits until the released child runs the program (0) or has failed to (errno). */
int held_command_failure(const struct held_command *command);
/* Closes the pipes. A child that has not been released ends by itself then; the caller reaps it. */
void held_command_close(struct held_command *command);

/* The exit code of shells: 128 + signal if a signal killed it. */
int held_command_exit_code(int wait_status);

#endif
