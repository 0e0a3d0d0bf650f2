/* SPDX-License-Identifier: MIT */
#include "data/decision_metadata.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/build.h"
#include "base/json.h"
#include "base/utc.h"

static const char *const part_names[SPLIT_PARTS] = {"train", "test_seen", "test_unseen"};

static void add_totals(struct json_writer *json, const struct decision_metadata *metadata)
{
	const struct output_file *files = metadata->output->files;
	const struct dataset_request *common = &metadata->request->common;
	size_t unseen = metadata->traces->unseen;
	char now[UTC_TEXT_SIZE];

	json_u64(json, "total_events", files[OUTPUT_ALL].rows);
	json_u64(json, "train_events", files[SPLIT_TRAIN].rows);
	json_u64(json, "test_seen_events", files[SPLIT_TEST_SEEN].rows);
	json_u64(json, "test_unseen_events", files[SPLIT_TEST_UNSEEN].rows);
	json_text(json, "task", "decision");
	json_real(json, "train_ratio", common->train_ratio, 6);
	json_i64(json, "seed", common->seed);
	json_text(json, "hold_out", metadata->request->hold_out ? metadata->request->hold_out : "category");
	json_text(json, "held_out", unseen == SPLIT_NO_CATEGORY ? NULL : metadata->traces->groups[unseen]);
	json_u64(json, "max_rows_per_workload", metadata->request->rows_max);
	json_bool(json, "weights", metadata->request->has_weights);
	json_bool(json, "include_tracer", metadata->request->include_tracer);
	json_bool(json, "allow_lossy", common->allow_lossy);
	json_bool(json, "allow_failed", common->allow_failed);
	json_array_begin(json, "csv_columns");
	for (size_t i = 0; i < decision_column_count(metadata->request->has_weights); i++)
		json_text(json, NULL, decision_columns[i].column.name);
	json_array_end(json);
	json_array_begin(json, "column_types");
	for (size_t i = 0; i < decision_column_count(metadata->request->has_weights); i++)
		json_text(json, NULL, column_type_names[decision_columns[i].column.type]);
	json_array_end(json);
	utc_text_created(now);
	json_text(json, "created_at", now);
	json_text(json, "picknext_version", build_version);
	json_text(json, "picknext_commit", build_commit);
}

/* Every switch of a trace is counted once. */
static void add_counts(struct json_writer *json, const struct decision_counts *counts)
{
	static const struct {
		const char *key;
		size_t at;
	} keys[] = {
	    {"switches", offsetof(struct decision_counts, switches)},
	    {"decisions", offsetof(struct decision_counts, decisions)},
	    {"switches_to_idle", offsetof(struct decision_counts, to_idle)},
	    {"switches_excluded", offsetof(struct decision_counts, excluded)},
	    {"switches_near_losses", offsetof(struct decision_counts, after_loss)},
	    {"switches_without_known_wait", offsetof(struct decision_counts, without_wait)},
	    {"decisions_with_choice", offsetof(struct decision_counts, choices)},
	    {"chosen_empty", offsetof(struct decision_counts, unlisted)},
	    {"prev_ran_ns_empty", offsetof(struct decision_counts, prev_ran_unknown)},
	    {"candidates_listed", offsetof(struct decision_counts, candidates)},
	    {"candidate_slice_ns_unknown", offsetof(struct decision_counts, slices_unknown)},
	    {"candidate_last_cpus_unknown", offsetof(struct decision_counts, last_cpus_unknown)},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_u64(json, keys[i].key, *(const uint64_t *)((const char *)counts + keys[i].at));
}

static void add_trace(struct json_writer *json, const struct decision_trace *trace)
{
	const struct run_host *host = &trace->run.metadata.host;

	json_object_begin(json, NULL);
	json_text(json, "trace_id", trace->trace_id);
	json_text(json, "sha256", trace->sha256);
	json_text(json, "workload_type", trace->run.workload);
	json_text(json, "category", trace->run.category);
	json_text(json, "kernel", trace->kernel);
	json_text(json, "scheduler", trace->scheduler);
	json_text(json, "cpus", trace->cpus);
	json_text(json, "split", trace->left_out ? NULL : part_names[trace->part]);
	json_bool(json, "left_out", trace->left_out);
	if (trace->weight > 0)
		json_real(json, "weight", trace->weight, 6);
	add_counts(json, &trace->counts);
	json_u64(json, "lost_events", losses_events(&trace->run.losses));
	json_object_begin(json, "tunables");
	for (size_t i = 0; i < host->tunable_count; i++)
		json_text(json, host->tunables[i].name, host->tunables[i].value);
	json_object_end(json);
	json_object_end(json);
}

void decision_metadata_write(const struct decision_metadata *metadata, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	add_totals(&json, metadata);
	output_write_json(metadata->output, &json);
	novelty_add_json(metadata->novelty, &json);
	json_array_begin(&json, "traces");
	for (size_t i = 0; i < metadata->traces->count; i++)
		add_trace(&json, &metadata->traces->items[i]);
	json_array_end(&json);
	json_object_end(&json);
	buffer_text(out, "\n");
}
