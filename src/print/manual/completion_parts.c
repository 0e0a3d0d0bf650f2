/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "print/manual/completion_shells.h"

void completion_each_command(const struct command_group *groups, completion_step *step, struct buffer *out)
{
	const struct command_group *all = groups;

	for (; groups->title; groups++)
		for (const struct command *const *command = groups->commands; *command; command++) {
			if ((*command)->hidden)
				continue;
			step(all, *command, out);
			if ((*command)->subcommand)
				step(all, (*command)->subcommand, out);
		}
}

void completion_add_clause(const char *help, const char *special, const char *quote, struct buffer *out)
{
	size_t length = strcspn(help, ";");

	for (size_t i = 0; i < length; i++) {
		if (help[i] == '\'') {
			buffer_text(out, quote);
			continue;
		}
		if (strchr(special, help[i]))
			buffer_text(out, "\\");
		buffer_add(out, help[i] == '\n' ? " " : &help[i], 1);
	}
}

void completion_add_subcommand(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	(void)groups;
	if (!command->subcommand)
		return;
	buffer_text(out, " ");
	for (const char *byte = command->subcommand->name; *byte; byte++)
		buffer_add(out, *byte == ' ' ? "-" : byte, 1);
}

const char *completion_last_word(const struct command *subcommand)
{
	return strrchr(subcommand->name, ' ') + 1;
}
