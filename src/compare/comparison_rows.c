/* SPDX-License-Identifier: MIT */
#include "compare/comparison_rows.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/pattern.h"
#include "compare/family_test.h"
#include "compare/run_pairs.h"
#include "compare/run_set.h"

enum status comparison_find_metric(const struct run_sets *sets, const char *where, const char *name,
				   const struct metric **metric, struct error *err)
{
	const char *names[METRICS_MAX + 1] = {NULL};

	*metric = run_sets_metric(sets, name);
	if (*metric)
		return STATUS_OK;
	for (size_t i = 0; i < sets->metric_count; i++)
		names[i] = sets->metrics[i]->name;
	const char *near = nearest_name(name, names);
	error_set(err, STATUS_USAGE, where, "there is no metric '%s'", name);
	if (near)
		return error_remedy(err, "did you mean '%s'? picknext compare --list shows all", near);
	return error_remedy(err, "picknext compare --list shows all metrics");
}

static bool fits_any_metric(const struct run_sets *sets, const char *pattern)
{
	for (size_t i = 0; i < sets->metric_count; i++)
		if (pattern_fits(pattern, sets->metrics[i]->name))
			return true;
	return false;
}

enum status comparison_check_metrics(const struct run_sets *sets, const struct option_list *metrics, struct error *err)
{
	const struct metric *metric;
	char pattern[PATTERN_SIZE];

	for (size_t i = 0; i < metrics->count; i++)
		for (const char *at = metrics->items[i]; pattern_next(&at, pattern);)
			if (!fits_any_metric(sets, pattern))
				return comparison_find_metric(sets, "--metric", pattern, &metric, err);
	return STATUS_OK;
}

static void add_workload(struct comparison_rows *rows, const char *name, const char *task, size_t family)
{
	rows->workloads = xreallocarray(rows->workloads, rows->workload_count + 1, sizeof(*rows->workloads));
	struct comparison_workload *workload = &rows->workloads[rows->workload_count++];

	*workload = (struct comparison_workload){.name = task ? xasprintf("%s %s", name, task) : xstrdup(name),
						 .workload = name,
						 .task = task,
						 .family = family};
	for (size_t set = 0; set < rows->sets->count; set++)
		for (size_t i = 0; i < rows->sets->items[set].count; i++)
			workload->runs[set] += run_is_of(&rows->sets->items[set].runs[i], name);
}

/* One for each name of its tasks. */
static void add_names(struct comparison_rows *rows, const char *workload, size_t family)
{
	for (const struct run *run = NULL; (run = run_sets_next(rows->sets, run));) {
		const struct run_names *names = &run->results->names;
		for (size_t i = 0; i < names->count && run_is_of(run, workload); i++) {
			size_t at = family;
			while (at < rows->workload_count && strcmp(rows->workloads[at].task, names->items[i].name) != 0)
				at++;
			if (at == rows->workload_count)
				add_workload(rows, workload, names->items[i].name, family);
		}
	}
}

static double median_seconds(const struct run_sets *sets, const char *workload, double *values)
{
	size_t count = 0;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run_is_of(run, workload))
			values[count++] = (double)run_metrics_of(run)->duration_ns / 1e9;
	return comparison_sample(values, count).median;
}

/* Returns the values after those of the row. */
static double *fill_samples(const struct comparison_rows *rows, struct comparison_row *row, double *at)
{
	const struct comparison_workload *workload = &rows->workloads[row->workload];

	for (size_t set = 0; set < rows->sets->count; set++) {
		struct comparison_cell *cell = &row->cells[set];
		const size_t count = run_set_values(&rows->sets->items[set], workload->workload, workload->task,
						    row->metric, row->is_rare ? row->seconds : 0, at);
		cell->by_run = at;
		cell->sample = comparison_sample(memcpy(at + count, at, count * sizeof(*at)), count);
		at += 2 * count;
	}
	return at;
}

static bool is_rare(const struct comparison_rows *rows, const struct comparison_row *row)
{
	double max = 0;
	bool has_value = false;

	for (size_t set = 0; set < rows->sets->count; set++) {
		const struct comparison_sample *sample = &row->cells[set].sample;
		max = sample->count ? fmax(max, sample->median) : max;
		has_value |= sample->count && sample->max > 0;
	}
	return row->metric->counts_events && has_value && max * row->seconds < COMPARISON_RARE_EVENTS;
}

struct comparison_meaning comparison_meaning_of(const struct metric *metric, double margin_percent)
{
	return (struct comparison_meaning){
	    .better = metric->direction,
	    .margin_percent = metric->is_of_squares ? margin_percent * margin_percent / 100 : margin_percent,
	    .floor = metric->floor,
	};
}

