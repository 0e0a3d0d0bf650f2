/* SPDX-License-Identifier: MIT
 *
 * Completion of command lines, from the tables of commands and options. The script of a shell passes the words to
 * picknext complete, and offers what that prints. */
#ifndef PRINT_MANUAL_COMPLETION_H
#define PRINT_MANUAL_COMPLETION_H

#include "base/buffer.h"
#include "base/options.h"

#define COMPLETION_SHELLS "bash|zsh|fish"

/* The script for a shell; NULL for another one. */
const char *completion_script(const char *shell);

/* The values that exist of an option, of all commands that have it, or of an operand such as NAME. */
struct completion_values {
	const char *option;
	bool or_files; /* a file is one too */
	void (*add)(struct buffer *out);
};

/* A line for a word: for add(). Only the first clause of description is shown; NULL: none. */
void completion_add_word(const char *word, const char *description, struct buffer *out);

/* Adds what can follow in a command line, a line each: a word, then perhaps a tab and its description. words: those
 * after picknext, up to the cursor, the last perhaps unfinished or empty. The words complete what is after the last =
 * or comma of it. The first line may be ":files" (also files), or ":command N" (word N, picknext being 0, begins a
 * command line of another program). values ends with a row without an option. */
void completion_add(const struct command_group *groups, const struct completion_values *values, char *const *words,
		    size_t count, struct buffer *out);

#endif
