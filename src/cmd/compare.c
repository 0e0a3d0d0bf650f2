/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/ordered.h"
#include "base/output_file.h"
#include "base/output_stream.h"
#include "cmd/commands.h"
#include "cmd/known_workloads.h"
#include "compare/remarks.h"
#include "compare/run_facts.h"
#include "compare/run_pairs.h"
#include "compare/run_reader.h"
#include "print/analysis_print.h"
#include "print/forms.h"
#include "print/gate_warnings.h"
#include "print/metric_list.h"
#include "print/print.h"
#include "print/terminal.h"

struct compare_options {
	struct comparison_choice choice;
	struct option_list gates;
	struct run_set_options sets;
	const char *output, *junit, *inconclusive, *format, *baseline, *instance;
	const char *details; /* NULL: not given */
	bool json, csv, list;
	uint64_t jobs;
};

static const struct option options[] = {
    RUN_SET_OPTION_ROWS(struct compare_options, sets),
    OPTION_CHOICES(struct compare_options, sets.by, "by", "comm", .argument = "WHAT",
		   .help = "comm: metrics for each name of a workload's tasks"),
    OPTION(struct compare_options, choice.metrics, "metric", .letter = 'm', .argument = "NAME",
	   .help = "only these metrics, with the same patterns; --list shows all"),
    OPTION_CHOICES(struct compare_options, details, "details", "usual|changed|all", .argument = "WHICH",
		   .bare = "usual",
		   .help = "a table per workload with all metrics, values and intervals (default\n"
			   "for one workload; several have an overview with a row each). changed: only\n"
			   "metrics that differ (JSON and CSV have all rows). all: also metrics without\n"
			   "a value, or 0 in all runs, and workloads that only one set has"),
    COMPARISON_MARGIN_ROW(struct compare_options, choice.margin_percent),
    OPTION(struct compare_options, choice.strict, "strict",
	   .help = "report unclear unless significant after correction for many\nmetrics and workloads (else these "
		   "verdicts have a ?)"),
    OPTION(struct compare_options, gates, "fail-if", .letter = 'f', .argument = "GATE",
	   .help = "exit with 1 if GATE fails; repeatable; results are printed first (-q: only results)"),
    OPTION(struct compare_options, baseline, "baseline", .argument = "DIR",
	   .help = "the first set, which was recorded and stored before. Refused if anything\nbut the kernel differs "
		   "(picknext, QEMU, scale, CPUs...)"),
    OPTION_CHOICES(struct compare_options, inconclusive, "inconclusive", "pass|fail", .argument = "RESULT",
		   .help = "a gate that the runs cannot decide passes with a warning, or\nends in exit code 5",
		   .fallback = "pass"),
    OPTION(struct compare_options, junit, "junit", .argument = "FILE",
	   .help = "also write JUnit XML to FILE: a test case for each gate, or without\ngates each metric"),
    OPTION(struct compare_options, json, "json", .help = "write JSON instead of a table, with the values of every run"),
    OPTION(struct compare_options, csv, "csv", .help = "write CSV instead"),
    OPTION_CHOICES(struct compare_options, format, "format", compare_form_choices, .argument = "NAME",
		   .help = "write a form for other programs instead (picknext help gates)"),
    OPTION(struct compare_options, output, "output", .letter = 'o', .argument = "FILE",
	   .help = "write to FILE instead of standard output"),
    JOBS_OPTION_ROW(struct compare_options, jobs),
    OPTION_INSTANCE(struct compare_options, instance),
    OPTION(struct compare_options, list, "list",
	   .help = "show all metrics and what they mean; refuses wrong gates of --fail-if"),
    {.name = NULL},
};

static const struct compare_form *choose_form(const struct compare_options *values)
{
	return compare_form_find(values->json     ? "json"
				 : values->csv    ? "csv"
				 : values->format ? values->format
						  : "text");
}

static bool wants(const struct compare_options *values, const char *details)
{
	return values->details && strcmp(values->details, details) == 0;
}

