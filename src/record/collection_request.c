/* SPDX-License-Identifier: MIT */
#include "record/collection_request.h"
#include "record/scratch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "record/trace_file.h"
#include "workloads/mix.h"
#include "workloads/runner/command.h"
#include "workloads/table.h"

static enum status add_workload(struct collection_request *request, const struct workload *workload, struct error *err)
{
	for (size_t i = 0; i < request->workload_count; i++)
		if (request->workloads[i] == workload)
			return error_set(err, STATUS_USAGE, "--workload", "%s is given twice; use --runs to repeat it",
					 workload->name);
	for (size_t i = 0; i < request->workload_count; i++)
		if (strcmp(request->workloads[i]->name, workload->name) == 0) {
			error_set(err, STATUS_USAGE, "--workload", "two mixes have the name %s", workload->name);
			return error_remedy(err, "give them different names: 'mix: name NAME; ...'");
		}
	if (request->workload_count == COLLECTION_WORKLOADS_MAX)
		return error_set(err, STATUS_USAGE, "--workload", "more than %d workloads", COLLECTION_WORKLOADS_MAX);
	request->workloads[request->workload_count++] = workload;
	return STATUS_OK;
}

/* The labels in "exec:NAME:CATEGORY", or NULL. */
static const char *labels_of_command(const char *name)
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

/* labels: "NAME" or "NAME:CATEGORY". */
static enum status make_command(struct collection_request *request, const char *labels, struct error *err)
{
	const char *colon = strchr(labels, ':');
	char *name = request->command_name, *category = request->command_category;
	struct buffer line = {0};

	snprintf(name, sizeof(request->command_name), "%.*s", (int)strcspn(labels, ":"), labels);
	snprintf(category, sizeof(request->command_category), "%s", colon && colon[1] ? colon + 1 : "recorded");
	if (!request->command) {
		error_set(err, STATUS_USAGE, "--workload", "exec:%s needs a command to run", name);
		return error_remedy(err, "give it after the options: -- COMMAND...");
	}
	if (!is_label(name) || workload_find(name)) {
		error_set(err, STATUS_USAGE, "--workload", "'exec:%s' cannot be the label of a command", name);
		return error_remedy(err, "give another name with -w exec:NAME: letters, digits, '_', '-', '+', '.', "
					 "and not the name of a workload");
	}
	for (char *const *argument = request->command; *argument; argument++)
		buffer_printf(&line, "%s%s", line.length ? " " : "", *argument);
	snprintf(request->command_line, sizeof(request->command_line), "%s", line.data ? line.data : "");
	buffer_free(&line);
	workload_of_command(&request->command_workload, name, category, request->command_line, request->command);
	return STATUS_OK;
}

static enum status add_named(struct collection_request *request, const char *name, struct error *err)
{
	const char *labels = labels_of_command(name);
	const struct workload *workload = &request->command_workload;
	enum status status = STATUS_OK;

	if (labels && request->command_workload.command)
		return error_set(err, STATUS_USAGE, "--workload",
				 "only one exec:NAME is possible, since there is one COMMAND");
	if (labels)
		status = make_command(request, labels, err);
	else
		status = workload_require(name, "--workload", &workload, err);
	return status == STATUS_OK ? add_workload(request, workload, err) : status;
}

/* Removes the first name from a list; sets the list to NULL after the last one. The caller frees the name. */
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

static enum status choose_workloads(struct collection_request *request, struct error *err)
{
	const char *names = request->names;
	enum status status = STATUS_OK;

	request->workload_count = 0;
	request->command_workload.command = NULL;
	if (!names && request->command) {
		char name[64];
		const char *slash = strrchr(request->command[0], '/');
		snprintf(name, sizeof(name), "exec:%.58s", slash ? slash + 1 : request->command[0]);
		return add_named(request, name, err);
	}
	for (size_t i = 0; !names && workload_at(i) && status == STATUS_OK; i++)
		if (!workload_at(i)->only_named)
			status = add_workload(request, workload_at(i), err);
	while (names && status == STATUS_OK) {
		char *name = first_name(&names);
		status = add_named(request, name, err);
		free(name);
	}
	if (status == STATUS_OK && request->command && !request->command_workload.command) {
		error_set(err, STATUS_USAGE, "--workload", "%s does not include the command after --", request->names);
		return error_remedy(err, "add exec:NAME to -w");
	}
	return status;
}

static enum status choose_scheduler(struct scheduler_choice *choice, struct error *err)
{
	char path[PATH_MAX];

