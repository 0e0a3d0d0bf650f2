/* SPDX-License-Identifier: MIT */
#include "guest/agent.h"

#include <stdint.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "record/collection_options.h"
#include "vm/protocol/job.h"

struct job_options {
	struct collection_options collection;
};

static const struct option job_rows[] = {
    COLLECTION_OPTION_ROWS(struct job_options, collection, COLLECTION_RUNS_HELP, COLLECTION_SCALE),
    COLLECTION_SCHEDULER_ROW(struct job_options, collection),
    COLLECTION_SCRATCH_ROW(struct job_options, collection),
    {0},
};

static const struct command job_command = {
    .name = "/job/arguments", .operands = "", .operands_max = SIZE_MAX, .options = job_rows};

/* Storage of what the request of a job points to. */
struct job_values {
	char *argv[JOB_ARGUMENTS_MAX + 2];
	struct job_options options;
	struct collection_choice choice;
};

/* Parses the arguments like picknext collect. */
static enum status parse_job(const struct guest_parser *parser, const char *const *arguments,
			     struct collection_request *request, struct error *err)
{
	struct job_values *values = parser->context;
	struct operands operands;
	int argc = 1;

	values->argv[0] = (char *)(uintptr_t)job_command.name;
	for (; arguments[argc - 1]; argc++)
		values->argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
	enum status status = options_parse(&job_command, &values->options, argc, values->argv, &operands, err);
	if (status == STATUS_OK)
		status = collection_options_command(&operands, &values->options.collection, err);
	if (status == STATUS_OK)
		status = collection_options_apply(&values->options.collection, &values->choice, request, err);
	return status;
}

static int run(const struct call *call)
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
    .run = run,
    .hidden = true,
};