static enum status check_forms(const struct compare_options *values, struct error *err)
{
	if (values->json + values->csv + (values->format != NULL) > 1)
		return error_set(err, STATUS_USAGE, NULL, "--json, --csv and --format are mutually exclusive");
	return STATUS_OK;
}

static enum status check_outputs(const struct compare_options *values, struct error *err)
{
	const char *output = values->output ? values->output : "-";
	enum status status = output_check_pair(output, "--output", values->junit, "--junit", err);

	if (status == STATUS_OK && values->output)
		status = output_check(values->output, err);
	if (status == STATUS_OK && values->junit)
		status = output_check(values->junit, err);
	return status;
}

/* Metrics of gates are always shown. */
static enum status choose_metrics(const struct run_sets *sets, struct compare_gates *gates,
				  struct comparison_choice *choice, struct error *err)
{
	struct option_list *metrics = &choice->metrics;

	if (comparison_check_metrics(sets, metrics, err) != STATUS_OK)
		return err->status;
	if (compare_gates_find(gates, sets, err) != STATUS_OK)
		return err->status;
	for (size_t i = 0, gated = 0; i < gates->count; i++) {
		if (!gates->gates[i].metric)
			continue; /* on vm --reached */
		choice->gated[gated++] = gates->gates[i].metric;
		if (metrics->count && metrics->count < OPTION_LIST_MAX)
			metrics->items[metrics->count++] = gates->gates[i].condition.name;
	}
	comparison_choose_needs(sets, choice);
	return STATUS_OK;
}

/* Called before any trace is read, because reading can take long. */
static enum status check_request(const struct compare_options *values, const struct operands *operands,
				 struct compare_gates *gates, struct error *err)
{
	enum status status = STATUS_OK;

	if (operands->count == 0 && !values->baseline)
		return error_set(err, STATUS_USAGE, "compare", "missing argument: two or more directories or traces");
	status = check_forms(values, err);
	if (status == STATUS_OK)
		status = check_outputs(values, err);
	return status == STATUS_OK ? compare_gates_parse(&values->gates, gates, err) : status;
}

static enum status check_sets(const struct run_sets *sets, struct error *err)
{
	if (sets->count >= 2 && sets->count <= COMPARISON_SETS_MAX)
		return STATUS_OK;
	if (sets->count > COMPARISON_SETS_MAX)
		return error_set(err, STATUS_USAGE, "compare", "%zu sets of runs; at most %d can be compared",
				 sets->count, COMPARISON_SETS_MAX);
	error_set(err, STATUS_USAGE, sets->count ? sets->items[0].operand : "compare", "is only one set of runs");
	return error_remedy(err, "name another set to compare it with");
}

static enum status write_file(const struct compare_options *values, struct buffer *out, struct error *err)
{
	enum status status = print_to_output(values->output, out, err);

	buffer_free(out);
	return status;
}

static enum status write_all(const struct compare_options *values, const struct compare_output *output,
			     struct error *err)
{
	struct buffer out = {0};

	if (values->junit) {
		compare_write_junit(output, &out);
		enum status status = output_write(values->junit, out.data, out.length, err);
		buffer_free(&out);
		if (status != STATUS_OK)
			return status;
	}
	choose_form(values)->write(output, &out);
	return write_file(values, &out, err);
}

/* The exit code for the results of the gates. */
static int conclude(const struct compare_gates *gates)
{
	if (gates->results[GATE_FAIL])
		return 1;
	return gates->results[GATE_INCONCLUSIVE] && gates->inconclusive_fails ? 5 : 0;
}

static int compare_sets(struct compare_options *values, struct compare_gates *gates, struct run_sets *sets,
			struct error *err)
{
	struct remarks remarks = {0};
	struct comparison_rows rows;

