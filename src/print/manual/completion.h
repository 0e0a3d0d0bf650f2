/* SPDX-License-Identifier: MIT
 *
 * Completion of command lines, from the tables of commands, options, workloads and metrics. The script of a shell
 * passes the words to picknext complete, and offers what that prints. */
#ifndef PRINT_MANUAL_COMPLETION_H
#define PRINT_MANUAL_COMPLETION_H

#include "base/buffer.h"
#include "base/options.h"

#define COMPLETION_SHELLS "bash|zsh|fish"

/* The script for a shell; NULL for another one. */
const char *completion_script(const char *shell);

/* Adds what can follow in a command line, a line each: a word, then perhaps a tab and its description. words: those
 * after picknext, up to the cursor, the last perhaps unfinished or empty. The words complete what is after the last =
 * or comma of it. The first line may be ":files" (also files), or ":command N" (word N, picknext being 0, begins a
 * command line of another program). */
void completion_add(const struct command_group *groups, char *const *words, size_t count, struct buffer *out);

#endif
