/* SPDX-License-Identifier: MIT */
#include "record/collection_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/trace_file.h"

enum status collection_options_command(const struct operands *operands, struct collection_options *options,
				       struct error *err)
{
	if (operands->count == 0)
		return STATUS_OK;
	options->wanted.command = operands->items;
	if (operands->after_dashes)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, operands->items[0], "unexpected argument");
	return error_remedy(err, "name workloads with -w; give a command after --");
}

static enum status choose_scheduler(const struct collection_options *options, struct scheduler_choice *choice,
				    struct error *err)
{
	char path[PATH_MAX];

	*choice = (struct scheduler_choice){.text = options->scheduler, .stop_on_ejection = options->stop_on_ejection};
	if (!choice->text)
		return STATUS_OK;
	enum status status = scheduler_spec_parse(choice->text, &choice->spec, err);
	if (status == STATUS_OK && scheduler_spec_find_fetched(&choice->spec, path, sizeof(path))) {
		free(choice->spec.words.items[0]);
		choice->spec.words.items[0] = xstrdup(path);
	}
	return status;
}

enum status collection_options_apply(const struct collection_options *options, struct collection_choice *choice,
				     struct collection_request *request, struct error *err)
{
	size_t length = strlen(options->clock);

	/* vm.json of earlier versions has the default for all runs. */
	if (options->wanted.category && !options->wanted.command && strcmp(options->wanted.category, "recorded") != 0)
		return error_set(err, STATUS_USAGE, NULL, "--category is of COMMAND, and there is none after --");
	if (length == 0 || length >= sizeof(choice->clock) || strpbrk(options->clock, " []\n"))
		return error_set(err, STATUS_USAGE, "--clock", "'%s' is not the name of a trace clock", options->clock);
	memcpy(choice->clock, options->clock, length + 1);
	request->capture.clock = choice->clock;
	request->plan.runs = options->runs ? (unsigned int)options->runs : COLLECTION_RUNS;
	request->capture.buffer_size_kb = options->buffer_size_kb;
	request->plan.scale = options->scale;
	request->plan.small = options->small;
	request->plan.duration_s = options->duration_s;
	request->capture.migration_stacks = options->migration_stacks;
	request->keys = options->keys;
	request->events = &options->events;
	/* The buffers of a scheduler's run hold it: a tracer that wakes up would disturb the scheduler. */
	request->drain_ms = options->scheduler ? 0 : COLLECTION_DRAIN_MS;
	enum status status = trace_file_parse_drain(options->drain, &request->drain_ms, err);
	if (status == STATUS_OK)
		status = collection_choose(&options->wanted, choice, &request->plan, err);
	if (status == STATUS_OK)
		status = scratch_choose(options->scratch, &request->scratch, err);
	return status == STATUS_OK ? choose_scheduler(options, &request->scheduler, err) : status;
}
