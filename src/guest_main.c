/* SPDX-License-Identifier: MIT
 *
 * The picknext of a guest, /bin/picknext there: the agent, which does the job, and the commands that a traced program
 * may call. Its bytes change only if code changes that runs in a guest: it has no texts of help (base/build.h) and no
 * version (base/build.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "cmd/commands.h"
#include "guest/agent.h"

static const struct command *const commands[] = {&command_mark, &command_run};

static enum status refuse(const char *name, struct error *err)
{
	error_set(err, STATUS_USAGE, name, "not a command of picknext in a guest, which are mark and run");
	return error_remedy(err, "add the whole program to the guest: picknext vm --add PATH/picknext");
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	struct call call = {.command = command, .values = xcalloc(1, command->values_size + 1), .words = argv};
	enum status status = options_parse(command, call.values, argc, argv, &call.operands, &err);

	if (status == STATUS_OK && call.operands.help)
		status = refuse("--help", &err);
	int exit_code = status == STATUS_OK ? command->run(&call) : message_error(&err);
	free(call.values);
	return exit_code;
}

static int dispatch(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct error err = {0};

	if (strcmp(name, "guest") == 0)
		return guest_run_job();
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return run_command(commands[i], argc - 1, argv + 1);
	refuse(name, &err);
	return message_error(&err);
}

int main(int argc, char **argv)
{
	program_begin();
	return program_finish(dispatch(argc, argv));
}