static void fill_row(struct comparison_rows *rows, struct comparison_row *row, const struct comparison_choice *choice,
		     double **at)
{
	double *const begin = *at;
	const struct comparison_meaning meaning = comparison_meaning_of(row->metric, choice->margin_percent);
	const struct comparison_workload *workload = &rows->workloads[row->workload];
	struct comparison_cell *cells = row->cells;

	*at = fill_samples(rows, row, begin);
	row->is_rare = is_rare(rows, row);
	if (row->is_rare)
		fill_samples(rows, row, begin);
	for (size_t set = 0; set < rows->sets->count; set++) {
		cells[set].against =
		    set ? comparison_make(&cells[0].sample, &cells[set].sample, &meaning) : comparison_none;
		if (cells[set].against.verdict > VERDICT_NONE &&
		    run_sets_not_affected(rows->sets, workload->workload, set, workload->runs))
			cells[set].against.verdict = VERDICT_NOT_AFFECTED;
		cells[set].lacks_values = cells[set].against.verdict == VERDICT_TOO_FEW &&
					  workload->runs[0] >= COMPARISON_RUNS_MIN &&
					  workload->runs[set] >= COMPARISON_RUNS_MIN;
		const size_t fewer =
		    cells[0].sample.count < cells[set].sample.count ? cells[0].sample.count : cells[set].sample.count;
		cells[set].runs_needed = comparison_runs_needed(&cells[set].against, fewer, meaning.margin_percent);
	}
}

static bool is_asked_for(const struct comparison_choice *choice, const struct metric *metric)
{
	const struct metric *const *gated = choice->gated;

	while (*gated && *gated != metric)
		gated++;
	return *gated || choice->metrics.count;
}

void comparison_choose_needs(const struct run_sets *sets, const struct comparison_choice *choice)
{
	unsigned int needs = 0;

	for (const struct metric *const *metric = sets->metrics; *metric; metric++)
		needs |= patterns_fit(&choice->metrics, (*metric)->name) ? 1u << (*metric)->account : 0;
	for (const struct metric *const *gated = choice->gated; *gated; gated++)
		needs |= 1u << (*gated)->account;
	for (struct run *run = NULL; (run = run_sets_next(sets, run));)
		run->results->unneeded = ~needs;
}

/* An invariant that holds in all runs of all sets. */
static bool holds_everywhere(const struct comparison_rows *rows, const struct comparison_row *row)
{
	for (size_t set = 0; set < rows->sets->count; set++)
		for (size_t i = 0; i < row->cells[set].sample.count; i++)
			if (row->cells[set].sample.values[i] > 0)
				return false;
	return row->metric->is_of_invariant;
}

static void fill_rows(struct comparison_rows *rows, const struct comparison_choice *choice)
{
	double *at = rows->values;

	for (size_t i = 0; i < rows->workload_count; i++) {
		struct comparison_workload *workload = &rows->workloads[i];
		const double seconds = median_seconds(rows->sets, workload->workload, at);
		workload->first_row = rows->row_count;
		for (const struct metric *const *metric = rows->sets->metrics; *metric; metric++) {
			if (!patterns_fit(&choice->metrics, (*metric)->name))
				continue;
			struct comparison_row *row = &rows->rows[rows->row_count++];
			row->workload = i;
			row->metric = *metric;
			row->seconds = seconds;
			row->is_excluded =
			    rows->is_deterministic && (*metric)->real_time_reason && !is_asked_for(choice, *metric);
			fill_row(rows, row, choice, &at);
			if (!is_asked_for(choice, *metric) && holds_everywhere(rows, row))
				rows->rows[--rows->row_count] = (struct comparison_row){.workload = 0};
		}
		workload->row_count = rows->row_count - workload->first_row;
	}
}

/* Differences below the floor of the metric mean nothing; without one, below its smallest value. */
static double scale_of(const struct comparison_row *row, size_t set)
{
	const struct comparison_sample *const sides[] = {&row->cells[0].sample, &row->cells[set].sample};
	double smallest = INFINITY;

	if (row->metric->floor > 0)
		return row->metric->floor;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->count; i++)
			if (sides[side]->values[i] != 0)
				smallest = fmin(smallest, fabs(sides[side]->values[i]));
	return isfinite(smallest) ? smallest : 1;
}

/* The rows of the family that begins with this workload, from *first on; 0: none begins with it. */
static size_t list_family(const struct comparison_rows *rows, size_t workload, size_t *first)
{
	size_t count = 0;

	*first = rows->workloads[workload].first_row;
	for (size_t i = workload; i < rows->workload_count && rows->workloads[i].family == workload; i++)
		count += rows->workloads[i].row_count;
	return count;
}

