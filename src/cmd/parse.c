/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "manual/subject.h"

/* The command that the arguments name; *count is the number of words of its name. NULL after an error. */
static const struct command *find_command(const struct call *call, int *count, struct error *err)
{
	char **words = call->operands.items;
	const struct command *command = subject_command(call->groups, words[0]);

	*count = 1;
	if (!command || strchr(words[0], ' ')) {
		subject_unknown_command(call->groups, words[0], err);
		return NULL;
	}
	if (command->subcommand && words[1] && strcmp(strrchr(command->subcommand->name, ' ') + 1, words[1]) == 0) {
		*count = 2;
		return command->subcommand;
	}
	return command;
}

static int run_parse(const struct call *call)
{
	struct operands operands;
	struct error err = {0};
	int words;
	const struct command *command = find_command(call, &words, &err);

	if (!command)
		return message_error(&err);
	void *values = xcalloc(1, command->values_size);
	enum status status = options_parse(command, values, (int)call->operands.count - words + 1,
					   call->operands.items + words - 1, &operands, &err);
	free(values);
	return status == STATUS_OK ? 0 : message_error(&err);
}

/* Only for tests of texts that contain command lines. */
const struct command command_parse = {
    .name = "parse",
    .summary = "parse a command line without running it",
    .operands = "[-- COMMAND [options]]",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .details = "Options and operands are checked as far as the tables of the command define them.",
    .run = run_parse,
    .hidden = true,
};
