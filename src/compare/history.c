/* SPDX-License-Identifier: MIT */
#include "compare/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/change_points.h"
#include "compare/pattern.h"
#include "compare/run_set.h"

/* --- The series --- */

static bool is_wanted(const struct run_sets *sets, const struct comparison_choice *choice, const struct metric *metric)
{
	if (!choice->metrics.count)
		return !metric->real_time_reason || !run_sets_are_deterministic(sets);
	return patterns_fit(&choice->metrics, metric->name);
}

static void free_series(struct history_series *series, size_t sets)
{
	for (size_t i = 0; i < sets; i++)
		free(series->samples[i].values);
	free(series->samples);
	free(series->changes);
}

/* Unless no run has a value. */
static void add_series(struct history *history, const char *workload, const struct metric *metric)
{
	const struct run_sets *sets = history->sets;
	struct history_series series = {.workload = workload,
					.metric = metric,
					.samples = xcalloc(sets->count, sizeof(*series.samples)),
					.changes = xcalloc(sets->count, sizeof(*series.changes))};
	size_t known = 0;

	for (size_t set = 0; set < sets->count; set++) {
		double *values = xcalloc(sets->items[set].count + 1, sizeof(*values));
		const size_t count = run_set_values(&sets->items[set], workload, NULL, metric, 0, values);
		series.samples[set] = comparison_sample(values, count);
		known += series.samples[set].count;
	}
	if (!known) {
		free_series(&series, sets->count);
		return;
	}
	history->series = xreallocarray(history->series, history->series_count + 1, sizeof(series));
	history->series[history->series_count++] = series;
}

/* --- The changes --- */

/* The values of some sets, in their order; *starts (sets + 1) may be NULL. */
static size_t gather(const struct history_series *series, size_t from, size_t end, double *values, size_t *starts)
{
	size_t count = 0;

	for (size_t set = from; set < end; set++) {
		const struct comparison_sample *sample = &series->samples[set];
		if (starts)
			starts[set - from] = count;
		memcpy(values + count, sample->values, sample->count * sizeof(*values));
		count += sample->count;
	}
	if (starts)
		starts[end - from] = count;
	return count;
}

struct work {
	double *values, *others;
	size_t *starts;
	struct change_point *points;
};

static bool varies(const struct history_series *series, size_t sets, struct work *work)
{
	size_t count = gather(series, 0, sets, work->values, NULL);

	for (size_t i = 1; i < count; i++)
		if (work->values[i] != work->values[0])
			return true;
	return false;
}

static void add_change(struct history_series *series, size_t from, size_t end, const struct change_point *point,
		       double margin, struct work *work)
{
	struct history_change *change = &series->changes[series->change_count];
	const struct comparison_sample before =
	    comparison_sample(work->values, gather(series, from, point->group, work->values, NULL));
	const struct comparison_sample after =
	    comparison_sample(work->others, gather(series, point->group, end, work->others, NULL));

	const struct comparison_meaning meaning = comparison_meaning_of(series->metric, margin);
	*change = (struct history_change){
	    .set = point->group,
	    .p = point->p,
	    .against = comparison_make(&before, &after, &meaning),
	};
	series->change_count +=
	    change->against.verdict != VERDICT_EQUAL && change->against.verdict != VERDICT_NEGLIGIBLE;
}

static void find_changes(const struct history *history, struct history_series *series, double margin, struct work *work)
{
	const size_t sets = history->sets->count;
	const double level = HISTORY_ERROR_RATE / (double)history->tested;

	gather(series, 0, sets, work->values, work->starts);
	const size_t count = change_points_find(work->values, work->starts, sets, level, work->points);
	for (size_t i = 0; i < count; i++)
		add_change(series, i ? work->points[i - 1].group : 0, i + 1 < count ? work->points[i + 1].group : sets,
			   &work->points[i], margin, work);
}

void history_make(const struct run_sets *sets, const struct comparison_choice *choice, struct history *history)
{
	const size_t runs = run_sets_run_count(sets);
	struct work work = {.values = xcalloc(runs + 1, sizeof(double)),
			    .others = xcalloc(runs + 1, sizeof(double)),
			    .starts = xcalloc(sets->count + 1, sizeof(size_t)),
			    .points = xcalloc(sets->count + 1, sizeof(struct change_point))};

	*history = (struct history){.sets = sets};
	for (size_t i = 0; i < sets->workload_count; i++)
		for (const struct metric *const *metric = sets->metrics; *metric; metric++)
			if (is_wanted(sets, choice, *metric))
				add_series(history, sets->workloads[i], *metric);
	for (size_t i = 0; i < history->series_count; i++)
		history->tested += varies(&history->series[i], sets->count, &work);
	for (size_t i = 0; i < history->series_count; i++)
		if (varies(&history->series[i], sets->count, &work))
			find_changes(history, &history->series[i], choice->margin_percent, &work);
	free(work.values);
	free(work.others);
	free(work.starts);
	free(work.points);
}

void history_free(struct history *history)
{
	for (size_t i = 0; i < history->series_count; i++)
		free_series(&history->series[i], history->sets->count);
	free(history->series);
	*history = (struct history){0};
}

/* --- For a chart --- */

double history_level(const struct history *history, const struct history_series *series, size_t set)
{
	size_t from = 0, end = history->sets->count, runs = 0;

	for (size_t i = 0; i < series->change_count; i++) {
		if (series->changes[i].set <= set)
			from = series->changes[i].set;
		else if (series->changes[i].set < end)
			end = series->changes[i].set;
	}
	for (size_t i = from; i < end; i++)
		runs += series->samples[i].count;
	double *values = xcalloc(runs + 1, sizeof(*values));
	const double level = comparison_sample(values, gather(series, from, end, values, NULL)).median;
	free(values);
	return level;
}
