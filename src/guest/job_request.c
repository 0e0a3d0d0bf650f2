/* SPDX-License-Identifier: MIT */
#include "guest/job_request.h"

#include <stdint.h>

static const struct option rows[] = {
    COLLECTION_OPTION_ROWS(struct job_options, collection, NULL),
    OPTION(struct job_options, no_trace, "no-trace"),
    OPTION(struct job_options, shell, "shell"),
    {.name = NULL},
};

const struct command job_command = {.name = "vm",
				    .operands = "[-- COMMAND...]",
				    .operands_max = SIZE_MAX,
				    .options = rows,
				    .values_size = sizeof(struct job_options)};

enum status job_request_fill(struct collection_options *options, const struct job *job,
			     struct collection_choice *choice, struct collection_request *request, struct error *err)
{
	options->runs = 1;
	options->scheduler = job->scheduler;
	if (!(options->scale > 0)) {
		options->small = options->small > 0 ? options->small : 1;
		options->scale = 1; /* of commands, which have no small size */
	}
	enum status status = collection_options_apply(options, choice, request, err);
	/* The tracer of a scheduler's guest sleeps while a workload runs, unless it has a CPU. */
	if (!options->drain && job->isolated_by_affinity)
		request->drain_ms = COLLECTION_DRAIN_MS;
	return status;
}

enum status job_request_parse(const struct job *job, struct job_values *values, struct collection_request *request,
			      struct error *err)
{
	struct job_options *options = &values->options;
	struct operands operands;
	int argc = 0;

	for (; job->words[argc]; argc++) {
		values->argv[argc] = (char *)(uintptr_t)job->words[argc];
		arguments_add(&values->recipe.words, "%s", job->words[argc]);
	}
	request->recipe = &values->recipe;
	enum status status = options_parse(&job_command, options, argc, values->argv, &operands, err);
	if (status == STATUS_OK)
		status = collection_options_command(&operands, &options->collection, err);
	request->untraced = options->no_trace;
	return status == STATUS_OK ? job_request_fill(&options->collection, job, &values->choice, request, err)
				   : status;
}