/* Sets the p-values of the metrics of a family. Returns the smallest, that of the family; NaN without a test. */
static double test_family(struct comparison_rows *rows, size_t workload, size_t set)
{
	size_t first, count = 0;
	const size_t row_count = list_family(rows, workload, &first);
	struct family_metric *metrics = xcalloc(row_count + 1, sizeof(*metrics));
	struct comparison_row **tested = xcalloc(row_count + 1, sizeof(struct comparison_row *));
	double smallest = NAN;

	for (size_t i = 0; i < row_count; i++) {
		struct comparison_row *row = &rows->rows[first + i];
		row->cells[set].p_family = NAN;
		if (row->cells[set].against.verdict <= VERDICT_TOO_FEW || row->is_excluded)
			continue;
		metrics[count] =
		    (struct family_metric){row->cells[0].by_run, row->cells[set].by_run, scale_of(row, set), 1};
		tested[count++] = row;
	}
	if (count)
		family_test(metrics, count, rows->workloads[workload].runs[0], rows->workloads[workload].runs[set]);
	for (size_t i = 0; i < count; i++) {
		tested[i]->cells[set].p_family = metrics[i].p;
		smallest = fmin(smallest, metrics[i].p);
	}
	free(metrics);
	free(tested);
	return smallest;
}

/* Benjamini and Bogomolov (2014): of m families (of each later set) with R significant ones, the metrics of these are
 * tested at R/m of the rate. */
static void correct_rows(struct comparison_rows *rows)
{
	const size_t sets = rows->sets->count, count = rows->workload_count * sets;
	double *p = xcalloc(count + 1, sizeof(*p));
	bool *significant = xcalloc(count + 1, sizeof(*significant));
	size_t selected = 0;

	for (size_t i = 0; i < count; i++) {
		p[i] = i % sets ? test_family(rows, i / sets, i % sets) : NAN;
		rows->family_count += isnan(p[i]) ? 0 : 1;
	}
	comparison_find_significant(p, count, COMPARISON_FALSE_RATE, significant);
	for (size_t i = 0; i < count; i++)
		selected += significant[i];
	for (size_t i = 0; i < rows->row_count; i++)
		for (size_t set = 1; set < sets; set++) {
			struct comparison_cell *cell = &rows->rows[i].cells[set];
			cell->is_significant =
			    significant[rows->workloads[rows->rows[i].workload].family * sets + set] &&
			    cell->p_family <= COMPARISON_FALSE_RATE * (double)selected / (double)rows->family_count;
		}
	free(p);
	free(significant);
}

/* Assumes that the families in which something differs have the smallest p-value that their runs allow. */
static size_t runs_needed(const struct comparison_rows *rows, size_t set)
{
	enum { RUNS_MAX = 100 };
	size_t differing = 0, runs = COMPARISON_RUNS_MIN, fewest = RUNS_MAX;

	for (size_t i = 0; i < rows->workload_count; i++) {
		const struct comparison_workload *workload = &rows->workloads[i];
		const size_t both = workload->runs[0] < workload->runs[set] ? workload->runs[0] : workload->runs[set];
		bool differs = false;
		size_t first;
		for (size_t left = list_family(rows, i, &first); left-- > 0 && !differs;)
			differs = comparison_differs(&rows->rows[first + left].cells[set].against);
		differing += differs;
		if (differs && both < fewest)
			fewest = both;
	}
	const double limit = COMPARISON_FALSE_RATE * (double)differing / (double)rows->family_count;
	if (family_smallest(fewest, fewest) <= limit)
		return 0;
	while (runs < RUNS_MAX && family_smallest(runs, runs) > limit)
		runs++;
	return runs;
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

void comparison_rows_make(const struct run_sets *sets, const struct comparison_choice *choice,
			  struct comparison_rows *rows)
{
	*rows = (struct comparison_rows){.sets = sets, .is_deterministic = run_sets_are_deterministic(sets)};
	for (size_t i = 0; i < sets->workload_count; i++)
		if (sets->items[0].runs[0].results->wants_names)
			add_names(rows, sets->workloads[i], rows->workload_count);
		else
			add_workload(rows, sets->workloads[i], NULL, rows->workload_count);
	size_t values = run_sets_run_count(sets) + 1;
	for (size_t i = 0; i < rows->workload_count; i++)
		for (size_t set = 0; set < sets->count; set++)
			values += 2 * rows->workloads[i].runs[set] * sets->metric_count;
	rows->values = xcalloc(values, sizeof(*rows->values));
	rows->rows = xcalloc(rows->workload_count * sets->metric_count + 1, sizeof(*rows->rows));
	fill_rows(rows, choice);
	correct_rows(rows);
	count_verdicts(rows, choice->strict);
	for (size_t set = 1; set < sets->count; set++)
		if (comparison_count_differing(&rows->counts[set]) && rows->counts[set].significant == 0)
			rows->counts[set].runs_needed = runs_needed(rows, set);
}

static int compare_numbers(const void *left, const void *right)
{
	const size_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

size_t comparison_runs_to_decide(const struct comparison_rows *rows, double share)
{
	size_t *needed = xcalloc(rows->row_count * rows->sets->count + 1, sizeof(*needed)), count = 0, unclear = 0;

	for (size_t i = 0; i < rows->row_count; i++)
		for (size_t set = 1; set < rows->sets->count && !rows->rows[i].is_excluded; set++) {
			const struct comparison_cell *cell = &rows->rows[i].cells[set];
			unclear += cell->against.verdict == VERDICT_UNCLEAR;
			if (cell->runs_needed)
				needed[count++] = cell->runs_needed;
		}
	qsort(needed, count, sizeof(*needed), compare_numbers);
	const size_t at = (size_t)ceil(share * (double)unclear);
	const size_t result = at && at <= count ? needed[at - 1] : 0;
	free(needed);
	return result;
}

void comparison_rows_free(struct comparison_rows *rows)
{
	for (size_t i = 0; i < rows->workload_count; i++)
		free(rows->workloads[i].name);
	free(rows->workloads);
	free(rows->rows);
	free(rows->values);
	*rows = (struct comparison_rows){0};
}

/* --- Columns --- */

/* Significant differences of the metric. */
static size_t count_significant(const struct comparison_rows *rows, const struct metric *metric)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->row_count; i++)
		for (size_t set = 1; set < rows->sets->count && rows->rows[i].metric == metric; set++) {
			const struct comparison_cell *cell = &rows->rows[i].cells[set];
			count +=
			    !rows->rows[i].is_excluded && comparison_differs(&cell->against) && cell->is_significant;
		}
	return count;
}

