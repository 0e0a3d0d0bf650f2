/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/wrap.h"
#include "compare/comparison_text.h"
#include "compare/metric_text.h"
#include "compare/run_set.h"
#include "print/forms.h"
#include "print/table.h"

#define DECIMALS 9

static bool is_shown(const struct history_series *series, bool all)
{
	return all || series->change_count > 0;
}

static const struct history_change *change_at(const struct history_series *series, size_t set)
{
	for (size_t i = 0; i < series->change_count; i++)
		if (series->changes[i].set == set)
			return &series->changes[i];
	return NULL;
}

/* "220.1 ±2% *": a star where it changed. */
static void add_cell(const struct history_series *series, size_t set, struct table *table)
{
	const struct comparison_sample *sample = &series->samples[set];
	char value[METRIC_TEXT_SIZE], spread[METRIC_TEXT_SIZE], text[3 * METRIC_TEXT_SIZE];

	spread_text(sample, spread);
	snprintf(text, sizeof(text), "%s%s%s%s", metric_value_text(sample->median, NULL, value), spread[0] ? " ±" : "",
		 spread, change_at(series, set) ? " *" : "");
	table_string(table, text);
}

/* The series of one workload, from the first of them on; returns the one after the last. */
static size_t add_workload(const struct history *history, size_t first, bool all, unsigned int width,
			   struct buffer *out)
{
	struct table_column columns[METRICS_MAX + 2] = {{.key = "set", .heading = "set", .kind = TABLE_TEXT}};
	const char *workload = history->series[first].workload;
	size_t end = first, count = 1;
	struct buffer title = {0};

	for (; end < history->series_count && strcmp(history->series[end].workload, workload) == 0; end++)
		if (is_shown(&history->series[end], all)) {
			const char *name = history->series[end].metric->name;
			columns[count++] = (struct table_column){.key = name, .heading = name, .kind = TABLE_WORD};
		}
	if (count == 1)
		return end;
	struct table table = table_of(columns);
	for (size_t set = 0; set < history->sets->count; set++) {
		table_string(&table, history->sets->items[set].label);
		for (size_t i = first; i < end; i++)
			if (is_shown(&history->series[i], all))
				add_cell(&history->series[i], set, &table);
	}
	compare_add_name(&title, workload);
	wrap_add(title.data, 0, 4, width, out);
	buffer_free(&title);
	table_write_text(&table, width, out);
	buffer_text(out, "\n");
	table_free(&table);
	return end;
}

static void add_change(const struct history *history, const struct history_series *series,
		       const struct history_change *change, unsigned int width, struct buffer *out)
{
	char text[METRIC_TEXT_SIZE], interval[METRIC_TEXT_SIZE];
	struct buffer line = {0};

	compare_add_name(&line, history->sets->items[change->set].label);
	buffer_text(&line, ": ");
	compare_add_name(&line, series->workload);
	buffer_printf(&line, ", %s %s", series->metric->name, change_text(&change->against, NULL, text));
	if (interval_text(&change->against, NULL, interval)[0])
		buffer_printf(&line, ", 95 %% interval %s", interval);
	buffer_printf(&line, ", %s, p %.2g", comparison_verdict_text(change->against.verdict), change->p);
	buffer_text(out, "  ");
	wrap_add(line.data, 2, 6, width, out);
	buffer_free(&line);
}

void history_write_text(const struct history *history, bool all, unsigned int width, struct buffer *out)
{
	size_t changes = 0;

	for (size_t i = 0; i < history->series_count;)
		i = add_workload(history, i, all, width, out);
	for (size_t i = 0; i < history->series_count; i++)
		changes += history->series[i].change_count;
	buffer_printf(out, "%zu change%s of %zu metrics in %zu sets%s\n", changes, changes == 1 ? "" : "s",
		      history->tested, history->sets->count, changes ? ":" : ".");
	for (size_t set = 0; set < history->sets->count; set++)
		for (size_t i = 0; i < history->series_count; i++)
			if (change_at(&history->series[i], set))
				add_change(history, &history->series[i], change_at(&history->series[i], set), width,
					   out);
}

static void write_changes(const struct history *history, const struct history_series *series, struct json_writer *json)
{
	json_array_begin(json, "changes");
	for (size_t i = 0; i < series->change_count; i++) {
		const struct history_change *change = &series->changes[i];
		json_object_begin(json, NULL);
		json_text(json, "set", history->sets->items[change->set].label);
		json_u64(json, "index", change->set);
		json_real(json, "change", change->against.change, DECIMALS);
		json_real(json, "low", change->against.low, DECIMALS);
		json_real(json, "high", change->against.high, DECIMALS);
		json_bool(json, "is_percent", change->against.is_percent);
		json_text(json, "verdict", comparison_verdict_text(change->against.verdict));
		json_real(json, "p", change->p, DECIMALS);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_series(const struct history *history, const struct history_series *series, struct json_writer *json)
{
	json_object_begin(json, NULL);
	json_text(json, "workload", series->workload);
	json_text(json, "metric", series->metric->name);
	json_text(json, "unit", series->metric->unit);
	json_array_begin(json, "sets");
	for (size_t set = 0; set < history->sets->count; set++) {
		const struct comparison_sample *sample = &series->samples[set];
		json_object_begin(json, NULL);
		json_text(json, "label", history->sets->items[set].label);
		json_u64(json, "runs", sample->count);
		json_real(json, "median", sample->median, DECIMALS);
		json_real(json, "spread", sample->spread, DECIMALS);
		json_object_end(json);
	}
	json_array_end(json);
	write_changes(history, series, json);
	json_object_end(json);
}

void history_write_json(const struct history *history, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_text(&json, "method", "E-divisive");
	json_real(&json, "error_rate", HISTORY_ERROR_RATE, 3);
	json_u64(&json, "tested", history->tested);
	json_array_begin(&json, "series");
	for (size_t i = 0; i < history->series_count; i++)
		write_series(history, &history->series[i], &json);
	json_array_end(&json);
	json_object_end(&json);
}
