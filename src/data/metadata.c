/* SPDX-License-Identifier: MIT */
#include "data/metadata.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/build.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/row_kind.h"

#define DECIMALS_MAX 340 /* max decimals of a double whose text parses back to the same value */

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

bool build_is_leaky(const struct build *build)
{
	const struct output_file *files = build->output.files;

	return build->is_event_split && files[SPLIT_TRAIN].rows > 0 && files[SPLIT_TEST_SEEN].rows > 0;
}

void build_describe_leak(const struct build *build, struct buffer *text)
{
	buffer_printf(
	    text,
	    "no category had enough traces for test_seen.csv, so the last %" PRIu64 " of %" PRIu64
	    " training events were moved there: train.csv and test_seen.csv can contain events of the same trace, so "
	    "results on test_seen.csv may be too good",
	    build->output.files[SPLIT_TEST_SEEN].rows,
	    build->output.files[SPLIT_TRAIN].rows + build->output.files[SPLIT_TEST_SEEN].rows);
}

static char *category_of(const struct dataset_trace *trace)
{
	return trace->run.category;
}

static void add_categories(struct json_writer *json, const struct traces *traces)
{
	size_t count;
	char **categories = traces_distinct(traces, category_of, &count);

	json_array_begin(json, "categories");
	for (size_t i = 0; i < count; i++)
		json_text(json, NULL, categories[i]);
	json_array_end(json);
	free(categories);
}

static void add_original_keys(struct json_writer *json, const struct build *build)
{
	const struct output_file *files = build->output.files;
	const struct traces *traces = &build->traces;
	const char *hold_out = build->request->hold_out;
	const char *held_out = traces->unseen == SPLIT_UNSEEN ? NULL : traces->groups[traces->unseen];
	const bool by_category = !hold_out || strncmp(hold_out, "category", strlen("category")) == 0;

	json_u64(json, "total_events", files[OUTPUT_ALL].rows);
	json_u64(json, "train_events", files[SPLIT_TRAIN].rows);
	json_u64(json, "test_seen_events", files[SPLIT_TEST_SEEN].rows);
	json_u64(json, "test_unseen_events", files[SPLIT_TEST_UNSEEN].rows);
	add_ratio(json, "train_ratio", build->request->train_ratio);
	json_i64(json, "seed", build->request->seed);
	json_text(json, "unseen_category", by_category ? held_out : NULL);
	add_categories(json, traces);
	json_u64(json, "num_traces", traces->count);
	json_array_begin(json, "csv_columns");
	for (size_t i = 0; i < build->columns.count; i++)
		json_text(json, NULL, build->columns.items[i]->name);
	json_array_end(json);
	add_time(json, "created_at");
	json_text(json, "task", build->request->kind->task);
	json_text(json, "hold_out", hold_out ? hold_out : "category");
	json_text(json, "held_out", held_out);
}

static void add_split(struct json_writer *json, const struct build *build)
{
	bool leaky = build_is_leaky(build);
	struct buffer reason = {0};

	build_describe_leak(build, &reason);
	json_text(json, "split", build->is_event_split ? "event" : "trace");
	json_bool(json, "leaky", leaky);
	json_text(json, "leaky_reason", leaky ? reason.data : NULL);
	json_bool(json, "no_unseen_split", build->request->no_unseen_split);
	buffer_free(&reason);
}

/* --- Where the traces are from --- */

/* A command that recorded traces, and the picknext that ran it. */
struct recording {
	struct buffer command; /* empty: unknown */
	const char *picknext;  /* its version; "": unknown */
	uint64_t *seeds;       /* of deterministic guests; ascending when written */
	size_t seed_count, seed_capacity, traces;
};

struct recordings {
	struct recording *items;
	size_t count, capacity;
};

/* Finds or adds the recording of this command; consumes command. */
static struct recording *recording_of(struct recordings *recordings, struct buffer *command, const char *picknext)
{
	const char *text = command->data ? command->data : "";

	for (size_t i = 0; i < recordings->count; i++) {
		const char *known = recordings->items[i].command.data;
		if (strcmp(known ? known : "", text) != 0 || strcmp(recordings->items[i].picknext, picknext) != 0)
			continue;
		buffer_free(command);
		return &recordings->items[i];
	}
	recordings->items =
	    array_grow(recordings->items, &recordings->capacity, recordings->count + 1, sizeof(*recordings->items));
	recordings->items[recordings->count] = (struct recording){.command = *command, .picknext = picknext};
	return &recordings->items[recordings->count++];
}

