/* SPDX-License-Identifier: MIT */
#include "report/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/ordered.h"
#include "compare/run_pairs.h"
#include "compare/run_reader.h"

/* --- The traces of one workload --- */

/* A run of the workload. */
struct workload_run {
	uint32_t set;
	struct run *run;
	struct input input; /* closed after reading unless windows of the run may be drawn */
	struct report_run *read;
};

struct workload_reading {
	const struct report *report;
	const struct report_options *options;
	struct report_workload *workload;
	struct workload_run *runs;
	size_t count;
};

static enum status read_run(void *context, size_t item, struct error *err)
{
	const struct workload_reading *reading = context;
	struct workload_run *it = &reading->runs[item];
	char warning[INPUT_WARNING_SIZE];
	enum status status = input_open(&it->input, it->run->path, err);

	if (status != STATUS_OK)
		return status;
	if (input_skipped_text(&it->input, warning, sizeof(warning)))
		message_warning("%s", warning);
	return report_run_read(reading->workload->works[it->set], it->run, &it->input, &it->read, err);
}

/* Lists the windows of a run that are drawn: that of the first run of a set, and those around the longest waits so
 * far. */
static size_t list_windows(struct report_work *work, const struct run *run,
			   struct report_window *windows[1 + REPORT_WAITS])
{
	size_t count = 0;

	if (work->window.run == run)
		windows[count++] = &work->window;
	for (uint32_t i = 0; i < work->wait_count; i++)
		if (work->waits[i].window.run == run)
			windows[count++] = &work->waits[i].window;
	return count;
}

static enum status add_run(void *context, size_t item, enum status made, struct error *err)
{
	const struct workload_reading *reading = context;
	struct workload_run *it = &reading->runs[item];
	struct report_work **works = reading->workload->works;
	struct report_window *windows[1 + REPORT_WAITS];

	if (made != STATUS_OK)
		return made;
	report_work_add(works[it->set], it->read);
	it->read = NULL;
	/* Waits that were among the longest may no longer be. */
	for (size_t i = 0; i <= item; i++)
		if (list_windows(works[reading->runs[i].set], reading->runs[i].run, windows) == 0)
			input_close(&reading->runs[i].input);
	if (reading->options->sets.allowed & ALLOW_LOSSY || reading->report->set_count == 1)
		return STATUS_OK;
	return run_check_losses(it->run, err);
}

static void list_runs(struct workload_reading *reading, const char *name)
{
	const struct run_sets *sets = &reading->report->sets;

	reading->runs = xcalloc(run_sets_run_count(sets) + 1, sizeof(*reading->runs));
	for (uint32_t set = 0; set < sets->count; set++)
		for (size_t i = 0; i < sets->items[set].count; i++) {
			struct run *run = &sets->items[set].runs[i];
			struct report_work **work = &reading->workload->works[set];
			if (!run_is_of(run, name))
				continue;
			if (!*work) {
				*work = xcalloc(1, sizeof(**work));
				(*work)->has_roots = true;
			}
			(*work)->has_roots = (*work)->has_roots && run->root_count;
			reading->runs[reading->count++] = (struct workload_run){.set = set, .run = run};
		}
}

/* The shortest of some lengths such that the busiest CPU has 60 switches in a typical window. */
static uint64_t typical_length(const struct report_work *work)
{
	static const uint64_t lengths_ns[] = {100000,   200000,   500000,   1000000,   2000000,  5000000,
					      10000000, 20000000, 50000000, 100000000, 200000000};
	const uint64_t distinguishable = 60;
	const size_t last = sizeof(lengths_ns) / sizeof(*lengths_ns) - 1;
	const struct switch_rate *rate = work->first;

	for (size_t i = 0; i < last; i++) {
		uint64_t typical = switch_rate_typical(rate, work->part_from_ns, work->part_to_ns, lengths_ns[i]);
		if (lengths_ns[i + 1] > work->part_to_ns - work->part_from_ns ||
		    (double)typical * (double)rate->busiest >= (double)distinguishable * (double)rate->switches)
			return lengths_ns[i];
	}
	return lengths_ns[last];
}

/* The common window of the first runs of all sets: same length, same time after the start of the workload. */
struct common_window {
	uint64_t length_ns, after_ns;
	const struct switch_rate *rate;  /* switches of the first set */
	double typical[REPORT_SETS_MAX]; /* switches in a typical window of this length */
	uint64_t first_ns, last_ns;      /* limits of after_ns, so that the window is in the measured part */
};

static void set_bounds(const struct report_workload *workload, struct common_window *common)
{
	common->length_ns = common->last_ns = UINT64_MAX;
	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		const struct report_work *work = workload->works[set];
		const uint64_t length = work ? typical_length(work) : UINT64_MAX;
		common->length_ns = length < common->length_ns ? length : common->length_ns;
	}
	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		const struct report_work *work = workload->works[set];
		if (!work)
			continue;
		common->typical[set] =
		    (double)switch_rate_typical(work->first, work->part_from_ns, work->part_to_ns, common->length_ns);
		common->rate = common->rate ? common->rate : work->first;
		const uint64_t start_ns = work->window.start_ns, end_ns = start_ns + common->length_ns;
		const uint64_t first = work->part_from_ns > start_ns ? work->part_from_ns - start_ns : 0;
		const uint64_t last = work->part_to_ns > end_ns ? work->part_to_ns - end_ns : 0;
		common->first_ns = first > common->first_ns ? first : common->first_ns;
		common->last_ns = last < common->last_ns ? last : common->last_ns;
	}
}

