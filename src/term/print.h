/* SPDX-License-Identifier: MIT
 *
 * A command's results on standard output. */
#ifndef TERM_PRINT_H
#define TERM_PRINT_H

#include "base/buffer.h"
#include "base/error.h"

/* Prints what the buffer holds, and frees it. 0, or the exit code after an error message where memory ran out for it.
 * That it arrives (a full disk, a reader that has gone) main.c looks after at the end, for every command: nobody else
 * has to flush standard output or to look at it. */
int print_buffer(struct buffer *buffer);
/* message_error(); but where whoever read our output has had enough, as with | head, nothing is said. */
int print_failure(const struct error *err);

#endif
