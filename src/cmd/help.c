/* SPDX-License-Identifier: MIT */
#include "base/message.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "manual/subject.h"

static int run_help(const struct call *call)
{
	struct subject subject;
	struct error err = {0};

	if (subject_find(call->groups, call->operands.items, call->operands.count, &subject, &err) != STATUS_OK)
		return message_error(&err);
	if (subject.topic)
		topic_print(subject.topic);
	else if (subject.command)
		command_print_help(subject.command);
	else
		subject_print_all(call->groups);
	return 0;
}

const struct command command_help = {
    .name = "help",
    .summary = "explain a command or a topic",
    .operands = "[COMMAND|TOPIC]",
    .operands_max = SIZE_MAX,
    .details = "Without an operand all commands and topics are listed. picknext COMMAND --help is the same as\n"
	       "picknext help COMMAND.",
    .examples = "  picknext help vm                  # what picknext vm --help prints\n"
		"  picknext help migrations extract  # of a subcommand\n"
		"  picknext help metrics             # a topic\n",
    .run = run_help,
};
