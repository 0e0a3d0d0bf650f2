/* SPDX-License-Identifier: MIT
 *
 * A command as a subject of the recorder, in the user's terminal and session, started by picknext record. It may
 * outlive its recording. */
#ifndef RECORD_COMMAND_SUBJECT_H
#define RECORD_COMMAND_SUBJECT_H

#include "base/memory.h"
#include "base/sha256.h"
#include "record/recorder.h"
#include "workloads/runner/held_command.h"

struct command_subject {
	struct subject subject;
	char **arguments; /* NULL-terminated */
	struct held_command held;
	struct cleanup cleanup;
	int pidfd; /* -1: none */
	bool has_started, has_ended;
	int wait_status; /* once it has ended */
};

/* 0 if the program can be executed; else the exit code of shells: 127 if PATH has no such program, 126 if it is not
 * executable. Reports a typing error before anything is set up. */
int command_subject_check(const char *program, struct error *err);

/* The hash of a program, as execvp() finds it; "" if it cannot be read. */
void command_subject_hash(const char *program, char text[SHA256_TEXT_SIZE]);

/* It runs on the CPUs that picknext was started on, except isolated ones; PICKNEXT_TRACE_MARKER names the file for
 * writing marks into its trace. */
void command_subject_make(struct command_subject *subject, char **arguments);
/* After the recording: waits for a command that has not ended; a signal ends the wait. */
void command_subject_wait(struct command_subject *subject);
/* Exit code of a command that has ended, 128 + signal if a signal killed it. */
int command_subject_exit_code(const struct command_subject *subject);
void command_subject_close(struct command_subject *subject);

#endif
