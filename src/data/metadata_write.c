/* SPDX-License-Identifier: MIT */
#include "data/metadata_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "base/json.h"
#include "base/number.h"
#include "base/utc.h"
#include "data/csv.h"

#define DECIMALS_MAX 340 /* of a double in a text that parses back to the same value */

static const char *const part_names[SPLIT_PARTS] = {"train", "test_seen", "test_unseen"};

static void add_time(struct json_writer *json, const char *key)
{
	char now[UTC_TEXT_SIZE];

	utc_text_created(now);
	json_text(json, key, now);
}

/* The shortest text that parses back to the same number: 0.8, not 0.80000000000000004. */
static void add_ratio(struct json_writer *json, const char *key, double value)
{
	char text[DECIMALS_MAX + 8];
	int decimals = 1;
	double read;

	for (; decimals < DECIMALS_MAX; decimals++) {
		snprintf(text, sizeof(text), "%.*f", decimals, value);
		if (number_parse_real(text, &read) && read == value)
			break;
	}
	json_real(json, key, value, decimals);
}

bool fallback_is_leaky(const struct fallback *fallback, const struct output *output)
{
	return fallback->used && output->files[SPLIT_TRAIN].rows > 0 && output->files[SPLIT_TEST_SEEN].rows > 0;
}

void fallback_describe(const struct metadata *metadata, struct buffer *text)
{
	buffer_printf(
	    text,
	    "no category had enough traces for test_seen.csv, so the last %" PRIu64 " of %" PRIu64
	    " training events were moved there: train.csv and test_seen.csv can contain events of the same trace, so "
	    "results on test_seen.csv may be too good",
	    metadata->output->files[SPLIT_TEST_SEEN].rows,
	    metadata->output->files[SPLIT_TRAIN].rows + metadata->output->files[SPLIT_TEST_SEEN].rows);
}

static void add_original_keys(struct json_writer *json, const struct metadata *metadata)
{
	const struct output_file *files = metadata->output->files;
	const struct traces *traces = metadata->traces;
	size_t unseen = metadata->split->unseen_category;

	json_u64(json, "total_events", files[OUTPUT_ALL].rows);
	json_u64(json, "train_events", files[SPLIT_TRAIN].rows);
	json_u64(json, "test_seen_events", files[SPLIT_TEST_SEEN].rows);
	json_u64(json, "test_unseen_events", files[SPLIT_TEST_UNSEEN].rows);
	add_ratio(json, "train_ratio", metadata->request->train_ratio);
	json_i64(json, "seed", metadata->request->seed);
	json_text(json, "unseen_category", unseen == SPLIT_NO_CATEGORY ? NULL : traces->categories[unseen]);
	json_array_begin(json, "categories");
	for (size_t i = 0; i < traces->category_count; i++)
		json_text(json, NULL, traces->categories[i]);
	json_array_end(json);
	json_u64(json, "num_traces", traces->count);
	json_array_begin(json, "csv_columns");
	for (size_t i = 0; i < csv_column_count(metadata->request->columns); i++)
		json_text(json, NULL, csv_column_at(metadata->request->columns, i)->column.name);
	json_array_end(json);
	add_time(json, "created_at");
}

static void add_split(struct json_writer *json, const struct metadata *metadata)
{
	bool leaky = fallback_is_leaky(metadata->fallback, metadata->output);
	struct buffer reason = {0};

	fallback_describe(metadata, &reason);
	json_text(json, "split", metadata->fallback->used ? "event" : "trace");
	json_bool(json, "leaky", leaky);
	json_text(json, "leaky_reason", leaky ? reason.data : NULL);
	json_bool(json, "no_unseen_split", metadata->request->no_unseen_split);
	buffer_free(&reason);
}