	run_sets_pair(sets);
	comparison_rows_make(sets, &values->choice, &rows);
	enum status status = compare_gates_judge(gates, &rows, values->choice.strict, err);
	if (status == STATUS_OK) {
		const struct compare_output output = {.rows = &rows,
						      .choice = &values->choice,
						      .gates = gates,
						      .remarks = &remarks,
						      /* The table of one workload fits on a screen. */
						      .overview = !values->details && rows.workload_count > 1,
						      .all = wants(values, "all"),
						      .changed = wants(values, "changed"),
						      .gates_only = gates->count && message_level() == MESSAGE_QUIET,
						      .width = values->output ? 0 : terminal_width()};
		remarks_make(&rows, &remarks);
		status = write_all(values, &output, err);
	}
	bool is_text = choose_form(values)->write == compare_write_text && !values->output;
	if (status == STATUS_OK)
		compare_gates_warn(gates, &rows, !is_text);
	for (size_t i = 0; status == STATUS_OK && values->csv && i < remarks.lines.count; i++)
		fprintf(stderr, "%*s%s\n", (int)remarks.lines.items[i].indent, "", remarks.lines.items[i].text);
	remarks_free(&remarks);
	comparison_rows_free(&rows);
	if (status != STATUS_OK)
		return print_failure(err);
	return conclude(gates);
}

static int list_metrics(const struct compare_options *values, struct compare_gates *gates, struct error *err)
{
	struct run_sets none = {0};
	struct buffer list = {0};
	enum status status = compare_gates_parse(&values->gates, gates, err);

	if (status == STATUS_OK)
		status = run_sets_list(NULL, 0, NULL, &none, err);
	if (status == STATUS_OK)
		status = compare_gates_find(gates, &none, err);
	run_sets_free(&none);
	if (status != STATUS_OK)
		return message_error(err);
	metric_list_add(terminal_width(), &list);
	return print_buffer(&list);
}

