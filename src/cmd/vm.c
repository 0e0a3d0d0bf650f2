/* SPDX-License-Identifier: MIT */
#include "base/message.h"
#include "cmd/commands.h"

static int run(const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	(void)argc;
	(void)argv;
	error_set(&err, STATUS_UNSUPPORTED, command->name, "being written");
	return message_error(&err);
}

const struct command command_vm = {.name = "vm", .summary = "being written", .operands = "", .run = run};