	if (!choice->text)
		return STATUS_OK;
	enum status status = scheduler_spec_parse(choice->text, &choice->spec, err);
	if (status == STATUS_OK && scheduler_spec_find_fetched(&choice->spec, path, sizeof(path))) {
		free(choice->spec.words.items[0]);
		choice->spec.words.items[0] = xstrdup(path);
	}
	return status;
}

static enum status parse_size(struct collection_request *request, struct error *err)
{
	const char *text = request->size;
	const bool is_small = strncmp(text, "small", 5) == 0;
	const char *factor = !is_small ? text : strcmp(text, "small") == 0 ? "1" : text[5] == ':' ? text + 6 : "";

	request->scale = 1; /* for commands, which have no small size */
	request->small = 0;
	if (number_parse_real(factor, is_small ? &request->small : &request->scale) &&
	    (is_small ? request->small >= 0.01 && request->small <= 1000
		      : request->scale >= 0.0001 && request->scale <= 10000))
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, "--scale",
			 "expected a number from 0.0001 to 10000, small, or small:F with F from 0.01 to 1000, not '%s'",
			 text);
}

enum status collection_request_resolve(struct collection_request *request, struct error *err)
{
	if (!request->capture.clock)
		request->capture.clock = COLLECTION_CLOCK;
	if (!trace_file_is_clock(request->capture.clock, err) || parse_size(request, err) != STATUS_OK)
		return STATUS_USAGE;
	request->runs = request->runs ? request->runs : COLLECTION_RUNS;
	/* With --scheduler, read out only after the run: a tracer that wakes up would disturb the scheduler. */
	request->drain_ms = request->scheduler.text ? 0 : COLLECTION_DRAIN_MS;
	struct function_counts counted = {0};
	enum status status = function_counts_parse(request->capture.counted, &counted, err);
	function_counts_free(&counted);
	if (status == STATUS_OK)
		status = trace_file_parse_drain(request->drain, &request->drain_ms, err);
	if (status == STATUS_OK)
		status = choose_workloads(request, err);
	if (status == STATUS_OK)
		status = scratch_check(request->scratch, err);
	return status == STATUS_OK ? choose_scheduler(&request->scheduler, err) : status;
}

void collection_request_free(struct collection_request *request)
{
	scheduler_spec_free(&request->scheduler.spec);
}

enum status collection_request_set_command(struct collection_request *request, const struct operands *operands,
					   struct error *err)
{
	if (operands->count == 0)
		return STATUS_OK;
	request->command = operands->items;
	if (operands->after_dashes)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, operands->items[0], "unexpected argument");
	return error_remedy(err, "name workloads with -w; give a command after --");
}

struct workload_request collection_request_work(const struct collection_request *request, size_t index)
{
	const struct workload *workload = request->workloads[index];
	const bool is_small = request->small > 0 && workload->small_scale > 0;

	return (struct workload_request){
	    .workload = workload,
	    .scale = is_small ? request->small * workload->small_scale : request->scale,
	    .duration_s = request->duration_s,
	    .fixed_work = request->fixed_work,
	};
}

unsigned int collection_group_levels(const struct workload *workload)
{
	const struct mix *mix = workload->mix;
	unsigned int levels = 0;

	for (unsigned int group = 0; mix && group < mix->group_count; group++) {
		unsigned int count = 2;
		for (const char *at = mix->groups[group].path; *at; at++)
			count += *at == '/';
		levels = count > levels ? count : levels;
	}
	return levels;
}

static unsigned int deepest_groups(const struct collection_request *request)
{
	unsigned int levels = 0;

	for (size_t i = 0; i < request->workload_count; i++) {
		const unsigned int count = collection_group_levels(request->workloads[i]);
		levels = count > levels ? count : levels;
	}
	return levels;
}

enum status collection_capture_choose(const struct collection_request *request, struct collection_capture *capture,
				      struct error *err)
{
	*capture = (struct collection_capture){.settings = request->capture};
	enum status status =
	    keys_choose(request->keys, deepest_groups(request), &capture->keys, &capture->settings.keys, err);
	if (status != STATUS_OK)
		return status;
	capture->settings.key_levels = capture->keys.levels;
	return capture_choose_events(&capture->settings, &request->events, &capture->event_names, err);
}

void collection_capture_free(struct collection_capture *capture)
{
	keys_free(&capture->keys);
	event_names_free(&capture->event_names);
}