static bool is_below(const char *path, const char *directory)
{
	const size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* Sets directories to the baseline, if there is one, and the operands. */
static enum status list_sets(const struct compare_options *values, const struct operands *directories,
			     struct run_sets *sets, struct error *err)
{
	enum status status = run_sets_list(directories->items, directories->count, &values->sets, sets, err);

	if (status != STATUS_OK || !values->baseline)
		return status;
	if (sets->count > directories->count && is_below(sets->items[1].operand, values->baseline))
		return error_set(err, STATUS_USAGE, values->baseline, "holds several sets; name one as the baseline");
	return run_sets_check_baseline(sets, err);
}

static enum status read_sets(struct compare_options *values, const struct operands *operands,
			     struct compare_gates *gates, struct run_sets *sets, struct error *err)
{
	struct operands directories = {.items = xcalloc(operands->count + 1, sizeof(*directories.items))};

	if (values->baseline)
		directories.items[directories.count++] = (char *)values->baseline;
	for (size_t i = 0; i < operands->count; i++)
		directories.items[directories.count++] = operands->items[i];
	enum status status = run_set_options_check(&values->sets, &directories, err);
	if (status == STATUS_OK)
		status = list_sets(values, &directories, sets, err);
	free(directories.items);
	if (status == STATUS_OK)
		status = check_sets(sets, err);
	if (status == STATUS_OK)
		status = choose_metrics(sets, gates, &values->choice, err);
	if (status == STATUS_OK)
		status = run_sets_refuse_overwriting(sets, values->output, err);
	if (status == STATUS_OK)
		status = run_sets_refuse_overwriting(sets, values->junit, err);
	return status == STATUS_OK
		   ? run_sets_read(sets, values->sets.allowed & ALLOW_LOSSY, (unsigned int)values->jobs, err)
		   : status;
}

static int run_compare(const struct call *call)
{
	struct error err = {0};
	struct compare_options *values = call->values;
	struct compare_gates gates = {.inconclusive_fails = strcmp(values->inconclusive, "fail") == 0};
	struct run_sets sets = {0};
	int exit_code;

	if (values->list)
		return list_metrics(values, &gates, &err);
	if (check_request(values, &call->operands, &gates, &err) != STATUS_OK)
		return message_error(&err);
	interrupt_catch();
	if (read_sets(values, &call->operands, &gates, &sets, &err) != STATUS_OK)
		exit_code = message_error(&err);
	else
		exit_code = compare_sets(values, &gates, &sets, &err);
	compare_gates_free(&gates);
	run_sets_free(&sets);
	return exit_code;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "compare sets of runs, such as two kernels",
    .operands = "A B...",
    .operands_max = SIZE_MAX,
    .details =
	"A and B are directories of runs, as picknext vm, collect and all write them (DIR/raw if there is one),\n"
	"or single traces (- is standard input). A directory of such directories is several sets. The JSON of a\n"
	"trace names its workload, else its file name does, as in NAME_run1; for single traces --as WORKLOAD\n"
	"overrides both. Metrics are of the workload's own tasks; for a command (exec:NAME, picknext record) these\n"
	"are the command and everything that it started. All other sets are compared with the first. For each\n"
	"workload and metric --details shows\n"
	"  A, B, C...      the median over the runs of each set; microseconds above 10,000 as ms\n"
	"  change          of the median, in percent of A (from +1000 % on as a factor, x11.0); an absolute\n"
	"                  difference if A is 0\n"
	"  95 % interval   of the change, from the order statistics of both sets\n"
	"  verdict         better, worse, or different if neither direction is better: the interval does not\n"
	"                  contain 0. equal: the whole interval is within the margin (--margin). negligible: it is\n"
	"                  within the floor of the metric (--list), too small to matter. unclear: neither\n"
	"                  was shown; the number is the largest difference that could have been missed, and\n"
	"                  the runs are about the number that each set needs to decide it; small: the interval\n"
	"                  excludes 0, but the change is below the floor and the interval is not. Sets\n"
	"                  with fewer than 5 runs of a workload get no verdict. not exercised: the same value in\n"
	"                  all runs, such as 0; it is no test, and only counted\n"
	"A rate of rare events is shown as their number in a run, such as 1 in 0.81 s.\n"
	"Up to 5 in 100 metrics differ by chance; the last lines count these. A verdict with a ? is not\n"
	"significant after correction. picknext help statistics has the methods.\n\n"
	"Runs of one seed are the same up to the first decision that differs. The test does not pair them, but\n"
	"compare names the earliest such difference that follows equal switches, or is itself a pick. A workload\n"
	"whose runs are the same in both sets is not affected.\n"
	"Faults that the kernels of guests reported on their consoles (WARNING, BUG, a stall) are reported first,\n"
	"and before all metrics differences other than the kernel (HZ, preemption, CPUs, clock, accelerator,\n"
	"scale...).\n\n"
	"Traces of other tracers need no JSON: in a directory, WORKLOAD_run1.dat, WORKLOAD_run2.dat...\n"
	"(trace-cmd) or .txt (the kernel's text) are runs of WORKLOAD. Only recorded events are compared:\n"
	"sched_switch, sched_wakeup, sched_wakeup_new and sched_migrate_task give every metric except\n"
	"throughput, which a JSON beside the trace can provide (picknext help formats).\n"
	"\n"
	"GATE is [WORKLOAD:]METRIC OP NUMBER[%], OP one of < <= > >=. With % it tests the change: it fails if\n"
	"the median changed that much and the interval does not contain 0, and is inconclusive if it does not\n"
	"fail but the interval reaches that far. Without % it tests the median of each later set. The exit code\n"
	"is 1 if a gate fails. See picknext help gates.",
    .examples = "  picknext compare out/6.1.0-50-amd64 out/6.12.95+deb12-amd64\n"
		"  picknext compare out                                   # every kernel in it against the first\n"
		"  picknext compare traces out/6.12.95+deb12-amd64        # this machine (picknext collect), a guest\n"
		"  picknext compare out/6.12.95+deb12-amd64 theirs        # theirs/io_mixed_run1.dat...: by trace-cmd\n"
		"  picknext compare out --details                         # a table per workload\n"
		"  picknext compare --as io_mixed before.dat after.dat     # two lone traces\n"
		"  picknext compare base head --details=changed -w 'hackbench_*,io_mixed' -m '*latency*'\n"
		"  picknext compare base head --fail-if 'slice_p99_us > +10%' --junit compare.xml\n"
		"  picknext compare base head -f 'cpu_bound_4p: fairness_jain < 0.9' -f 'throughput_per_s < -5%'\n"
		"  picknext compare base head --format markdown -o comment.md    # for a merge request",
    .options = options,
    .values_size = sizeof(struct compare_options),
    .run = run_compare,
};