static void note_recording(struct recordings *recordings, const struct dataset_trace *trace)
{
	const struct run_metadata *run = &trace->run.metadata;
	const char *picknext = trace->run.facts[FACT_PICKNEXT];
	struct buffer command = {0};

	arguments_quote(&run->recipe.words, " ", &command);
	struct recording *it = recording_of(recordings, &command, picknext ? picknext : "");
	it->traces++;
	if (!run->is_deterministic)
		return;
	it->seeds = array_grow(it->seeds, &it->seed_capacity, it->seed_count + 1, sizeof(*it->seeds));
	it->seeds[it->seed_count++] = run->seed;
}

static int compare_seeds(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* The seeds in the form of --seeds: "1-4,7". */
static void add_seeds(struct json_writer *json, struct recording *it)
{
	struct buffer text = {0};

	if (it->seed_count)
		qsort(it->seeds, it->seed_count, sizeof(*it->seeds), compare_seeds);
	for (size_t i = 0, last; i < it->seed_count; i = last + 1) {
		for (last = i; last + 1 < it->seed_count && it->seeds[last + 1] - it->seeds[last] <= 1;)
			last++;
		buffer_printf(&text, "%s%" PRIu64, i ? "," : "", it->seeds[i]);
		if (it->seeds[last] > it->seeds[i])
			buffer_printf(&text, "-%" PRIu64, it->seeds[last]);
	}
	json_text(json, "seeds", text.data);
	buffer_free(&text);
}

static void add_recordings(struct json_writer *json, const struct traces *traces)
{
	struct recordings recordings = {0};

	for (size_t i = 0; i < traces->count; i++)
		note_recording(&recordings, &traces->items[i]);
	json_array_begin(json, "recordings");
	for (size_t i = 0; i < recordings.count; i++) {
		struct recording *it = &recordings.items[i];
		json_object_begin(json, NULL);
		json_text(json, "command", it->command.data);
		json_text(json, "picknext_version", *it->picknext ? it->picknext : NULL);
		add_seeds(json, it);
		json_u64(json, "traces", it->traces);
		json_object_end(json);
		buffer_free(&it->command);
		free(it->seeds);
	}
	json_array_end(json);
	free(recordings.items);
}

static bool has_losses(const struct dataset_trace *trace)
{
	return losses_any(&trace->run.losses);
}

static bool has_failed(const struct dataset_trace *trace)
{
	return trace->failure;
}

static bool is_followed(const struct dataset_trace *trace)
{
	return trace->followed_only;
}

static void add_ids(struct json_writer *json, const char *key, const struct traces *traces,
		    bool (*is_listed)(const struct dataset_trace *trace))
{
	json_array_begin(json, key);
	for (size_t i = 0; i < traces->count; i++)
		if (is_listed(&traces->items[i]))
			json_text(json, NULL, traces->items[i].trace_id);
	json_array_end(json);
}

static void add_totals(struct json_writer *json, const struct build *build)
{
	const struct dataset_request *request = build->request;
	const struct traces *traces = &build->traces;
	uint64_t malformed = 0, rows = 0, decisions = 0, taken = 0;

	for (size_t i = 0; i < traces->count; i++) {
		malformed += traces->items[i].malformed_lines;
		rows += traces->items[i].rows;
		decisions += decisions_sum(traces->items[i].decisions);
		taken += decisions_sum(traces->items[i].decisions_taken);
	}
	json_u64(json, "malformed_lines", malformed);
	json_bool(json, "allow_lossy", request->allowed & ALLOW_LOSSY);
	add_ids(json, "lossy_traces", traces, has_losses);
	json_bool(json, "allow_failed", request->allowed & ALLOW_FAILED);
	add_ids(json, "failed_traces", traces, has_failed);
	add_ids(json, "followed_traces", traces, is_followed);
	json_array_begin(json, "column_types");
	for (size_t i = 0; i < build->columns.count; i++)
		json_text(json, NULL, column_type_names[build->columns.items[i]->type]);
	json_array_end(json);
	json_array_begin(json, "column_units");
	for (size_t i = 0; i < build->columns.count; i++)
		json_text(json, NULL, build->columns.items[i]->unit);
	json_array_end(json);
	json_array_begin(json, "column_meanings");
	for (size_t i = 0; i < build->columns.count; i++)
		json_text(json, NULL, build->columns.items[i]->meaning);
	json_array_end(json);
	json_text(json, "rows_of", request->kind->plural);
	json_text(json, "row_meaning", request->kind->record);
	output_write_json(&build->output, json);
	json_text(json, "picknext_version", build_version);
	json_text(json, "picknext_commit", build_commit);
	json_text(json, "build_command", request->command);
	add_recordings(json, traces);
	if (!request->kind->has_roles)
		return;
	json_u64(json, "max_rows_per_workload", request->workload_rows_max);
	json_u64(json, "max_rows_per_trace", request->trace_rows_max);
	json_u64(json, "rows_found", rows);
	json_u64(json, "decisions_found", decisions);
	json_u64(json, "decisions_taken", taken);
	json_bool(json, "weights", request->has_weights);
	json_bool(json, "include_tracer", request->include_tracer);
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
static void add_part(struct json_writer *json, const struct build *build, const struct dataset_trace *trace,
		     uint64_t rows_before)
{
	uint64_t last = rows_before + trace_rows_taken(trace);

	if (!build->is_event_split || trace->part != SPLIT_TRAIN) {
		json_text(json, "split", split_part_names[trace->part]);
	} else if (rows_before < build->kept && last > build->kept) {
		json_text(json, "split", "train+test_seen");
		json_u64(json, "train_events", build->kept - rows_before);
		json_u64(json, "test_seen_events", last - build->kept);
	} else {
		json_text(json, "split", split_part_names[last > build->kept ? SPLIT_TEST_SEEN : SPLIT_TRAIN]);
	}
}

static void add_counts(struct json_writer *json, const struct row_kind *kind, const union row_counts *counts)
{
	for (const struct row_count *count = kind->counts; count->key; count++)
		json_u64(json, count->key, *(const uint64_t *)((const char *)counts + count->at));
}

static void add_details(struct json_writer *json, const struct row_kind *kind, const struct dataset_trace *trace)
{
	const struct run_host *host = &trace->run.metadata.host;

	json_text(json, "sha256", trace->sha256);
	json_text(json, "cpus", trace->cpus);
	if (trace->weight > 0)
		json_real(json, "weight", trace->weight, 6);
	add_counts(json, kind, &trace->counts);
	json_u64(json, "decisions_taken", decisions_sum(trace->decisions_taken));
	json_object_begin(json, "tunables");
	for (size_t i = 0; i < host->tunable_count; i++)
		json_text(json, host->tunables[i].name, host->tunables[i].value);
	json_object_end(json);
}

/* Unknown values are null. */
static void add_origin(struct json_writer *json, const struct dataset_trace *trace)
{
	static const enum environment_fact facts[] = {
	    FACT_KERNEL_VERSION, FACT_KERNEL_BUILD_ID, FACT_KERNEL_IMAGE, FACT_QEMU_VERSION,
	    FACT_QEMU,           FACT_INITRAMFS,       FACT_ACCELERATOR};

	json_text(json, "kernel", trace->kernel);
	if (trace->run.metadata.is_deterministic)
		json_u64(json, "seed", trace->run.metadata.seed);
	else
		json_null(json, "seed");
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		json_text(json, environment_field(facts[i])->key, trace->run.facts[facts[i]]);
}

/* In the order of the rows in all.csv. */
static void add_traces(struct json_writer *json, const struct build *build)
{
	uint64_t rows_before = 0;

	json_array_begin(json, "traces");
	for (size_t i = 0; i < build->traces.count; i++) {
		const struct dataset_trace *trace = &build->traces.items[build->split.order[i]];
		json_object_begin(json, NULL);
		json_text(json, "trace_id", trace->trace_id);
		json_text(json, "workload_type", trace->run.workload);
		json_text(json, "category", trace->run.category);
		json_text(json, "scheduler", trace->scheduler[0] ? trace->scheduler : NULL);
		json_text(json, "set_label", trace->set_label[0] ? trace->set_label : NULL);
		json_text(json, "format", trace->run.is_text ? "text" : "trace.dat");
		json_bool(json, "virtual_time", trace->run.metadata.is_deterministic);
		json_u64(json, "events", trace_rows_taken(trace));
		add_part(json, build, trace, rows_before);
		json_u64(json, "malformed_lines", trace->malformed_lines);
		add_loss(json, &trace->run.losses);
		add_origin(json, trace);
		if (build->request->kind->has_roles)
			add_details(json, build->request->kind, trace);
		json_object_end(json);
		rows_before += trace_rows_taken(trace);
	}
	json_array_end(json);
}

void build_add_metadata(const struct build *build, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	add_original_keys(&json, build);
	add_split(&json, build);
	add_totals(&json, build);
	add_traces(&json, build);
	json_object_end(&json);
}
