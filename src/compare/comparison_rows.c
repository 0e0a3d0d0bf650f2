/* SPDX-License-Identifier: MIT */
#include "compare/comparison_rows.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest_name.h"
#include "compare/rank_sum.h"
#include "compare/run_set.h"

#define PATTERN_SIZE 256

/* The next of the comma-separated patterns; false after the last. */
static bool next_pattern(const char **patterns, char pattern[PATTERN_SIZE])
{
	if (!*patterns)
		return false;
	size_t length = strcspn(*patterns, ",");
	snprintf(pattern, PATTERN_SIZE, "%.*s", (int)length, *patterns);
	*patterns = (*patterns)[length] ? *patterns + length + 1 : NULL;
	return true;
}

bool comparison_fits(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

bool comparison_is_chosen(const struct option_list *patterns, const char *name)
{
	char pattern[PATTERN_SIZE];

	for (size_t i = 0; i < patterns->count; i++)
		for (const char *at = patterns->items[i]; next_pattern(&at, pattern);)
			if (comparison_fits(pattern, name))
				return true;
	return patterns->count == 0;
}

enum status comparison_unknown_metric(const char *where, const char *name, struct error *err)
{
	const char *names[METRICS_MAX] = {NULL};
	char all[sizeof(err->remedy)] = "";
	size_t length = 0;

	for (size_t i = 0; i < metric_count; i++) {
		names[i] = metric_table[i].name;
		if (length < sizeof(all))
			length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s", i ? ", " : "", names[i]);
	}
	const char *near = nearest_name(name, names);
	error_set(err, STATUS_USAGE, where, "there is no metric '%s'", name);
	if (near)
		return error_remedy(err, "did you mean '%s'? picknext compare --list shows all", near);
	return error_remedy(err, "the metrics are %s", all);
}

static bool fits_any_metric(const char *pattern)
{
	for (const struct metric *metric = metric_table; metric->name; metric++)
		if (comparison_fits(pattern, metric->name))
			return true;
	return false;
}

enum status comparison_check_metrics(const struct option_list *metrics, struct error *err)
{
	char pattern[PATTERN_SIZE];

	for (size_t i = 0; i < metrics->count; i++)
		for (const char *at = metrics->items[i]; next_pattern(&at, pattern);)
			if (!fits_any_metric(pattern))
				return comparison_unknown_metric("--metric", pattern, err);
	return STATUS_OK;
}

static size_t count_runs(const struct run_set *set, const char *workload)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		count += run_is_of(&set->runs[i], workload);
	return count;
}

static void find_workloads(struct comparison_rows *rows, size_t runs, const struct comparison_choice *choice)
{
	const char **names = xcalloc(runs + 1, sizeof(*names));
	const size_t count = run_sets_workloads(rows->sets, names);

	rows->workloads = xcalloc(count + 1, sizeof(*rows->workloads));
	for (size_t i = 0; i < count; i++) {
		if (!comparison_is_chosen(&choice->workloads, names[i]))
			continue;
		struct comparison_workload *workload = &rows->workloads[rows->workload_count++];
		workload->name = names[i];
		for (size_t set = 0; set < rows->sets->count; set++)
			workload->runs[set] = count_runs(&rows->sets->items[set], names[i]);
	}
	free(names);
}

/* A pattern without a match is an error, even if others match. */
static enum status check_workloads(const struct comparison_rows *rows, const struct option_list *patterns,
				   struct error *err)
{
	char pattern[PATTERN_SIZE];

	for (size_t i = 0; i < patterns->count; i++)
		for (const char *at = patterns->items[i]; next_pattern(&at, pattern);) {
			bool fits = false;
			for (size_t found = 0; found < rows->workload_count && !fits; found++)
				fits = comparison_fits(pattern, rows->workloads[found].name);
			if (!fits)
				return error_set(err, STATUS_USAGE, "--workload", "no run of the workload '%s'",
						 pattern);
		}
	return STATUS_OK;
}

static double median_seconds(const struct run_sets *sets, const char *workload, double *values)
{
	size_t count = 0;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run_is_of(run, workload))
			values[count++] = (double)run_metrics_of(run)->duration_ns / 1e9;
	return comparison_sample(values, count).median;
}

static void fill_row(struct comparison_rows *rows, struct comparison_row *row, const struct comparison_choice *choice,
		     double **at)
{
	const struct comparison_meaning meaning = {
	    .better = row->metric->direction, .margin_percent = choice->margin_percent, .floor = row->metric->floor};
	const char *workload = rows->workloads[row->workload].name;
	struct comparison_cell *cells = row->cells;

	for (size_t set = 0; set < rows->sets->count; set++) {
		const size_t count = run_set_values(&rows->sets->items[set], workload, row->metric, *at);
		cells[set].sample = comparison_sample(*at, count);
		*at += count;
		cells[set].against =
		    set ? comparison_make(&cells[0].sample, &cells[set].sample, &meaning) : comparison_none;
	}
}

