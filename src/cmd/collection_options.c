/* SPDX-License-Identifier: MIT */
#include "cmd/collection_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "workloads/runner/command.h"
#include "workloads/table.h"

static enum status unknown_workload(const char *name, struct error *err)
{
	const char *names[COLLECTION_WORKLOADS_MAX + 1];
	size_t count = 0;

	for (; workload_table[count] && count < COLLECTION_WORKLOADS_MAX; count++)
		names[count] = workload_table[count]->name;
	names[count] = NULL;
	error_set(err, STATUS_USAGE, "--workload", "there is no workload '%s'", name);
	const char *near = nearest_name(name, names);
	if (near)
		return error_remedy(err, "did you mean %s? (picknext list shows all)", near);
	return error_remedy(err, "picknext list shows all");
}

static enum status add_workload(const struct workload *workload, const struct workload **list, size_t *count,
				struct error *err)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i] == workload)
			return error_set(err, STATUS_USAGE, "--workload", "%s is named twice; use --runs",
					 workload->name);
	if (*count == COLLECTION_WORKLOADS_MAX)
		return error_set(err, STATUS_USAGE, "--workload", "more than %d workloads", COLLECTION_WORKLOADS_MAX);
	list[(*count)++] = workload;
	return STATUS_OK;
}

/* The name in "exec:NAME", or NULL. */
static const char *name_of_command(const char *name)
{
	static const char prefix[] = "exec:";

	return strncmp(name, prefix, sizeof(prefix) - 1) == 0 ? name + sizeof(prefix) - 1 : NULL;
}

/* A label is part of file names and of CSV rows. */
static bool is_label(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";

	return *name && *name != '.' && *name != '-' && name[strspn(name, letters)] == '\0';
}

static enum status make_command(const struct collection_options *options, const char *name,
				struct collection_choice *choice, struct error *err)
{
	struct buffer line = {0};

	if (!options->command) {
		error_set(err, STATUS_USAGE, "--workload", "exec:%s needs a command to run", name);
		return error_remedy(err, "give it after the options: -- COMMAND...");
	}
	if (!is_label(name) || workload_find(name)) {
		error_set(err, STATUS_USAGE, "--workload", "'exec:%s' cannot be the label of a command", name);
		return error_remedy(err, "give another name with -w exec:NAME: letters, digits, '_', '-', '+', '.', "
					 "and not the name of a workload");
	}
	for (char *const *argument = options->command; *argument; argument++)
		buffer_printf(&line, "%s%s", line.length ? " " : "", *argument);
	snprintf(choice->command_name, sizeof(choice->command_name), "%s", name);
	snprintf(choice->command_line, sizeof(choice->command_line), "%s", line.data ? line.data : "");
	buffer_free(&line);
	workload_of_command(&choice->command, choice->command_name, options->category ? options->category : "recorded",
			    choice->command_line, options->command);
	return STATUS_OK;
}

static enum status add_named(const struct collection_options *options, const char *name,
			     struct collection_choice *choice, size_t *count, struct error *err)
{
	const char *label = name_of_command(name);
	const struct workload *workload = label ? &choice->command : workload_find(name);
	enum status status = STATUS_OK;

	if (!workload)
		return unknown_workload(name, err);
	if (label && choice->command.command)
		return error_set(err, STATUS_USAGE, "--workload",
				 "only one exec:NAME is possible, since there is one COMMAND");
	if (label)
		status = make_command(options, label, choice, err);
	return status == STATUS_OK ? add_workload(workload, choice->workloads, count, err) : status;
}

static enum status choose_workloads(const struct collection_options *options, struct collection_choice *choice,
				    size_t *count, struct error *err)
{
	const char *names = options->workloads;
	enum status status = STATUS_OK;

	*count = 0;
	choice->command.command = NULL;
	if (!names && options->command) {
		char name[64];
		const char *slash = strrchr(options->command[0], '/');
		snprintf(name, sizeof(name), "exec:%.58s", slash ? slash + 1 : options->command[0]);
		return add_named(options, name, choice, count, err);
	}
	for (size_t i = 0; !names && workload_table[i] && status == STATUS_OK; i++)
		status = add_workload(workload_table[i], choice->workloads, count, err);
	while (names && status == STATUS_OK) {
		char name[64];
		size_t length = strcspn(names, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(length < 63 ? length : 63), names);
		status = add_named(options, name, choice, count, err);
		names = names[length] ? names + length + 1 : NULL;
	}
	if (status == STATUS_OK && options->command && !choice->command.command) {
		error_set(err, STATUS_USAGE, "--workload", "none of %s is the command after --", options->workloads);
		return error_remedy(err, "name it with -w exec:NAME");
	}
	return status;
}

enum status collection_options_command(const struct operands *operands, struct collection_options *options,
				       struct error *err)
{
	if (operands->count == 0)
		return STATUS_OK;
	options->command = operands->items;
	if (operands->after_dashes)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, operands->items[0], "unexpected argument");
	return error_remedy(err, "name workloads with -w; give a command after --");
}

/* Of devices, only null_blk: the contents of any other would be overwritten. */
static enum status apply_scratch(const char *scratch, struct scratch_choice *choice, struct error *err)
{
	struct stat info;

	if (!scratch)
		return STATUS_OK;
	if (stat(scratch, &info) < 0)
		return error_system(err, errno, scratch, "cannot be used with --scratch");
	if (S_ISDIR(info.st_mode)) {
		choice->directory = scratch;
		return STATUS_OK;
	}
	if (S_ISBLK(info.st_mode) && strncmp(scratch, "/dev/nullb", 10) == 0) {
		choice->device = scratch;
		return STATUS_OK;
	}
	return error_set(err, STATUS_USAGE, "--scratch", "expected a directory or /dev/nullbN, not '%s'", scratch);
}

enum status collection_options_apply(const struct collection_options *options, struct collection_choice *choice,
				     struct collection_request *request, struct error *err)
{
	size_t length = strlen(options->clock);

	if (options->no_drain && options->drain_ms)
		return error_set(err, STATUS_USAGE, "--drain", "and --no-drain are mutually exclusive");
	/* vm.json of earlier versions has the default for all runs. */
	if (options->category && !options->command && strcmp(options->category, "recorded") != 0)
		return error_set(err, STATUS_USAGE, "--category", "is of COMMAND, and there is none after --");
	if (length == 0 || length >= sizeof(choice->clock) || strpbrk(options->clock, " []\n"))
		return error_set(err, STATUS_USAGE, "--clock", "'%s' is not the name of a trace clock", options->clock);
	memcpy(choice->clock, options->clock, length + 1);
	request->capture.clock = choice->clock;
	request->plan.runs = options->runs ? (unsigned int)options->runs : COLLECTION_RUNS;
	request->capture.buffer_size_kb = options->buffer_size_kb;
	request->plan.scale = options->scale;
	request->plan.duration_s = options->duration_s;
	request->capture.migration_stacks = options->migration_stacks;
	request->drain_ms = options->no_drain   ? 0
			    : options->drain_ms ? (unsigned int)options->drain_ms
						: COLLECTION_DRAIN_MS;
	request->plan.workloads = choice->workloads;
	enum status status = choose_workloads(options, choice, &request->plan.workload_count, err);
	return status == STATUS_OK ? apply_scratch(options->scratch, &request->scratch, err) : status;
}