/* Sum over all sets of the deviation from the typical number of switches, for a window at this time. */
static double distance_of(const struct report_workload *workload, const struct common_window *common, uint64_t after_ns)
{
	double distance = 0;

	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		const struct report_work *work = workload->works[set];
		const uint64_t from_ns = work ? work->window.start_ns + after_ns : 0;
		if (work && common->typical[set] > 0)
			distance += fabs((double)switch_rate_count(work->first, from_ns, from_ns + common->length_ns) /
					     common->typical[set] -
					 1);
	}
	return distance;
}

/* The window with the most typical numbers of switches; among equal ones, the one nearest to the middle. */
static struct common_window choose_window(const struct report_workload *workload)
{
	struct common_window common = {0};
	double best = INFINITY;

	set_bounds(workload, &common);
	common.after_ns = common.first_ns;
	if (common.last_ns <= common.first_ns)
		return common;
	const uint64_t middle_ns = common.first_ns + (common.last_ns - common.first_ns) / 2;
	const uint64_t step_ns = switch_rate_step(common.rate, common.length_ns);
	for (uint64_t off_ns = 0; off_ns <= common.last_ns - middle_ns; off_ns += step_ns)
		for (int side = 0; side < 2; side++) {
			if (side && off_ns > middle_ns - common.first_ns)
				continue;
			const uint64_t after_ns = side ? middle_ns - off_ns : middle_ns + off_ns;
			const double distance = distance_of(workload, &common, after_ns);
			common.after_ns = distance < best ? after_ns : common.after_ns;
			best = distance < best ? distance : best;
		}
	return common;
}

/* The longest wait in the first run of a set, if its trace has keys; NULL: there is none. */
static const struct report_wait *find_worst(const struct report_workload *workload, uint32_t *of_set)
{
	const struct report_wait *worst = NULL;

	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		const struct report_work *work = workload->works[set];
		for (uint32_t i = 0; work && i < work->own_count; i++) {
			const struct report_wait *wait = &work->own[i];
			if (!work->window.run->results->rules.account.judged ||
			    wait->window.from_ns < work->window.start_ns)
				continue;
			if (worst &&
			    worst->found.end_ns - worst->found.since_ns >= wait->found.end_ns - wait->found.since_ns)
				continue;
			worst = wait;
			*of_set = set;
		}
	}
	return worst;
}

/* The common window begins at the wait, and has as much time after it; its task is followed in all sets. */
static void show_worst(const struct report_workload *workload, const struct report_wait *worst, uint32_t of_set,
		       struct common_window *common)
{
	common->after_ns = worst->window.from_ns - workload->works[of_set]->window.start_ns;
	common->length_ns = 2 * (worst->window.to_ns - worst->window.from_ns);
	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		if (!workload->works[set])
			continue;
		struct report_window *window = &workload->works[set]->window;
		window->follows = true;
		window->followed = worst->task;
		if (set != of_set)
			window->followed.task = TASK_NONE;
	}
}

/* The time that all sets have left from there on. A run that has ended before is not drawn, and shortens none. */
static uint64_t shortest_rest(const struct report_workload *workload, const struct common_window *common)
{
	uint64_t shortest_ns = common->length_ns;

	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		const struct report_work *work = workload->works[set];
		const uint64_t from_ns = work ? work->window.start_ns + common->after_ns : 0;
		if (work && work->first_ns > from_ns && work->first_ns - from_ns < shortest_ns)
			shortest_ns = work->first_ns - from_ns;
	}
	return shortest_ns;
}

static void place_windows(const struct report_workload *workload, const struct report_options *options)
{
	uint32_t worst_set = 0;
	const struct report_wait *worst = find_worst(workload, &worst_set);
	struct common_window common = choose_window(workload);
	const bool is_given = options->from_s > 0 || options->to_s > 0;
	const uint64_t from_ns = (uint64_t)(options->from_s * 1e9 + 0.5), to_ns = (uint64_t)(options->to_s * 1e9 + 0.5);

	if (worst)
		show_worst(workload, worst, worst_set, &common);
	if (is_given)
		common.after_ns = from_ns;
	if (to_ns)
		common.length_ns = to_ns - from_ns;
	common.length_ns = shortest_rest(workload, &common);
	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		struct report_work *work = workload->works[set];
		if (!work)
			continue;
		struct report_window *window = &work->window;
		window->from_ns = window->start_ns + common.after_ns;
		window->to_ns = window->from_ns + (work->first_ns > window->from_ns ? common.length_ns : 0);
	}
}