static void fill_rows(struct comparison_rows *rows, const struct comparison_choice *choice)
{
	double *at = rows->values;

	for (size_t i = 0; i < rows->workload_count; i++) {
		struct comparison_workload *workload = &rows->workloads[i];
		const double seconds = median_seconds(rows->sets, workload->name, at);
		workload->first_row = rows->row_count;
		for (const struct metric *metric = metric_table; metric->name; metric++) {
			if (!comparison_is_chosen(&choice->metrics, metric->name))
				continue;
			struct comparison_row *row = &rows->rows[rows->row_count++];
			row->workload = i;
			row->metric = metric;
			row->seconds = seconds;
			row->is_excluded = rows->is_deterministic && metric->needs_real_time &&
					   choice->metrics.count == 0 && !choice->has_gate[metric_index(metric)];
			fill_row(rows, row, choice, &at);
		}
		workload->row_count = rows->row_count - workload->first_row;
	}
}

/* Assumes that all that differ have the smallest p-value that their runs allow. */
static size_t runs_needed(const struct comparison_rows *rows, size_t set, size_t tests)
{
	enum { RUNS_MAX = 100 };
	double limit = COMPARISON_FALSE_RATE * (double)comparison_count_differing(&rows->counts[set]) / (double)tests;
	size_t runs = COMPARISON_RUNS_MIN;

	for (size_t i = 0; i < rows->row_count; i++) {
		const struct comparison_cell *cells = rows->rows[i].cells;
		if (!rows->rows[i].is_excluded && comparison_differs(&cells[set].against) &&
		    rank_sum_smallest(cells[0].sample.count, cells[set].sample.count) <= limit)
			return 0;
	}
	while (runs < RUNS_MAX && rank_sum_smallest(runs, runs) > limit)
		runs++;
	return runs;
}

/* Every metric with enough runs that is not excluded is one test of the multiple comparison. Returns their number. */
static size_t correct_rows(struct comparison_rows *rows)
{
	size_t max = rows->row_count * rows->sets->count, tests = 0;
	double *p = xcalloc(max + 1, sizeof(*p));
	bool *significant = xcalloc(max + 1, sizeof(*significant));

	for (size_t i = 0; i < max; i++) {
		const struct comparison_row *row = &rows->rows[i / rows->sets->count];
		const struct comparison *against = &row->cells[i % rows->sets->count].against;
		p[i] = against->verdict > VERDICT_TOO_FEW && !row->is_excluded ? against->p : NAN;
		tests += isnan(p[i]) ? 0 : 1;
	}
	comparison_find_significant(p, max, COMPARISON_FALSE_RATE, significant);
	for (size_t i = 0; i < max; i++)
		rows->rows[i / rows->sets->count].cells[i % rows->sets->count].is_significant = significant[i];
	free(p);
	free(significant);
	return tests;
}

static void count_verdicts(struct comparison_rows *rows, bool strict)
{
	for (size_t i = 0; i < rows->row_count; i++)
		for (size_t set = 1; set < rows->sets->count && !rows->rows[i].is_excluded; set++) {
			struct comparison_cell *cell = &rows->rows[i].cells[set];
			if (strict && comparison_is_doubtful(cell))
				cell->against.verdict = VERDICT_UNCLEAR;
			rows->counts[set].verdicts[cell->against.verdict]++;
			rows->counts[set].significant += cell->is_significant && comparison_differs(&cell->against);
		}
}

enum status comparison_rows_make(const struct run_sets *sets, const struct comparison_choice *choice,
				 struct comparison_rows *rows, struct error *err)
{
	const size_t runs = run_sets_run_count(sets);

	*rows = (struct comparison_rows){.sets = sets, .is_deterministic = run_sets_are_deterministic(sets)};
	find_workloads(rows, runs, choice);
	if (check_workloads(rows, &choice->workloads, err) != STATUS_OK)
		return err->status;
	rows->values = xcalloc((runs + 1) * metric_count, sizeof(*rows->values));
	rows->rows = xcalloc(rows->workload_count * metric_count + 1, sizeof(*rows->rows));
	fill_rows(rows, choice);
	const size_t tests = correct_rows(rows);
	count_verdicts(rows, choice->strict);
	for (size_t set = 1; set < sets->count; set++)
		if (comparison_count_differing(&rows->counts[set]) && rows->counts[set].significant == 0)
			rows->counts[set].runs_needed = runs_needed(rows, set, tests);
	return STATUS_OK;
}

void comparison_rows_free(struct comparison_rows *rows)
{
	free(rows->workloads);
	free(rows->rows);
	free(rows->values);
	*rows = (struct comparison_rows){0};
}

bool comparison_is_exercised(const struct comparison_rows *rows, const struct comparison_row *row)
{
	bool is_exercised = rows->sets->count == 1;

	for (size_t set = 1; set < rows->sets->count; set++)
		is_exercised |= row->cells[set].against.verdict != VERDICT_NOT_EXERCISED;
	return is_exercised;
}

const struct comparison_row *comparison_find_row(const struct comparison_rows *rows,
						 const struct comparison_workload *workload,
						 const struct metric *metric)
{
	for (size_t i = 0; i < workload->row_count; i++)
		if (rows->rows[workload->first_row + i].metric == metric)
			return &rows->rows[workload->first_row + i];
	return NULL;
}
