/* SPDX-License-Identifier: MIT */
#include "compare/run_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/input.h"

static void free_set(struct run_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct run_results *results = set->runs[i].results;
		run_metrics_free(&results->whole);
		run_metrics_free(&results->steady);
		free(results->names.items);
		free(results->earlier_workloads);
		free(results);
		run_free(&set->runs[i]);
	}
	free(set->runs);
	recorded_set_free(&set->recorded);
	reach_free(&set->reach);
	free(set->operand);
	free(set->label);
}

void run_sets_free(struct run_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		free_set(&sets->items[i]);
	free(sets->items);
	free(sets->values);
	free(sets->workloads);
	free(sets->pairs);
	*sets = (struct run_sets){0};
}

/* --- Metrics --- */

/* NULL: the run has no such task. */
static const struct run_metrics *metrics_of(const struct run *run, const char *task)
{
	const struct run_names *names = &run->results->names;

	if (!task)
		return run_metrics_of(run);
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i].name, task) == 0)
			return run->results->is_steady ? &names->items[i].steady : &names->items[i].whole;
	return NULL;
}

double run_value(const struct run *run, const char *task, const struct metric *metric)
{
	const struct run_metrics *metrics = metric_is_value(metric) ? NULL : metrics_of(run, task);

	if (metrics)
		return metrics->values[metric_index(metric)];
	for (size_t i = 0; i < run->metadata.value_count && !task; i++)
		if (strcmp(run->metadata.values[i].name, metric->name) == 0)
			return run->metadata.values[i].value;
	return NAN;
}

const struct metric *run_sets_metric(const struct run_sets *sets, const char *name)
{
	const struct metric *const *metric = sets->metrics;

	while (*metric && strcmp((*metric)->name, name) != 0)
		metric++;
	return *metric;
}

/* --- Labels --- */

static const char *last_parts(const char *path, unsigned int count, size_t *length)
{
	*length = strlen(path);
	while (*length > 1 && path[*length - 1] == '/')
		--*length;
	const char *end = path + *length;
	const char *begin = end;
	while (begin > path && (begin[-1] != '/' || (--count && begin != end)))
		begin--;
	*length = (size_t)(end - begin);
	return begin;
}

static char *label_of(const struct run_set *set)
{
	const char *kernel = set->runs[0].facts[FACT_KERNEL];
	size_t length;

	if (set->recorded.label[0])
		return xstrdup(set->recorded.label);
	for (size_t i = 1; i < set->count && kernel; i++)
		if (!set->runs[i].facts[FACT_KERNEL] || strcmp(set->runs[i].facts[FACT_KERNEL], kernel) != 0)
			kernel = NULL;
	if (kernel)
		return xstrdup(kernel);
	const char *part = last_parts(set->operand, 1, &length);
	return xstrndup(part, length);
}

/* Uses the last parts of the operand instead, and in the last attempt also the number of the set. */
static void relabel(struct run_set *set, unsigned int parts, size_t number)
{
	size_t length;
	const char *part = last_parts(set->operand, parts, &length);

	free(set->label);
	set->label = number ? xasprintf("%.*s (%zu)", (int)length, part, number) : xstrndup(part, length);
}

void run_sets_label(struct run_sets *sets)
{
	enum { PARTS_MAX = 8, SETS_MAX = 64 };
	size_t count = sets->count < SETS_MAX ? sets->count : SETS_MAX;

	for (size_t i = 0; i < sets->count; i++)
		sets->items[i].label = label_of(&sets->items[i]);
	for (unsigned int parts = 1; parts <= PARTS_MAX; parts++) {
		bool shared[SETS_MAX] = {false};
		for (size_t i = 0; i < count; i++)
			for (size_t other = 0; other < sets->count; other++)
				shared[i] |= other != i && strcmp(sets->items[other].label, sets->items[i].label) == 0;
		for (size_t i = 0; i < count; i++)
			if (shared[i])
				relabel(&sets->items[i], parts, parts == PARTS_MAX ? i + 1 : 0);
	}
}

/* --- Interface --- */

struct run *run_sets_run(const struct run_sets *sets, size_t number, struct run_set **set)
{
	struct run_set *found = sets->items;

	for (; number >= found->count; found++)
		number -= found->count;
	*set = found;
	return &found->runs[number];
}

struct run *run_sets_next(const struct run_sets *sets, const struct run *run)
{
	for (const struct run_set *set = sets->items; set < sets->items + sets->count; set++) {
		struct run *end = set->runs + set->count;
		if (!run && set->count)
			return set->runs;
		if (run < set->runs || run >= end)
			continue;
		if (run + 1 < end)
			return set->runs + (run + 1 - set->runs);
		run = NULL;
	}
	return NULL;
}

size_t run_set_values(const struct run_set *set, const char *workload, const char *task, const struct metric *metric,
		      double seconds, double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct run *run = &set->runs[i];
		if (!run_is_of(run, workload))
			continue;
		values[count] = run_value(run, task, metric);
		if (seconds > 0 && !isnan(values[count])) /* the number is exact: a constant one is the same value */
			values[count] =
			    floor(values[count] * (double)metrics_of(run, task)->duration_ns / 1e9 + 0.5) / seconds;
		count++;
	}
	return count;
}

bool run_sets_are_deterministic(const struct run_sets *sets)
{
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (!run->metadata.is_deterministic)
			return false;
	return true;
}

size_t run_sets_run_count(const struct run_sets *sets)
{
	size_t count = 0;

	for (size_t set = 0; set < sets->count; set++)
		count += sets->items[set].count;
	return count;
}

enum status run_sets_refuse_overwriting(const struct run_sets *sets, const char *path, struct error *err)
{
	for (const struct run *run = NULL; path && (run = run_sets_next(sets, run));)
		if (input_refuse_overwriting(run->path, path, err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}
