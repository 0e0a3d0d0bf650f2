/* SPDX-License-Identifier: MIT */
#include "compare/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/change_points.h"
#include "compare/run_set.h"

/* --- The series --- */

static bool is_deterministic(const struct run_sets *sets)
{
	for (size_t set = 0; set < sets->count; set++)
		for (size_t i = 0; i < sets->items[set].count; i++)
			if (!sets->items[set].runs[i].metadata.is_deterministic)
				return false;
	return true;
}

static bool is_wanted(const struct run_sets *sets, const struct comparison_choice *choice, enum run_metric metric)
{
	if (!choice->metrics.count)
		return !metric_table[metric].needs_real_time || !is_deterministic(sets);
	return comparison_is_chosen(&choice->metrics, metric_table[metric].name);
}

static bool has_series_of(const struct history *history, const char *workload, enum run_metric metric)
{
	for (size_t i = 0; i < history->series_count; i++)
		if (history->series[i].metric == metric && strcmp(history->series[i].workload, workload) == 0)
			return true;
	return false;
}

static void free_series(struct history_series *series, size_t sets)
{
	for (size_t i = 0; series->samples && i < sets; i++)
		free(series->samples[i].values);
	free(series->samples);
	free(series->changes);
}

static bool fill_sample(const struct run_set *set, const struct history_series *series,
			struct comparison_sample *sample)
{
	double *values = calloc(set->count + 1, sizeof(*values));
	size_t count = 0;

	for (size_t i = 0; values && i < set->count; i++)
		if (strcmp(set->runs[i].workload, series->workload) == 0)
			values[count++] = run_metrics_of(&set->runs[i])->values[series->metric];
	if (values)
		*sample = comparison_sample(values, count);
	sample->values = values;
	return values != NULL;
}

static bool add_series(struct history *history, const char *workload, enum run_metric metric)
{
	const struct run_sets *sets = history->sets;
	struct history_series *grown = realloc(history->series, (history->series_count + 1) * sizeof(*grown));
	size_t known = 0;

	if (!grown)
		return false;
	history->series = grown;
	struct history_series *series = &grown[history->series_count];
	*series = (struct history_series){.workload = workload,
					  .metric = metric,
					  .samples = calloc(sets->count, sizeof(*series->samples)),
					  .changes = calloc(sets->count, sizeof(*series->changes))};
	bool made = series->samples && series->changes;
	for (size_t set = 0; made && set < sets->count; set++) {
		made = fill_sample(&sets->items[set], series, &series->samples[set]);
		known += series->samples[set].count;
	}
	if (made && known)
		history->series_count++;
	else
		free_series(series, sets->count);
	return made;
}

static bool add_workload(struct history *history, const struct comparison_choice *choice, const char *workload)
{
	bool made = true;

	for (enum run_metric metric = 0; made && metric < METRIC_COUNT; metric++)
		if (is_wanted(history->sets, choice, metric) && !has_series_of(history, workload, metric))
			made = add_series(history, workload, metric);
	return made;
}

static bool is_seen(const struct history *history, size_t sets, size_t runs, const char *workload)
{
	for (size_t set = 0; set <= sets; set++)
		for (size_t i = 0; i < (set == sets ? runs : history->sets->items[set].count); i++)
			if (strcmp(history->sets->items[set].runs[i].workload, workload) == 0)
				return true;
	return false;
}

static bool add_all(struct history *history, const struct comparison_choice *choice)
{
	bool made = true;

	for (size_t set = 0; set < history->sets->count; set++)
		for (size_t i = 0; made && i < history->sets->items[set].count; i++) {
			const char *workload = history->sets->items[set].runs[i].workload;
			if (!is_seen(history, set, i, workload))
				made = add_workload(history, choice, workload);
		}
	return made;
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

static bool begin_work(const struct run_sets *sets, struct work *work)
{
	size_t runs = 0;

	for (size_t set = 0; set < sets->count; set++)
		runs += sets->items[set].count;
	*work = (struct work){.values = calloc(runs + 1, sizeof(double)),
			      .others = calloc(runs + 1, sizeof(double)),
			      .starts = calloc(sets->count + 1, sizeof(size_t)),
			      .points = calloc(sets->count + 1, sizeof(struct change_point))};
	return work->values && work->others && work->starts && work->points;
}

static void end_work(struct work *work)
{
	free(work->values);
	free(work->others);
	free(work->starts);
	free(work->points);
}

static bool varies(const struct history_series *series, size_t sets, struct work *work)
{
	size_t count = gather(series, 0, sets, work->values, NULL);

	for (size_t i = 1; i < count; i++)
		if (work->values[i] != work->values[0])
			return true;
	return false;
}

static bool add_change(struct history_series *series, size_t from, size_t end, const struct change_point *point,
		       double margin, struct work *work)
{
	struct history_change *change = &series->changes[series->change_count];
	const struct comparison_sample before =
	    comparison_sample(work->values, gather(series, from, point->group, work->values, NULL));
	const struct comparison_sample after =
	    comparison_sample(work->others, gather(series, point->group, end, work->others, NULL));

	*change = (struct history_change){.set = point->group, .p = point->p};
	if (!comparison_make(&before, &after, metric_table[series->metric].direction, margin, &change->against))
		return false;
	series->change_count += change->against.verdict != VERDICT_EQUAL;
	return true;
}

static bool find_changes(const struct history *history, struct history_series *series, double margin, struct work *work)
{
	const size_t sets = history->sets->count;
	const double level = HISTORY_ERROR_RATE / (double)history->tested;
	size_t count;

	gather(series, 0, sets, work->values, work->starts);
	bool made = change_points_find(work->values, work->starts, sets, level, work->points, &count);
	for (size_t i = 0; made && i < count; i++)
		made = add_change(series, i ? work->points[i - 1].group : 0,
				  i + 1 < count ? work->points[i + 1].group : sets, &work->points[i], margin, work);
	return made;
}

enum status history_make(const struct run_sets *sets, const struct comparison_choice *choice, struct history *history,
			 struct error *err)
{
	struct work work;

	*history = (struct history){.sets = sets};
	bool made = begin_work(sets, &work) && add_all(history, choice);
	for (size_t i = 0; made && i < history->series_count; i++)
		history->tested += varies(&history->series[i], sets->count, &work);
	for (size_t i = 0; made && i < history->series_count; i++)
		if (varies(&history->series[i], sets->count, &work))
			made = find_changes(history, &history->series[i], choice->margin_percent, &work);
	end_work(&work);
	return made ? STATUS_OK : error_system(err, ENOMEM, NULL, "cannot compare");
}

void history_free(struct history *history)
{
	for (size_t i = 0; i < history->series_count; i++)
		free_series(&history->series[i], history->sets->count);
	free(history->series);
	*history = (struct history){0};
}

/* --- For a chart --- */

bool history_level(const struct history *history, const struct history_series *series, size_t set, double *level)
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
	double *values = calloc(runs + 1, sizeof(*values));
	*level = NAN;
	if (!values)
		return false;
	const struct comparison_sample all = comparison_sample(values, gather(series, from, end, values, NULL));
	*level = all.median;
	free(values);
	return true;
}
