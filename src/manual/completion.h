/* SPDX-License-Identifier: MIT
 *
 * Completion of command lines, from the tables of commands and options. The shell's script passes the words to picknext
 * complete, and offers the words that this prints. */
#ifndef MANUAL_COMPLETION_H
#define MANUAL_COMPLETION_H

#include "base/buffer.h"
#include "base/options.h"

#define COMPLETION_SHELLS "bash|zsh|fish"

/* The script for a shell; NULL if the shell is not supported. */
const char *completion_script(const char *shell);

/* The existing values of an option, in all commands that have it, or of an operand such as NAME. */
struct completion_values {
	const char *option;
	bool or_files; /* the value can also be a file */
	void (*add)(struct buffer *out);
};

/* Adds the line for a word; for use in add(). Only the first clause of description is shown; NULL: none. */
void completion_add_word(const char *word, const char *description, struct buffer *out);

/* Adds the words that can follow in a command line, one line each: the word, then perhaps a tab and its description.
 * words: the words after picknext, up to the cursor; the last one may be unfinished or empty. The printed words
 * complete the part of it after the last = or comma. The first line may be ":files" (files are possible, too), or
 * ":command N" (a command line of another program begins at word N; picknext is word 0). values ends with a row without
 * an option. */
void completion_add(const struct command_group *groups, const struct completion_values *values, char *const *words,
		    size_t count, struct buffer *out);

#endif
