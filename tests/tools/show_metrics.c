/* SPDX-License-Identifier: MIT
 *
 * show_metrics [--refuse-lossy] OPERAND...: the sets of runs that picknext compare reads, as JSON: of each run its
 * labels, every metric of the whole run and of its steady part (null: it has none) and the facts about its machine. For
 * comparison with tests/support/reference_metrics.py. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "compare/run_reader.h"
#include "workloads/table.h"

static void add_metrics(struct json_writer *json, const struct run_metrics *metrics)
{
	json_u64(json, "begin_ns", metrics->begin_ns);
	json_u64(json, "duration_ns", metrics->duration_ns);
	json_u64(json, "slices", metrics->distributions[RUN_SLICES].count);
	json_u64(json, "slices_ns", metrics->distributions[RUN_SLICES].sum);
	json_u64(json, "wakeups", metrics->distributions[RUN_WAKEUPS].count);
	json_u64(json, "wakeups_ns", metrics->distributions[RUN_WAKEUPS].sum);
	json_object_begin(json, "metrics");
	for (const struct metric *metric = metric_table(); metric->name; metric++)
		json_real(json, metric->name, metrics->values[metric_index(metric)], 9);
	json_object_end(json);
}

static void add_run(struct json_writer *json, const struct run *run)
{
	json_object_begin(json, NULL);
	json_text(json, "id", run->id);
	json_text(json, "path", run->path);
	json_text(json, "workload", run->workload);
	json_u64(json, "number", run->number);
	json_bool(json, "has_metadata", run_has_metadata(run));
	json_bool(json, "is_lossy", run->results->is_lossy);
	json_u64(json, "grade", run->results->grade);
	json_text(json, "finding", run->results->finding);
	json_u64(json, "events", run->results->events);
	json_bool(json, "lacks_switches", run->results->lacks_switches);
	add_metrics(json, &run->results->whole);
	json_object_begin(json, "steady");
	add_metrics(json, &run->results->steady);
	json_object_end(json);
	json_object_begin(json, "facts");
	for (size_t i = 0; i < FACT_COUNT; i++)
		json_text(json, environment_field(i)->key, run->facts[i]);
	json_object_end(json);
	json_object_end(json);
}

int main(int argc, char **argv)
{
	bool refuse = argc > 1 && strcmp(argv[1], "--refuse-lossy") == 0;
	struct known_workload known[64];
	size_t count = 0;
	struct run_sets sets;
	struct error err = {0};
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	char line[2048];

	for (; workload_at(count); count++)
		known[count] = (struct known_workload){workload_at(count)->name, workload_at(count)->task_names,
						       workload_at(count)->tasks};
	const struct run_set_options options = {
	    .known = known, .known_count = count, .allowed = refuse ? 0 : ALLOW_FAILED};
	enum status status = run_sets_list(argv + 1 + refuse, (size_t)(argc - 1 - refuse), &options, &sets, &err);
	if (status == STATUS_OK)
		status = run_sets_read(&sets, !refuse, 1, &err);
	json_array_begin(&json, NULL);
	for (size_t i = 0; status == STATUS_OK && i < sets.count; i++) {
		json_object_begin(&json, NULL);
		json_text(&json, "operand", sets.items[i].operand);
		json_text(&json, "label", sets.items[i].label);
		json_array_begin(&json, "runs");
		for (size_t run = 0; run < sets.items[i].count; run++)
			add_run(&json, &sets.items[i].runs[run]);
		json_array_end(&json);
		json_object_end(&json);
	}
	json_array_end(&json);
	run_sets_free(&sets);
	if (status == STATUS_OK) {
		fwrite(text.data, 1, text.length, stdout);
	} else {
		error_text(&err, line, sizeof(line));
		fprintf(stderr, "show_metrics: %s\n", line);
	}
	buffer_free(&text);
	return error_exit_code(&err);
}
