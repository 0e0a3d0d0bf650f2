/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_comparison.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arguments.h"
#include "base/command.h"
#include "base/file.h"
#include "base/message.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/vm/vm_options.h"

#define PAGE "report.html"

enum status vm_comparison_check(const char *directory, struct error *err)
{
	char page[PATH_MAX];
	enum status status = file_join(page, sizeof(page), directory, PAGE, err);

	return status == STATUS_OK ? output_check(page, err) : status;
}

/* Runs the command on the directories, with those of vm's options that it has too. page: for --output, or NULL. */
static int run_on(const struct call *call, const struct command *command, const char *page,
		  const char *const *directories, size_t count)
{
	const struct vm_options *options = call->values;
	struct arguments line = {0};
	char *words[OPTION_LIST_MAX + 8]; /* the parser moves operands among them */

	arguments_add(&line, "%s", command->name);
	if (options->allow_lossy)
		arguments_add(&line, "--allow-lossy");
	if (options->allow_failed)
		arguments_add(&line, "--allow-failed");
	if (message_level() == MESSAGE_QUIET)
		arguments_add(&line, "--quiet");
	if (page)
		arguments_option(&line, "--output", "%s", page);
	arguments_add(&line, "--");
	for (size_t i = 0; i < count; i++)
		arguments_add(&line, "%s", directories[i]);
	memcpy(words, line.items, (line.count + 1) * sizeof(*words));
	int exit_code = command_run_arguments(call->groups, command, (int)line.count, words);
	arguments_free(&line);
	return exit_code;
}

int vm_comparison_print(const struct call *call, const char *const *directories, size_t count)
{
	const struct vm_options *options = call->values;
	char page[PATH_MAX];
	struct error err;

	int exit_code = run_on(call, &command_compare, NULL, directories, count);
	if (exit_code != 0)
		return exit_code;
	if (file_join(page, sizeof(page), options->launch.output, PAGE, &err) != STATUS_OK)
		return message_error(&err);
	exit_code = run_on(call, &command_report, page, directories, count);
	if (exit_code == 0)
		printf("Report with charts: %s\n", page);
	return exit_code;
}
