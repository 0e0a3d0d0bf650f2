/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/known_workloads.h"
#include "measure/trace_diff.h"
#include "print/analysis_print.h"
#include "print/diff_text.h"
#include "print/print.h"
#include "print/terminal.h"
#include "runs/run.h"

struct diff_options {
	struct analysis_options analysis;
	struct task_choice tasks_wanted; /* selected by name only */
	uint64_t context;
	const char *events, *by;
	bool exact, tasks, all_tasks;
};

static const struct option options[] = {
    OPTION_CHOICES(struct diff_options, events, "events", "switch|all", .argument = "WHICH",
		   .help = "what to compare: switches, or also wakeups, migrations and marks", .fallback = "switch"),
    OPTION_CHOICES(struct diff_options, by, "by", "task|comm", .argument = "WHAT",
		   .help = "which tasks are the same: task, by name and order of creation;\ncomm, by name alone",
		   .fallback = "task"),
    OPTION(struct diff_options, tasks_wanted.comms, "comm", .argument = "NAME",
	   .help = "only events of tasks of this name (wildcards * and ?);\nrepeatable"),
    OPTION(struct diff_options, all_tasks, "all-tasks",
	   .help = "compare all tasks from the first event on, not only\nthose of the workload"),
    OPTION(struct diff_options, context, "context", .letter = 'n', .argument = "N",
	   .help = "show N events before and after the first difference", .fallback = "5", .max = DIFF_CONTEXT_MAX),
    OPTION(struct diff_options, tasks, "tasks", .help = "list which task of A was matched with which of B"),
    OPTION(struct diff_options, exact, "exact", .help = "compare every event of any kind byte by byte, with its time"),
    ANALYSIS_OPTION_ROWS(struct diff_options, analysis),
    {.name = NULL},
};

static enum status compare_exactly(const struct diff_options *values, const struct operands *operands, bool *differ,
				   struct error *err)
{
	const struct analysis_options *wanted = &values->analysis;
	struct exact_difference difference;
	struct buffer out = {0};

	if (values->tasks_wanted.comms.count || values->tasks || wanted->csv || wanted->pass.cpus ||
	    wanted->pass.from > 0 || wanted->pass.to > 0 || wanted->pass.from_mark || wanted->pass.to_mark)
		return error_set(
		    err, STATUS_USAGE, NULL,
		    "--exact compares whole traces; leave out --csv, --tasks, --comm, --cpu, --from, --to and marks");
	enum status status = STATUS_OK;
	for (size_t i = 0; i < 2 && wanted->pass.output && status == STATUS_OK; i++)
		status = input_refuse_overwriting(operands->items[i], wanted->pass.output, err);
	if (status != STATUS_OK)
		return status;
	status = exact_difference_find(operands->items[0], operands->items[1], &difference, err);
	if (status != STATUS_OK)
		return status;
	*differ = difference.found;
	diff_output_add_exact(&difference, wanted->json, &out);
	status = print_to_output(wanted->pass.output, &out, err);
	buffer_free(&out);
	return status;
}

static enum status print_result(const struct diff_options *given, struct trace_diff *diff, struct error *err)
{
	const struct analysis_options *wanted = &given->analysis;
	const struct diff_output output = {
	    .json = wanted->json,
	    .csv = wanted->csv,
	    .tasks = given->tasks,
	    .context = given->context,
	    .width = wanted->pass.output ? 0 : terminal_width(),
	};
	struct buffer out = {0};
	enum status status = diff_output_add(&output, diff, &out, err);

	if (status == STATUS_OK)
		status = print_to_output(wanted->pass.output, &out, err);
	buffer_clear(&out);
	diff_output_add_verdict(diff, &out);
	if (status == STATUS_OK && (wanted->csv || wanted->pass.output) && out.length)
		message_info("%.*s", (int)out.length - 1, out.data);
	buffer_free(&out);
	return status;
}

/* Finds the tasks of the workload if the metadata of both runs show the same workload; otherwise all tasks are
 * compared. A file that only looks like metadata, such as the output of another command, is not an error. */
