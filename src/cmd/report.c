/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "report/page.h"
#include "term/print.h"

struct values {
	const char *output, *format;
	struct option_list workloads;
	double from, to; /* seconds; to 0: not given */
	bool allow_lossy;
};

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(struct values, output),
     .argument = "FILE",
     .help = "where the page goes (report.html), or the directory of\nthe charts (report-svg)"},
    {.name = "format",
     .letter = 'f',
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct values, format),
     .argument = "WHAT",
     .help = "one page of all, or each chart alone as a file",
     .fallback = "html",
     .choices = "html|svg"},
    {.name = "workload",
     .letter = 'w',
     .kind = OPTION_LIST,
     .offset = offsetof(struct values, workloads),
     .argument = "NAME",
     .help = "only these workloads, separated by commas; * and ? stand\nfor any text and any character"},
    {.name = "from",
     .kind = OPTION_REAL,
     .offset = offsetof(struct values, from),
     .argument = "SECONDS",
     .real_most = 1e9,
     .help = "timelines begin there, counted from a run's first event"},
    {.name = "to",
     .kind = OPTION_REAL,
     .offset = offsetof(struct values, to),
     .argument = "SECONDS",
     .real_most = 1e9,
     .help = "and end there; else in the middle of the first run, as long\nas shows some sixty switches of a CPU"},
    {.name = "allow-lossy",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct values, allow_lossy),
     .help = "compare runs that lost events too; the page says so"},
    {.name = NULL},
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot keep so many runs");
}

static bool wants_workload(const void *context, const char *workload)
{
	return comparison_is_chosen(context, workload);
}

/* The traces of one workload in one set. */
static enum status read_work(const struct run_set *set, const char *workload, struct report_work **work,
			     struct error *err)
{
	const struct recorded_run **runs = calloc(set->count + 1, sizeof(*runs));
	size_t count = 0;

	for (size_t i = 0; runs && i < set->count; i++)
		if (strcmp(set->runs[i].workload, workload) == 0)
			runs[count++] = &set->runs[i];
	enum status status = STATUS_OK;
	if (!runs || (count && !(*work = calloc(1, sizeof(**work)))))
		status = no_memory(err);
	else if (count)
		status = report_work_read(*work, runs, count, err);
	free(runs);
	return status;
}

static void merge_distributions(const struct run_set *set, struct report_workload *workload, uint32_t number)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct run_metrics *metrics = &set->runs[i].metrics;
		if (strcmp(set->runs[i].workload, workload->compared->name) != 0)
			continue;
		distribution_merge(&workload->wakeups[number], &metrics->wakeup_latencies);
		distribution_merge(&workload->slices[number], &metrics->slices);
	}
}

static uint64_t round_1_2_5(uint64_t value)
{
	uint64_t step = 1;

	while (step * 10 <= value)
		step *= 10;
	return value >= step * 5 ? step * 5 : value >= step * 2 ? step * 2 : step;
}

/* So that some 60 switches of the busiest CPU can be told apart: the same length for all sets. */
static uint64_t window_length(const struct report_workload *workload, uint32_t set_count)
{
	const double switches = 60, most_ns = 2e8, least_ns = 1e5;
	double length = most_ns;

	for (uint32_t set = 0; set < set_count; set++) {
		const struct report_work *work = workload->works[set];
		if (!work)
			continue;
		if (work->first_switches) {
			double need = (double)work->first_ns / (double)work->first_switches * switches;
			length = need < length ? need : length;
		}
		length = (double)work->first_ns < length ? (double)work->first_ns : length;
	}
	return round_1_2_5((uint64_t)(length < least_ns ? least_ns : length));
}

static enum status read_windows(const struct values *values, struct report_workload *workload, uint32_t set_count,
				size_t *count, struct error *err)
{
	uint64_t length = window_length(workload, set_count);
	enum status status = STATUS_OK;

	for (uint32_t set = 0; set < set_count && status == STATUS_OK; set++) {
		struct report_work *work = workload->works[set];
		if (!work)
			continue;
		uint64_t from = work->first_ns > length ? (work->first_ns - length) / 2 : 0;
		uint64_t to = from + length;
		if (values->from > 0 || values->to > 0) {
			from = (uint64_t)(values->from * 1e9 + 0.5);
			to = values->to > 0 ? (uint64_t)(values->to * 1e9 + 0.5) : from + length;
		}
		if (from >= work->first_ns)
			continue;
		status = report_window_read(&work->window, work->first_path, from,
					    to < work->first_ns ? to : work->first_ns, err);
		(*count)++;
	}
	return status;
}

static enum status read_workload(const struct values *values, const struct report *report, size_t number,
				 size_t *windows, struct error *err)
{
	struct report_workload *workload = &report->workloads[number];
	enum status status = STATUS_OK;

	workload->compared = &report->rows.workloads[number];
	if (message_progress_wanted())
		message_progress("%s", workload->compared->name);
	for (uint32_t set = 0; set < report->set_count && status == STATUS_OK; set++) {
		merge_distributions(&report->sets->items[set], workload, set);
		status = read_work(&report->sets->items[set], workload->compared->name, &workload->works[set], err);
	}
	if (status == STATUS_OK)
		status = read_windows(values, workload, report->set_count, windows, err);
	if (status == STATUS_OK &&
	    !report_names_make(&workload->names, workload->compared->name, workload->works, report->set_count))
		status = no_memory(err);
	return status;
}

