/* SPDX-License-Identifier: MIT
 *
 * The scripts of the three shells, and what they share. */
#ifndef PRINT_MANUAL_COMPLETION_SHELLS_H
#define PRINT_MANUAL_COMPLETION_SHELLS_H

#include "base/buffer.h"
#include "base/options.h"

void completion_add_bash(const struct command_group *groups, struct buffer *out);
void completion_add_zsh(const struct command_group *groups, struct buffer *out);
void completion_add_fish(const struct command_group *groups, struct buffer *out);

typedef void completion_step(const struct command_group *groups, const struct command *command, struct buffer *out);
/* Calls step for each command and subcommand that is not hidden. */
void completion_each_command(const struct command_group *groups, completion_step *step, struct buffer *out);
/* A step: adds the name of its subcommand, if there is one, as " migrations-extract". */
void completion_add_subcommand(const struct command_group *groups, const struct command *command, struct buffer *out);
/* "extract" of "migrations extract". */
const char *completion_last_word(const struct command *subcommand);
/* Adds the first clause of a help text on one line, for the list of completions; the bytes of special get a backslash,
 * and a quote is written as quote. */
void completion_add_clause(const char *help, const char *special, const char *quote, struct buffer *out);

#endif
