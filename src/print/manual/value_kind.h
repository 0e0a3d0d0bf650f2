/* SPDX-License-Identifier: MIT
 *
 * What the values of options and the operands of commands are, so that a shell can complete them. */
#ifndef PRINT_MANUAL_VALUE_KIND_H
#define PRINT_MANUAL_VALUE_KIND_H

#include "base/buffer.h"
#include "base/options.h"

enum value_kind {
	VALUE_FREE,         /* a number or a text: nothing to offer */
	VALUE_WORDS,        /* one word of a list */
	VALUE_WORD_LIST,    /* words of a list, separated by commas */
	VALUE_FILE,         /* a file or a directory */
	VALUE_COMMAND_LINE, /* after --: a program and its arguments */
};

/* Follows from the option's choices, its argument's name (one that holds FILE, DIR, IMAGE, PATH, PROGRAM or WHAT is a
 * file) and, for workloads and metrics, its name. words: the words of the list are added, separated by spaces. */
enum value_kind value_kind_of_option(const struct option *option, struct buffer *words);
/* The same of a command's operands, by the names in its usage line. groups: all commands. */
enum value_kind value_kind_of_operands(const struct command_group *groups, const struct command *command,
				       struct buffer *words);

#endif