static enum status read_windows(void *context, size_t item, struct error *err)
{
	const struct workload_reading *reading = context;
	struct workload_run *it = &reading->runs[item];
	struct report_window *windows[1 + REPORT_WAITS];
	const size_t count = list_windows(reading->workload->works[it->set], it->run, windows);

	return count ? report_windows_read(windows, count, &it->input, it->run, err) : STATUS_OK;
}

/* Merges the distributions of that part of the runs that is compared. */
static void merge_distributions(struct report *report, const char *name, struct report_workload *workload)
{
	run_sets_choose_part(&report->sets, name);
	for (uint32_t set = 0; set < report->set_count; set++)
		for (size_t i = 0; i < report->sets.items[set].count; i++) {
			const struct run *run = &report->sets.items[set].runs[i];
			if (!run_is_of(run, name))
				continue;
			for (int what = 0; what < RUN_DISTRIBUTIONS; what++)
				distribution_merge(&workload->distributions[what][set],
						   &run_metrics_of(run)->distributions[what]);
		}
}

static enum status read_workload(struct report *report, const struct report_options *options, const char *name,
				 struct report_workload *workload, struct error *err)
{
	struct workload_reading reading = {.report = report, .options = options, .workload = workload};
	const struct ordered_work runs = {.context = &reading, .make = read_run, .take = add_run};
	const struct ordered_work windows = {.context = &reading, .make = read_windows};

	if (message_progress_wanted())
		message_progress("reading %s", name);
	list_runs(&reading, name);
	enum status status = ordered_run(&runs, reading.count, (unsigned int)options->jobs, err);
	if (status == STATUS_OK) {
		merge_distributions(report, name, workload);
		place_windows(workload, options);
		status = ordered_run(&windows, reading.count, (unsigned int)options->jobs, err);
	}
	for (size_t i = 0; i < reading.count; i++) {
		report_run_free(reading.runs[i].read);
		input_close(&reading.runs[i].input);
	}
	free(reading.runs);
	return status;
}

/* True if --from is within the first run of some workload. */
static bool has_windows(const struct report *report)
{
	bool has = false;

	for (size_t i = 0; i < report->workload_count; i++)
		for (uint32_t set = 0; set < report->set_count; set++) {
			const struct report_work *work = report->workloads[i].works[set];
			has = has || (work && work->window.to_ns > work->window.from_ns);
		}
	return has;
}

/* --- All --- */

static enum status read_workloads(struct report *report, const struct report_options *options, struct error *err)
{
	const size_t count = report->sets.workload_count;
	enum status status = STATUS_OK;

	report->workloads = xcalloc(count + 1, sizeof(*report->workloads));
	report->workload_count = count;
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = read_workload(report, options, report->sets.workloads[i], &report->workloads[i], err);
	message_progress_end();
	if (status == STATUS_OK && options->from_s > 0 && !has_windows(report))
		status =
		    error_set(err, STATUS_USAGE, NULL, "--from is after the end of the first run of every workload");
	return status;
}

static void compare_sets(struct report *report, const struct report_options *options)
{
	const struct comparison_choice choice = {.margin_percent = options->margin_percent};

	run_sets_pair(&report->sets);

	run_sets_label(&report->sets);
	comparison_rows_make(&report->sets, &choice, &report->rows);
	for (size_t i = 0; i < report->rows.workload_count; i++)
		report->workloads[i].compared = &report->rows.workloads[i];
	report->column_count = comparison_columns(&report->rows, report->columns);
	remarks_make(&report->rows, &report->remarks);
}

static enum status read_sets(struct report *report, const struct report_options *options, struct error *err)
{
	if (report->sets.count > REPORT_SETS_MAX)
		return error_set(err, STATUS_USAGE, NULL, "there are %zu sets of runs; a page has at most %d",
				 report->sets.count, REPORT_SETS_MAX);
	report->set_count = (uint32_t)report->sets.count;
	enum status status = read_workloads(report, options, err);
	if (status == STATUS_OK)
		status = run_sets_check_choice(&report->sets, err);
	if (status == STATUS_OK)
		compare_sets(report, options);
	return status;
}

enum status report_read(struct report *report, char *const *operands, size_t count,
			const struct report_options *options, const char *output, struct error *err)
{
	*report = (struct report){.margin_percent = options->margin_percent};
	enum status status = run_sets_list(operands, count, &options->sets, &report->sets, err);
	if (status == STATUS_OK)
		status = run_sets_refuse_overwriting(&report->sets, output, err);
	if (status != STATUS_OK)
		return status;
	return read_sets(report, options, err);
}

static void free_workload(struct report_workload *workload)
{
	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++) {
		if (workload->works[set])
			report_work_free(workload->works[set]);
		free(workload->works[set]);
		for (int i = 0; i < RUN_DISTRIBUTIONS; i++)
			distribution_free(&workload->distributions[i][set]);
	}
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->workload_count; i++)
		free_workload(&report->workloads[i]);
	free(report->workloads);
	remarks_free(&report->remarks);
	comparison_rows_free(&report->rows);
	run_sets_free(&report->sets);
}