/* "wakeup wait in ticks p99" and "wakeup wait in ticks max" */
static bool has_same_stem(const struct metric *left, const struct metric *right)
{
	const char *a = strrchr(left->heading, ' '), *b = strrchr(right->heading, ' ');

	return a && b && a - left->heading == b - right->heading &&
	       strncmp(left->heading, right->heading, (size_t)(a - left->heading)) == 0 &&
	       (strcmp(a, " mean") == 0 || strcmp(a, " max") == 0 || a[1] == 'p') &&
	       (strcmp(b, " mean") == 0 || strcmp(b, " max") == 0 || b[1] == 'p');
}

struct column {
	const struct metric *metric;
	size_t place, significant; /* in sets->metrics */
	unsigned int main;         /* UINT_MAX: no main one */
};

static int compare_columns(const void *left, const void *right)
{
	const struct column *a = left, *b = right;

	if (metric_is_value(a->metric) != metric_is_value(b->metric))
		return metric_is_value(a->metric) ? -1 : 1;
	if (a->significant != b->significant)
		return a->significant > b->significant ? -1 : 1;
	if (a->main != b->main)
		return a->main < b->main ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

size_t comparison_columns(const struct comparison_rows *rows, const struct metric *columns[COMPARISON_COLUMNS])
{
	struct column all[METRICS_MAX];
	size_t candidates = 0, count = 0;

	for (size_t i = 0; i < rows->sets->metric_count; i++) {
		const struct metric *metric = rows->sets->metrics[i];
		const size_t significant = count_significant(rows, metric);
		if (significant || metric_is_value(metric) ||
		    (metric->overview && !(rows->is_deterministic && metric->real_time_reason)))
			all[candidates++] =
			    (struct column){metric, i, significant, metric->overview ? metric->overview : UINT_MAX};
	}
	qsort(all, candidates, sizeof(*all), compare_columns);
	for (size_t i = 0; i < candidates && count < COMPARISON_COLUMNS; i++) {
		bool is_new = true;
		for (size_t at = 0; at < count && all[i].main == UINT_MAX; at++)
			is_new = is_new && !has_same_stem(columns[at], all[i].metric);
		if (is_new)
			columns[count++] = all[i].metric;
	}
	return count;
}

size_t comparison_count_hidden(const struct comparison_rows *rows, const struct metric *const *columns, size_t count)
{
	size_t hidden = 0;

	for (const struct metric *const *metric = rows->sets->metrics; *metric; metric++) {
		bool is_shown = false;
		for (size_t i = 0; i < count; i++)
			is_shown = is_shown || columns[i] == *metric;
		hidden += is_shown ? 0 : count_significant(rows, *metric);
	}
	return hidden;
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
