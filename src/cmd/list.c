/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>

#include "base/wrap.h"
#include "cmd/commands.h"
#include "cmd/vm/default_set.h"
#include "print/print.h"
#include "print/table.h"
#include "scheduler/builtin_table.h"
#include "workloads/table.h"

struct list_options {
	bool json, schedulers;
};

static const struct option options[] = {
    OPTION(struct list_options, schedulers, "schedulers", .help = "show picknext's own sched_ext schedulers"),
    OPTION(struct list_options, json, "json", .help = "print a JSON array instead of text"),
    {.name = NULL},
};

static const char *named_by_default(const struct workload *workload)
{
	if (workload->only_named)
		return workload_is_vm_default(workload) ? "by default of vm" : "only if it is named with -w";
	return workload_is_vm_default(workload) ? "by default of collect and vm" : "by default of collect";
}

static void add_text(struct buffer *out)
{
	buffer_printf(out, "%-24s %-18s %s\n", "NAME", "CATEGORY", "DESCRIPTION");
	for (size_t i = 0; workload_at(i); i++) {
		const struct workload *workload = workload_at(i);
		buffer_printf(out, "\n%-24s %-18s %s\n", workload->name, workload->category, workload->description);
		buffer_text(out, "    parameters  ");
		wrap_add(workload->parameters, 16, 16, 99, out);
		buffer_printf(out, "    exercises   %s\n", workload->exercises);
		buffer_printf(out, "    tasks       %u: %s; work counted in %s\n", workload->tasks,
			      workload->task_names, workload->work_unit);
		buffer_printf(out, "    runs        %s\n", named_by_default(workload));
	}
	buffer_text(out, "\n"
			 "All are built in. --scale F multiplies loops and seconds; --duration S sets the\n"
			 "seconds of the timed ones (hackbench does fixed work, so it ignores --duration).\n"
			 "In a trace the tasks have the names above; " WORKLOAD_LEADER_NAME " is the process that\n"
			 "makes, starts and reaps them. io_mixed writes to --scratch:\n"
			 "a directory, or a block device. Mixes are written in the words of picknext help mixes,\n"
			 "which are also for mixes of your own: -w 'mix: 4 burn; 1 nap run=1ms sleep=2ms'.\n");
}

static const struct table_column columns[] = {
    {.key = "name", .kind = TABLE_TEXT},
    {.key = "category", .kind = TABLE_TEXT},
    {.key = "description", .kind = TABLE_TEXT},
    {.key = "parameters", .kind = TABLE_TEXT},
    {.key = "exercises", .kind = TABLE_TEXT},
    {.key = "task_names", .kind = TABLE_TEXT},
    {.key = "tasks", .kind = TABLE_NUMBER},
    {.key = "loops", .kind = TABLE_NUMBER},
    {.key = "duration_s", .kind = TABLE_RATE},
    {.key = "work_unit", .kind = TABLE_TEXT},
    {.key = "needs_scratch", .kind = TABLE_BOOLEAN},
    {.key = "default_of_collect", .kind = TABLE_BOOLEAN},
    {.key = "default_of_vm", .kind = TABLE_BOOLEAN},
    {.key = "small_scale", .kind = TABLE_RATE},
    {.key = NULL},
};

static void fill_rows(struct table *table)
{
	for (size_t i = 0; workload_at(i); i++) {
		const struct workload *workload = workload_at(i);
		bool is_timed = workload->loops == 0;

		table_string(table, workload->name);
		table_string(table, workload->category);
		table_string(table, workload->description);
		table_string(table, workload->parameters);
		table_string(table, workload->exercises);
		table_string(table, workload->task_names);
		table_number(table, workload->tasks);
		TABLE_NUMBER_IF(table, !is_timed, workload->loops);
		TABLE_NUMBER_IF(table, is_timed, (uint64_t)(workload->duration_s * 1000 + 0.5));
		table_string(table, workload->work_unit);
		table_number(table, workload->needs_scratch);
		table_number(table, !workload->only_named);
		table_number(table, workload_is_vm_default(workload));
		table_number(table, (uint64_t)(workload->small_scale * 1000 + 0.5));
	}
}

static const struct table_column scheduler_columns[] = {
    {.key = "name", .kind = TABLE_TEXT},
    {.key = "ops", .kind = TABLE_TEXT},
    {.key = "description", .kind = TABLE_TEXT},
    {.key = "algorithm", .kind = TABLE_TEXT},
    {.key = NULL},
};

static void add_scheduler_text(struct buffer *out)
{
	buffer_printf(out, "%-24s %s\n", "NAME", "DESCRIPTION");
	for (const struct builtin_scheduler *one = builtin_scheduler_table; one->name; one++) {
		buffer_printf(out, "\n%-24s %s\n    kernel's name  %s\n    algorithm      ", one->name,
			      one->description, one->ops);
		wrap_add(one->algorithm, 19, 19, 79, out);
	}
	buffer_text(out, "\nSlices end at a timer tick: every 4 ms on Debian. For --scheduler of picknext vm and "
			 "collect; they need a\n"
			 "kernel with SCHED_CLASS_EXT and BTF. "
			 "--scheduler also takes any program that loads a scheduler.\n");
}

static void fill_scheduler_rows(struct table *table)
{
	for (const struct builtin_scheduler *one = builtin_scheduler_table; one->name; one++) {
		table_string(table, one->name);
		table_string(table, one->ops);
		table_string(table, one->description);
		table_string(table, one->algorithm);
	}
}

static int run_list(const struct call *call)
{
	const struct list_options *values = call->values;
	struct table table = table_of(values->schedulers ? scheduler_columns : columns);
	struct buffer out = {0};
	struct json_writer json = {.out = &out};

	if (values->json) {
		(values->schedulers ? fill_scheduler_rows : fill_rows)(&table);
		table_write_json(&table, &json, NULL);
		table_free(&table);
		buffer_text(&out, "\n");
	} else {
		(values->schedulers ? add_scheduler_text : add_text)(&out);
	}
	return print_buffer(&out);
}

const struct command command_list = {
    .name = "list",
    .summary = "show the built-in workloads",
    .operands = "",
    .details = "For each workload: its name, category (one can be held out for test_unseen), description, parameters, "
	       "the part\n"
	       "of the scheduler that it exercises, and the names of its tasks in a trace.",
    .examples = "  picknext list                            # as text\n"
		"  picknext list --json | jq -r '.[].name'  # the names alone",
    .options = options,
    .values_size = sizeof(struct list_options),
    .run = run_list,
};