static enum status check_loss(const struct report *report, const struct values *values, struct error *err)
{
	for (uint32_t set = 0; set < report->set_count && report->set_count > 1 && !values->allow_lossy; set++) {
		for (size_t i = 0; i < report->sets->items[set].count; i++) {
			const struct recorded_run *run = &report->sets->items[set].runs[i];
			if (!run->is_lossy)
				continue;
			error_set(err, STATUS_LOST, run->path, "lost events: what is compared with it misleads");
			return error_remedy(err, "take it away, record with a larger buffer, or give --allow-lossy");
		}
	}
	return STATUS_OK;
}

static enum status gather(const struct values *values, struct report *report, struct error *err)
{
	const struct comparison_choice choice = {.workloads = values->workloads,
						 .change_min_percent = COMPARISON_CHANGE_MIN_PERCENT};
	size_t windows = 0;
	enum status status = STATUS_OK;

	if (report->sets->count > REPORT_SETS_MAX)
		return error_set(err, STATUS_USAGE, NULL, "there are %zu sets of runs; at most %d go on one page",
				 report->sets->count, REPORT_SETS_MAX);
	report->set_count = (uint32_t)report->sets->count;
	status = check_loss(report, values, err);
	if (status == STATUS_OK)
		status = comparison_rows_make(report->sets, &choice, &report->rows, err);
	if (status == STATUS_OK &&
	    !(report->workloads = calloc(report->rows.workload_count + 1, sizeof(*report->workloads))))
		status = no_memory(err);
	for (size_t i = 0; i < report->rows.workload_count && status == STATUS_OK; i++)
		status = read_workload(values, report, i, &windows, err);
	message_progress_end();
	if (status == STATUS_OK && windows == 0 && values->from > 0)
		status = error_set(err, STATUS_USAGE, "--from", "lies behind the end of every first run");
	return status;
}

static enum status write_page(const struct report *report, const char *path, struct error *err)
{
	struct sink sink;
	enum status status = sink_open(&sink, path, err);

	if (status != STATUS_OK)
		return status;
	status = report_page(report, &sink, err);
	if (status != STATUS_OK) {
		sink_discard(&sink);
		return status;
	}
	return sink_finish(&sink, err);
}

static void free_report(struct report *report)
{
	for (size_t i = 0; report->workloads && i < report->rows.workload_count; i++) {
		for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
			if (report->workloads[i].works[set])
				report_work_free(report->workloads[i].works[set]);
			free(report->workloads[i].works[set]);
			distribution_free(&report->workloads[i].wakeups[set]);
			distribution_free(&report->workloads[i].slices[set]);
		}
		report_names_free(&report->workloads[i].names);
	}
	free(report->workloads);
	comparison_rows_free(&report->rows);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct values values = {0};
	struct operands operands;
	int exit_code;
	struct error err = {0};
	struct run_sets sets = {0};
	struct report report = {.sets = &sets};

	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	interrupt_catch();
	const struct run_set_options wanted = {
	    .allow_lossy = true, .wants = wants_workload, .context = &values.workloads};
	enum status status = STATUS_OK;
	if (values.to > 0 && values.from >= values.to)
		status = error_set(&err, STATUS_USAGE, "--from", "lies not before --to");
	bool is_svg = strcmp(values.format, "svg") == 0;
	if (is_svg && values.output && strcmp(values.output, "-") == 0)
		status = error_set(&err, STATUS_USAGE, "--output", "is a directory with --format svg, not a pipe");
	const char *output = values.output ? values.output : is_svg ? "report-svg" : "report.html";
	if (status == STATUS_OK)
		status = run_sets_read(operands.items, operands.count, &wanted, &sets, &err);
	if (status == STATUS_OK)
		status = run_sets_spare(&sets, output, &err);
	if (status == STATUS_OK)
		status = gather(&values, &report, &err);
	if (status == STATUS_OK)
		status = is_svg ? report_charts_write(&report, output, &err) : write_page(&report, output, &err);
	/* Where -o said it, it need not be told. */
	if (status == STATUS_OK && !values.output)
		message_info("%s %s", is_svg ? "the charts are in" : "the page is", output);
	free_report(&report);
	run_sets_free(&sets);
	return status == STATUS_OK ? 0 : print_failure(&err);
}

const struct command command_report = {
    .name = "report",
    .summary = "one page of charts and tables, of a set of runs or what differs",
    .operands = "DIR|FILE|-...",
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .details =
	"Each operand is a directory with runs (DIR/raw where there is one), a directory of such, or one trace (- is\n"
	"standard input). With several sets the others are compared with the first, as picknext compare does it. The "
	"page is one file that\n"
	"loads nothing and runs no script: it can be mailed, kept beside a build, printed, read on a phone.\n\n"
	"It has a summary in words, the comparison, and for each workload: wakeup latencies and slices as curves, who\n"
	"ran on which CPU in a short window of the first run, what tasks did with their time, by name and by CPU, how\n"
	"many ran or waited, and migrations. What the traces lost and the machines that they were made on stand at the "
	"end. Each chart has "
	"its\n"
	"figures in a table.",
    .examples = "  picknext report out                                  # all kernels of a picknext vm run, compared\n"
		"  picknext report out/6.1.0 out/6.12.95 -o report.html\n"
		"  picknext report -w 'hackbench*' --from 0.5 --to 0.51 before after\n"
		"  picknext report io.dat -o io.html                    # a single trace\n"
		"  picknext report --format svg -o charts before after",
    .options = options,
    .run = run,
};
