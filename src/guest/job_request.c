/* SPDX-License-Identifier: MIT */
#include "guest/job_request.h"

#include <stdint.h>
#include <string.h>

static const struct option rows[] = {
    COLLECTION_OPTION_ROWS(struct job_options, collection, GUEST_SCALE),
    COUNT_OPTION_ROW(struct job_options, collection),
    OPTION(struct job_options, no_trace, "no-trace"),
    OPTION(struct job_options, shell, "shell"),
    {.name = NULL},
};

const struct command job_command = {.name = "vm",
				    .operands = "[-- COMMAND...]",
				    .operands_max = SIZE_MAX,
				    .options = rows,
				    .values_size = sizeof(struct job_options)};

enum status job_request_fill(struct collection_request *request, const struct job *job, struct error *err)
{
	request->runs = 1;
	request->scheduler.text = job->scheduler;
	enum status status = collection_request_resolve(request, err);
	/* Under a scheduler of sched_ext the tracer sleeps while a workload runs, unless it has a CPU of its own. */
	if (!request->drain && job->isolated_by_affinity)
		request->drain_ms = COLLECTION_DRAIN_MS;
	return status;
}

enum status job_request_parse(const struct job *job, struct job_values *values, struct error *err)
{
	struct collection_request *request = &values->options.collection;
	struct operands operands;
	int argc = 0;

	for (; job->words[argc]; argc++) {
		values->argv[argc] = (char *)(uintptr_t)job->words[argc];
		arguments_add(&values->recipe.words, "%s", job->words[argc]);
	}
	enum status status = options_parse(&job_command, &values->options, argc, values->argv, &operands, err);
	if (status == STATUS_OK)
		status = collection_request_set_command(request, &operands, err);
	request->recipe = &values->recipe;
	request->untraced = values->options.no_trace;
	if (request->keys && strcmp(request->keys, "if-possible") == 0 && !job->identity)
		request->keys = "no"; /* they cost real time */
	return status == STATUS_OK ? job_request_fill(request, job, err) : status;
}