static void choose_workload(const struct operands *operands, struct run runs[2], struct trace_diff *diff)
{
	for (int i = 0; i < 2; i++) {
		struct error err = {0};
		char text[512];
		if (run_open(&runs[i], operands->items[i], &err) != STATUS_OK) {
			error_text(&err, text, sizeof(text));
			message_warning("all tasks are compared, because the workload is unknown: %s", text);
			return;
		}
		diff->workloads[i] = known_tasks_of(&runs[i]);
		if (!run_has_metadata(&runs[i]) || !run_is_of(&runs[i], runs[0].workload) ||
		    (!diff->workloads[i].task_names && !diff->workloads[i].root_count))
			return;
	}
	diff->workload_only = true;
}

/* *differ: the traces differ. */
static enum status compare_traces(const struct diff_options *given, const struct operands *operands, bool *differ,
				  struct error *err)
{
	struct trace_diff diff = {
	    .window = &given->analysis.pass,
	    .tasks_wanted = &given->tasks_wanted,
	    .all_events = strcmp(given->events, "all") == 0,
	    .by_comm = strcmp(given->by, "comm") == 0,
	    .warn = analysis_warn,
	};
	char warning[INPUT_WARNING_SIZE];
	struct run runs[2] = {{0}};
	enum status status = STATUS_OK;

	for (int i = 0; i < 2 && status == STATUS_OK; i++)
		status = input_open(&diff.inputs[i], operands->items[i], err);
	for (int i = 0; i < 2 && status == STATUS_OK; i++)
		if (input_skipped_text(&diff.inputs[i], warning, sizeof(warning)))
			message_warning("%s", warning);
	if (status == STATUS_OK && !given->all_tasks)
		choose_workload(operands, runs, &diff);
	if (status == STATUS_OK)
		status = diff_compare(&diff, err);
	if (status == STATUS_OK)
		status = print_result(given, &diff, err);
	*differ = diff.first;
	trace_diff_free(&diff);
	for (int i = 0; i < 2; i++)
		run_free(&runs[i]);
	return status;
}

static int run_diff(const struct call *call)
{
	struct diff_options *given = call->values;
	bool differ = false;
	struct error err = {0};

	interrupt_catch();
	enum status status = analysis_check_options(&given->analysis, &err);
	if (status == STATUS_OK)
		status = given->exact ? compare_exactly(given, &call->operands, &differ, &err)
				      : compare_traces(given, &call->operands, &differ, &err);
	return status == STATUS_OK ? differ : print_failure(&err);
}

const struct command command_diff = {
    .name = "diff",
    .summary = "compare two traces switch by switch: where they diverge",
    .operands = "A B",
    .operands_min = 2,
    .operands_max = 2,
    .details =
	"Compares the switches of each CPU of trace A with those of trace B, in their order; times do not matter. A\n"
	"switch is the same if the same task leaves for the same reason (S, D, R, R+...) and the same task comes.\n"
	"PIDs do not matter either: tasks are matched by name, and those of one name in the order in which they\n"
	"were created (by PID if they existed before the trace). A and B are trace.dat files, the kernel's text\n"
	"traces, or - (one of them).\n\n"
	"Of two runs of one workload, only its tasks and the idle task are compared, from its start on: a switch to\n"
	"a kernel thread and back is no difference. --all-tasks compares everything.\n\n"
	"The traces diverge at the first event of any CPU that is different. It is shown with the events before and\n"
	"after it, those of both traces one below the other.\n\n"
	"--exact is for runs that must repeat byte by byte (picknext vm --mode deterministic). Of text traces it\n"
	"compares the scheduler's events and marks; of other events only time and CPU.\n\n"
	"Exit code 0: no difference (times and PIDs may differ, except with --exact); 1: the traces differ.",
    .examples = "  picknext diff 6.12/raw/io_mixed_run1.dat 6.12/raw/io_mixed_run2.dat\n"
		"  picknext diff --by comm --cpu 0-1 before.dat after.dat   # equal workers are interchangeable\n"
		"  picknext diff --events all -n 20 a.dat b.dat             # wakeups and migrations as well\n"
		"  picknext diff --exact first.dat again.dat && echo identical",
    .options = options,
    .values_size = sizeof(struct diff_options),
    .run = run_diff,
};
