/* SPDX-License-Identifier: MIT */
#include "guest/agent.h"

#include <stdint.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/vm/vm_options.h"
#include "runs/recipe.h"
#include "vm/protocol/job.h"

/* Storage of what the request of a job points to. */
struct job_values {
	char *argv[JOB_WORDS_MAX + 1];
	struct vm_options options;
	struct collection_choice choice;
	struct recipe recipe;
};

static enum status parse_job(const struct guest_parser *parser, const struct job *job,
			     struct collection_request *request, struct error *err)
{
	struct job_values *values = parser->context;
	struct operands operands;
	int argc = 0;

	for (; job->words[argc]; argc++) {
		values->argv[argc] = (char *)(uintptr_t)job->words[argc];
		arguments_add(&values->recipe.words, "%s", job->words[argc]);
	}
	request->recipe = &values->recipe;
	enum status status = options_parse(&vm_recipe_command, &values->options, argc, values->argv, &operands, err);
	if (status == STATUS_OK)
		status = collection_options_command(&operands, &values->options.collection, err);
	request->untraced = values->options.launch.no_trace;
	return status == STATUS_OK ? vm_options_collection(&values->options, job, &values->choice, request, err)
				   : status;
}

static int run_guest(const struct call *call)
{
	struct job_values *values = call->values;
	const struct guest_parser parser = {.parse = parse_job, .context = values};

	interrupt_catch();
	return guest_run_job(&parser);
}

static const struct option options[] = {{0}};

const struct command command_guest = {
    .name = "guest",
    .summary = "do the job of a virtual machine, inside it",
    .operands = "",
    .details =
	"/init runs this in virtual machines of picknext vm. It reads /job, records into memory, and sends each\n"
	"trace through the shared directory or through shared memory.\n\n"
	"Exit codes: picknext's own; 28 if the shared directory or the guest's memory is full;\n"
	"29 if the command failed.",
    .examples = "  picknext vm --kernel vmlinuz -o out --shell   # a shell in such a machine, to try it by hand",
    .options = options,
    .values_size = sizeof(struct job_values),
    .run = run_guest,
    .hidden = true,
};
