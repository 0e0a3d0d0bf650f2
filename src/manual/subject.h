/* SPDX-License-Identifier: MIT
 *
 * The subjects that the manual can explain: commands and topics. */
#ifndef MANUAL_SUBJECT_H
#define MANUAL_SUBJECT_H

#include "base/options.h"
#include "manual/topic.h"

/* One of the two is set. If neither is: the program as a whole. */
struct subject {
	const struct command *command;
	const struct topic *topic;
};

/* The command with this name, or NULL. Subcommands have two words, such as "migrations extract". */
const struct command *subject_command(const struct command_group *groups, const char *name);
/* STATUS_USAGE for an unknown command: the error names the most similar one. */
enum status subject_unknown_command(const struct command_group *groups, const char *name, struct error *err);
/* The subject that the words name, joined by spaces; no words: the whole program. A topic takes precedence over a
 * hidden command of its name. STATUS_USAGE if there is none: the error names the most similar one. */
enum status subject_find(const struct command_group *groups, char *const *words, size_t count, struct subject *subject,
			 struct error *err);
/* Prints all commands and topics, with their summaries, on standard output. */
void subject_print_all(const struct command_group *groups);

#endif
