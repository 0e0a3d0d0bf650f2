/* SPDX-License-Identifier: MIT */
#include "record/collection_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "workloads/mix.h"
#include "workloads/runner/command.h"
#include "workloads/table.h"

static enum status add_workload(const struct workload *workload, const struct workload **list, size_t *count,
				struct error *err)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i] == workload)
			return error_set(err, STATUS_USAGE, "--workload", "%s is named twice; use --runs",
					 workload->name);
	for (size_t i = 0; i < *count; i++)
		if (strcmp(list[i]->name, workload->name) == 0) {
			error_set(err, STATUS_USAGE, "--workload", "two mixes have the name %s", workload->name);
			return error_remedy(err, "name them: 'mix: name NAME; ...'");
		}
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

static enum status make_command(const struct collection_wanted *wanted, const char *name,
				struct collection_choice *choice, struct error *err)
{
	struct buffer line = {0};

	if (!wanted->command) {
		error_set(err, STATUS_USAGE, "--workload", "exec:%s needs a command to run", name);
		return error_remedy(err, "give it after the options: -- COMMAND...");
	}
	if (!is_label(name) || workload_find(name)) {
		error_set(err, STATUS_USAGE, "--workload", "'exec:%s' cannot be the label of a command", name);
		return error_remedy(err, "give another name with -w exec:NAME: letters, digits, '_', '-', '+', '.', "
					 "and not the name of a workload");
	}
	for (char *const *argument = wanted->command; *argument; argument++)
		buffer_printf(&line, "%s%s", line.length ? " " : "", *argument);
	snprintf(choice->command_name, sizeof(choice->command_name), "%s", name);
	snprintf(choice->command_line, sizeof(choice->command_line), "%s", line.data ? line.data : "");
	buffer_free(&line);
	workload_of_command(&choice->command, choice->command_name, wanted->category ? wanted->category : "recorded",
			    choice->command_line, wanted->command);
	return STATUS_OK;
}

static enum status add_named(const struct collection_wanted *wanted, const char *name, struct collection_choice *choice,
			     size_t *count, struct error *err)
{
	const char *label = name_of_command(name);
	const struct workload *workload = &choice->command;
	enum status status = STATUS_OK;

	if (label && choice->command.command)
		return error_set(err, STATUS_USAGE, "--workload",
				 "only one exec:NAME is possible, since there is one COMMAND");
	if (label)
		status = make_command(wanted, label, choice, err);
	else
		status = workload_require(name, "--workload", &workload, err);
	return status == STATUS_OK ? add_workload(workload, choice->workloads, count, err) : status;
}

/* Cuts the first name off a list, and sets it to NULL after the last one. The caller frees the name. */
static char *first_name(const char **names)
{
	const size_t length = strcspn(*names, ",");
	char *name = xmalloc(length + 1);

	memcpy(name, *names, length);
	name[length] = '\0';
	*names = (*names)[length] ? *names + length + 1 : NULL;
	return name;
}

static void add_resolved(const char *name, struct buffer *out)
{
	struct mix mix;

	if (!mix_is_one(name) || mix_parse_name(name, &mix, NULL) != STATUS_OK) {
		buffer_text(out, name);
		return;
	}
	buffer_text(out, "mix: ");
	mix_write(&mix, out);
}

void collection_resolve_mixes(struct arguments *words)
{
	static const char option[] = "--workload=";
	struct buffer text = {0};

	for (size_t i = 0; i < words->count && strcmp(words->items[i], "--") != 0; i++) {
		if (strncmp(words->items[i], option, sizeof(option) - 1) != 0)
			continue;
		const char *names = words->items[i] + sizeof(option) - 1;
		buffer_clear(&text);
		buffer_text(&text, option);
		while (names) {
			char *name = first_name(&names);
			add_resolved(name, &text);
			buffer_text(&text, names ? "," : "");
			free(name);
		}
		free(words->items[i]);
		words->items[i] = xstrdup(text.data);
	}
	buffer_free(&text);
}

enum status collection_choose(const struct collection_wanted *wanted, struct collection_choice *choice,
			      struct collection_plan *plan, struct error *err)
{
	const char *names = wanted->workloads;
	size_t *count = &plan->workload_count;
	enum status status = STATUS_OK;

	plan->workloads = choice->workloads;
	*count = 0;
	choice->command.command = NULL;
	if (!names && wanted->command) {
		char name[64];
		const char *slash = strrchr(wanted->command[0], '/');
		snprintf(name, sizeof(name), "exec:%.58s", slash ? slash + 1 : wanted->command[0]);
		return add_named(wanted, name, choice, count, err);
	}
	for (size_t i = 0; !names && workload_at(i) && status == STATUS_OK; i++)
		if (!workload_at(i)->only_named)
			status = add_workload(workload_at(i), choice->workloads, count, err);
	while (names && status == STATUS_OK) {
		char *name = first_name(&names);
		status = add_named(wanted, name, choice, count, err);
		free(name);
	}
	if (status == STATUS_OK && wanted->command && !choice->command.command) {
		error_set(err, STATUS_USAGE, "--workload", "none of %s is the command after --", wanted->workloads);
		return error_remedy(err, "name it with -w exec:NAME");
	}
	return status;
}
