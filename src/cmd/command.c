/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/message.h"
#include "manual/help_text.h"
#include "print/analysis_print.h"
#include "trace/input.h"

#define HELP_COLUMN          30u
#define OPTION_ARGUMENT_SIZE 64
#define OPTION_TEXT_SIZE     512

/* The help of one option: its sentence, its choices and its default. */
static void describe_option(const struct option *option, char text[OPTION_TEXT_SIZE])
{
	bool chooses = option->kind == OPTION_CHOICE || option->kind == OPTION_SET;

	snprintf(text, OPTION_TEXT_SIZE, "%s%s%s%s%s%s", option->help, chooses ? ": " : "",
		 chooses ? option->choices : "", option->fallback ? " (default: " : "",
		 option->fallback ? option->fallback : "", option->fallback ? ")" : "");
}

/* The argument after an option's name: " KB", "[=WHICH]", or "" for a flag. */
static void describe_argument(const struct option *option, char text[OPTION_ARGUMENT_SIZE])
{
	const char *name = option->argument ? option->argument : "VALUE";

	snprintf(text, OPTION_ARGUMENT_SIZE, option->bare ? "[=%s]" : " %s", name);
	if (!option_takes_value(option))
		text[0] = '\0';
}

static void print_option(const struct option *option)
{
	char left[128];
	char text[OPTION_TEXT_SIZE];
	char argument[OPTION_ARGUMENT_SIZE];

	describe_argument(option, argument);
	if (option->letter)
		snprintf(left, sizeof(left), "-%c, --%s%s", option->letter, option->name, argument);
	else
		snprintf(left, sizeof(left), "    --%s%s", option->name, argument);
	if (strlen(left) > 26)
		printf("  %s\n%*s", left, (int)HELP_COLUMN, "");
	else
		printf("  %-28s", left);
	describe_option(option, text);
	help_words(text, strlen(text), HELP_COLUMN, HELP_COLUMN);
	putchar('\n');
}

void command_print_help(const struct command *command)
{
	bool titled = false;
	size_t column = (size_t)printf("picknext %s: ", command->name);

	help_words(command->summary, strlen(command->summary), column, column);
	printf("\n\nUsage: picknext %s [options]%s%s\n", command->name, *command->operands ? " " : "",
	       command->operands);
	if (command->details) {
		putchar('\n');
		help_paragraphs(command->details);
	}
	if (command->add_rows) {
		struct buffer rows = {0};
		command->add_rows(&rows);
		putchar('\n');
		help_paragraphs(rows.data);
		buffer_free(&rows);
	}
	printf("\nOptions:\n");
	for (const struct option *option = NULL; (option = option_next_shown(command->options, option));) {
		if (titled && option == options_common)
			printf("\nCommon options:\n");
		titled = titled || option_is_title(option);
		if (option_is_title(option))
			printf("\n%s:\n", option->help);
		else
			print_option(option);
	}
	if (command->examples) {
		printf("\nExamples:\n");
		help_examples(command->examples);
	}
}

static bool names_subcommand(const struct command *command, const char *word)
{
	return command->subcommand && word && strcmp(strrchr(command->subcommand->name, ' ') + 1, word) == 0;
}

/* The row of --instance, which every command that reads traces has; NULL: command reads none. */
static const struct option *instance_option(const struct command *command)
{
	for (const struct option *option = command->options; option && option->name; option++)
		if (strcmp(option->name, INSTANCE_OPTION) == 0)
			return option;
	return NULL;
}

/* Refuses an empty name, and a missing file NAME if NAME.dat exists, which record -o NAME writes. */
static enum status check_trace_name(const char *name, struct error *err)
{
	char recorded[PATH_MAX];

	if (!*name)
		return error_set(err, STATUS_USAGE, NULL, "'' is no name of a trace or directory");
	snprintf(recorded, sizeof(recorded), "%s.dat", name);
	if (strcmp(name, "-") == 0 || access(name, F_OK) == 0 || access(recorded, F_OK) < 0)
		return STATUS_OK;
	error_system(err, ENOENT, name, "cannot open");
	return error_remedy(err, "%s exists", recorded);
}

static enum status prepare_reading(const struct call *call, struct error *err)
{
	const struct option *instance = instance_option(call->command);
	enum status status = STATUS_OK;

	if (!instance)
		return STATUS_OK;
	input_choose_instance(*(const char *const *)((const char *)call->values + instance->offset));
	for (size_t i = 0; i < call->operands.count && status == STATUS_OK; i++)
		status = check_trace_name(call->operands.items[i], err);
	return status;
}

int command_run_arguments(const struct command_group *groups, const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	int exit_code = 0;

	if (names_subcommand(command, argv[1]))
		return command_run_arguments(groups, command->subcommand, argc - 1, argv + 1);
	struct call call = {.command = command, .groups = groups, .values = xcalloc(1, command->values_size)};
	/* The option parser reorders words. */
	char **words = xcalloc((size_t)argc + 1, sizeof(*words));
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	call.words = words;
	if (options_parse(command, call.values, argc, argv, &call.operands, &err) != STATUS_OK)
		exit_code = message_error(&err);
	else if (call.operands.help)
		command_print_help(command);
	else
		exit_code = prepare_reading(&call, &err) == STATUS_OK ? command->run(&call) : message_error(&err);
	free(words);
	free(call.values);
	return exit_code;
}
