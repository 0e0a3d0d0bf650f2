/* SPDX-License-Identifier: MIT
 *
 * A command's results on standard output or in a file. */
#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include "base/buffer.h"
#include "base/error.h"

/* Prints the buffer, and frees it. Returns 0, the exit code: main.c flushes standard output at the end of every command
 * and reports write errors. */
int print_buffer(struct buffer *buffer);
/* Writes the buffer to output, a path; NULL or "-" is standard output. */
enum status print_to_output(const char *output, struct buffer *buffer, struct error *err);
/* Writes the buffer to standard output, and clears it. If the reader of a pipe is stopped, a signal ends the wait for
 * it and drops the rest. Needs interrupt_catch(). */
enum status print_until_signal(struct buffer *buffer, struct error *err);
/* message_error(), but silent on EPIPE, for example with | head. */
int print_failure(const struct error *err);

#endif