static void add_totals(struct json_writer *json, const struct metadata *metadata)
{
	uint64_t malformed = 0;

	for (size_t i = 0; i < metadata->traces->count; i++)
		malformed += metadata->traces->items[i].malformed_lines;
	json_u64(json, "malformed_lines", malformed);
	json_bool(json, "allow_lossy", metadata->request->allow_lossy);
	json_array_begin(json, "lossy_traces");
	for (size_t i = 0; i < metadata->traces->count; i++)
		if (losses_any(&metadata->traces->items[i].run.losses))
			json_text(json, NULL, metadata->traces->items[i].run.id);
	json_array_end(json);
	json_bool(json, "allow_failed", metadata->request->allow_failed);
	json_array_begin(json, "failed_traces");
	for (size_t i = 0; i < metadata->traces->count; i++)
		if (metadata->traces->items[i].failure)
			json_text(json, NULL, metadata->traces->items[i].run.id);
	json_array_end(json);
	json_array_begin(json, "followed_traces");
	for (size_t i = 0; i < metadata->traces->count; i++)
		if (metadata->traces->items[i].followed_only)
			json_text(json, NULL, metadata->traces->items[i].run.id);
	json_array_end(json);
	json_array_begin(json, "column_types");
	for (size_t i = 0; i < csv_column_count(metadata->request->columns); i++)
		json_text(json, NULL, column_type_names[csv_column_at(metadata->request->columns, i)->column.type]);
	json_array_end(json);
	output_write_json(metadata->output, json);
	json_text(json, "picknext_version", build_version);
	json_text(json, "picknext_commit", build_commit);
}

static void add_loss(struct json_writer *json, const struct losses *losses)
{
	json_u64(json, "lost_events", losses_events(losses));
	json_bool(json, "incomplete", losses->incomplete);
	json_array_begin(json, "lost");
	for (size_t i = 0; i < losses->count; i++) {
		json_object_begin(json, NULL);
		if (losses->items[i].cpu != LOSS_CPU_UNKNOWN)
			json_u64(json, "cpu", losses->items[i].cpu);
		else
			json_null(json, "cpu");
		if (losses->items[i].events)
			json_u64(json, "events", losses->items[i].events);
		else
			json_null(json, "events");
		json_object_end(json);
	}
	json_array_end(json);
}

/* A trace divided by the fallback split is listed in both parts, with the number of its events in each. */
static void add_part(struct json_writer *json, const struct metadata *metadata, const struct dataset_trace *trace,
		     uint64_t events_before)
{
	const struct fallback *fallback = metadata->fallback;
	uint64_t last = events_before + trace->events;

	if (!fallback->used || trace->part != SPLIT_TRAIN) {
		json_text(json, "split", part_names[trace->part]);
	} else if (events_before < fallback->kept && last > fallback->kept) {
		json_text(json, "split", "train+test_seen");
		json_u64(json, "train_events", fallback->kept - events_before);
		json_u64(json, "test_seen_events", last - fallback->kept);
	} else {
		json_text(json, "split", part_names[last > fallback->kept ? SPLIT_TEST_SEEN : SPLIT_TRAIN]);
	}
}

/* In the order of the rows in all.csv. */
static void add_traces(struct json_writer *json, const struct metadata *metadata)
{
	uint64_t events_before = 0;

	json_array_begin(json, "traces");
	for (size_t i = 0; i < metadata->traces->count; i++) {
		const struct dataset_trace *trace = &metadata->traces->items[metadata->split->order[i]];
		json_object_begin(json, NULL);
		json_text(json, "trace_id", trace->run.id);
		json_text(json, "workload_type", trace->run.workload);
		json_text(json, "category", trace->run.category);
		json_text(json, "scheduler", trace->scheduler[0] ? trace->scheduler : NULL);
		json_text(json, "format", trace->run.is_text ? "text" : "trace.dat");
		json_u64(json, "events", trace->events);
		add_part(json, metadata, trace, events_before);
		json_u64(json, "malformed_lines", trace->malformed_lines);
		add_loss(json, &trace->run.losses);
		json_object_end(json);
		events_before += trace->events;
	}
	json_array_end(json);
}

void metadata_write(const struct metadata *metadata, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	add_original_keys(&json, metadata);
	add_split(&json, metadata);
	add_totals(&json, metadata);
	add_traces(&json, metadata);
	json_object_end(&json);
}
