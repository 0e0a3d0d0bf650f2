/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/json.h"
#include "cmd/commands.h"
#include "term/print.h"
#include "workloads/table.h"

struct values {
	bool json;
};

static const struct option options[] = {
    OPTION(struct values, json, "json", .help = "print a JSON array instead of text"),
    {.name = NULL},
};

static void add_text(struct buffer *out)
{
	buffer_printf(out, "%-24s %-18s %s\n", "NAME", "CATEGORY", "DESCRIPTION");
	for (size_t i = 0; workload_table[i]; i++) {
		const struct workload *workload = workload_table[i];
		buffer_printf(out, "\n%-24s %-18s %s\n", workload->name, workload->category, workload->description);
		buffer_printf(out, "    parameters  %s\n", workload->parameters);
		buffer_printf(out, "    exercises   %s\n", workload->exercises);
		buffer_printf(out, "    tasks       %u: %s; work counted in %s\n", workload->tasks,
			      workload->task_names, workload->work_unit);
	}
	buffer_text(out, "\n"
			 "All are built in. --scale F multiplies loops and seconds; --duration S sets the\n"
			 "seconds of the timed ones (hackbench does fixed work, so it ignores --duration).\n"
			 "In a trace the tasks have the names above; " WORKLOAD_LEADER_NAME " is the process that\n"
			 "makes, starts and reaps them. io_mixed writes to --scratch:\n"
			 "a directory, or a block device.\n");
}

static void add_json_workload(struct json_writer *json, const struct workload *workload)
{
	json_object_begin(json, NULL);
	json_text(json, "name", workload->name);
	json_text(json, "category", workload->category);
	json_text(json, "description", workload->description);
	json_text(json, "parameters", workload->parameters);
	json_text(json, "exercises", workload->exercises);
	json_text(json, "task_names", workload->task_names);
	json_u64(json, "tasks", workload->tasks);
	if (workload->loops)
		json_u64(json, "loops", workload->loops);
	else
		json_null(json, "loops");
	if (workload->loops)
		json_null(json, "duration_s");
	else
		json_real(json, "duration_s", workload->duration_s, 3);
	json_text(json, "work_unit", workload->work_unit);
	json_bool(json, "needs_scratch", workload->needs_scratch);
	json_object_end(json);
}

static void add_json(struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_array_begin(&json, NULL);
	for (size_t i = 0; workload_table[i]; i++)
		add_json_workload(&json, workload_table[i]);
	json_array_end(&json);
	buffer_text(out, "\n");
}

int list_print(bool json)
{
	struct buffer out = {0};

	if (json)
		add_json(&out);
	else
		add_text(&out);
	return print_buffer(&out);
}

static int run(const struct call *call)
{
	struct values *values = call->values;

	return list_print(values->json);
}

const struct command command_list = {
    .name = "list",
    .summary = "show the built-in workloads",
    .operands = "",
    .details =
	"For each workload: its name, category (the unseen split holds one out), description, parameters, the part\n"
	"of the scheduler that it exercises, and the names of its tasks in a trace.",
    .examples = "  picknext list                            # as text\n"
		"  picknext list --json | jq -r '.[].name'  # the names alone",
    .options = options,
    .values_size = sizeof(struct values),
    .run = run,
};
