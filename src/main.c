/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/message.h"
#include "base/program.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "manual/subject.h"

/* Options in the place of a command. */
static const char *command_name(const char *word)
{
	if (!word || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return "help";
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return "version";
	return word;
}

static int dispatch(int argc, char **argv)
{
	const char *name = command_name(argc > 1 ? argv[1] : NULL);
	const struct command *command = subject_command(command_table, name);
	struct error err = {0};

	if (!command || strchr(command->name, ' ')) {
		subject_unknown_command(command_table, name, &err);
		return message_error(&err);
	}
	return command_run_arguments(command_table, command, argc - (argc > 1), argv + (argc > 1));
}

int main(int argc, char **argv)
{
	program_begin();
	return program_finish(dispatch(argc, argv));
}
