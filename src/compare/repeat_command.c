/* SPDX-License-Identifier: MIT */
#include "compare/repeat_command.h"

#include <string.h>

#include "base/arguments.h"

#define OUTPUT "again"

/* --- Guests --- */

/* Options with a value that the line has anyway. */
static bool is_given(const char *argument)
{
	return strcmp(argument, "--runs") == 0 || strcmp(argument, "--workload") == 0;
}

/* Adds the arguments of the guest's collect up to the command; vm has the same options. */
static const struct json_value *add_options(const struct json_value *arguments, struct arguments *line)
{
	const struct json_value *item = arguments->child;

	for (; item && item->kind == JSON_TEXT && strcmp(item->text, "--") != 0; item = item->next) {
		if (!is_given(item->text))
			arguments_add(line, "%s", item->text);
		else if (item->next)
			item = item->next;
	}
	return item;
}

static const char *workloads_of(const struct json_value *arguments)
{
	for (const struct json_value *item = arguments->child; item && item->next; item = item->next)
		if (item->kind == JSON_TEXT && item->next->kind == JSON_TEXT && strcmp(item->text, "--workload") == 0)
			return item->next->text;
	return NULL;
}

static void add_number(const struct json_value *launch, const char *key, const char *option, struct arguments *line)
{
	uint64_t value;

	if (json_member_u64(launch, key, &value))
		arguments_option(line, option, "%llu", (unsigned long long)value);
}

static void add_text(const struct json_value *object, const char *key, const char *option, struct arguments *line)
{
	const char *text = json_member_text(object, key, NULL);

	if (text)
		arguments_option(line, option, "%s", text);
}

static void add_machine(const struct json_value *launch, const struct json_value *deterministic, struct arguments *line)
{
	const struct json_value *isolated = json_member(launch, "isolated_cpu");
	const struct json_value *added = json_member(launch, "added");

	add_number(launch, "workload_cpus", "--cpus", line);
	if (isolated && isolated->kind == JSON_NULL)
		arguments_add(line, "--no-isolated-cpu");
	add_number(launch, "memory_mb", "--memory", line);
	add_text(deterministic, "modules", "--modules", line);
	add_text(deterministic, "append", "--append", line);
	for (const struct json_value *item = added ? added->child : NULL; item; item = item->next)
		if (item->kind == JSON_TEXT)
			arguments_option(line, "--add", "%s", item->text);
}

/* Guest files and the command's program can be relative to the directory of the first recording. */
static void add_directory(const struct json_value *deterministic, struct buffer *out)
{
	const char *directory = json_member_text(deterministic, "directory", NULL);
	struct arguments place = {0};

	if (!directory)
		return;
	arguments_option(&place, "cd", "%s", directory);
	arguments_quote(&place, " ", out);
	buffer_text(out, " && ");
	arguments_free(&place);
}

static bool add_guest(const struct run_set *set, const struct run *run, struct arguments *line, struct buffer *out)
{
	const struct json_value *kernel = json_member(set->launch, "kernel");
	const struct json_value *arguments = json_member(set->launch, "collect_arguments");
	const struct json_value *deterministic = json_member(set->launch, "deterministic");
	const char *path = kernel ? json_member_text(kernel, "path", NULL) : NULL;
	/* The name of a fetched kernel holds on other machines too. */
	const char *image = kernel ? json_member_text(kernel, "fetched", path) : NULL;

	if (!image || !arguments)
		return false;
	arguments_add(line, "picknext");
	arguments_add(line, "vm");
	arguments_option(line, "-k", "%s", image);
	if (run->metadata.is_deterministic)
		arguments_option(line, "--seeds", "%llu", (unsigned long long)run->number);
	else
		arguments_add(line, "--wall-clock");
	const char *workloads = run->metadata.is_deterministic ? workloads_of(arguments) : run->workload;
	if (workloads)
		arguments_option(line, "-w", "%s", workloads);
	if (!run->metadata.is_deterministic)
		arguments_option(line, "-r", "1");
	const struct json_value *command = add_options(arguments, line);
	add_machine(set->launch, deterministic, line);
	arguments_option(line, "-o", OUTPUT);
	if (command || json_member(set->launch, "added"))
		add_directory(deterministic, out);
	for (; command && command->kind == JSON_TEXT; command = command->next)
		arguments_add(line, "%s", command->text);
	return true;
}

/* --- Hosts --- */

static bool add_host(const struct run *run, struct arguments *line)
{
	char *const *command = run->metadata.command.arguments;

	if (!run_has_metadata(run) || (!command && !(run->metadata.work.scale > 0)))
		return false;
	arguments_add(line, "picknext");
	arguments_add(line, "collect");
	arguments_option(line, "-w", "%s", run->workload);
	arguments_option(line, "-r", "1");
	if (run->metadata.work.scale > 0)
		arguments_option(line, "--scale", "%.15g", run->metadata.work.scale);
	arguments_option(line, "-o", OUTPUT);
	if (command)
		arguments_add(line, "--");
	for (; command && *command; command++)
		arguments_add(line, "%s", *command);
	return true;
}

void repeat_command_add(const struct run_set *set, const struct run *run, struct buffer *out)
{
	struct arguments line = {0};
	struct buffer text = {0};

	if (set->launch ? add_guest(set, run, &line, &text) : add_host(run, &line)) {
		arguments_quote(&line, " ", &text);
		buffer_add(out, text.data, text.length);
	}
	arguments_free(&line);
	buffer_free(&text);
}
