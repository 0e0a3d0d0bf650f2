/* SPDX-License-Identifier: MIT
 *
 * A comparison as CSV and JSON, with every row. */
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/escape.h"
#include "base/json.h"
#include "compare/remarks.h"
#include "compare/run_facts.h"
#include "compare/run_reader.h"
#include "print/forms.h"

enum { DECIMALS = 9, VALUE_DECIMALS = 12 };

static void put_field(struct buffer *out, const char *text)
{
	csv_field_add(out, text, strlen(text));
	buffer_text(out, ",");
}

static void put_real(struct buffer *out, double value)
{
	if (isfinite(value))
		buffer_printf(out, "%.*f", DECIMALS, value);
	buffer_text(out, ",");
}

static void put_sample(struct buffer *out, const char *label, const struct comparison_sample *sample)
{
	put_field(out, label);
	buffer_printf(out, "%zu,", sample->count);
	put_real(out, sample->median);
	put_real(out, sample->spread);
}

void compare_write_csv(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;

	buffer_text(out, "workload,metric,unit,base,base_runs,base_median,base_spread,head,head_runs,head_median,"
			 "head_spread,change,low,high,change_unit,verdict,p,p_family,significant\n");
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct comparison_row *row = &rows->rows[i];
		for (size_t set = 1; set < rows->sets->count; set++) {
			const struct comparison *against = &row->cells[set].against;
			put_field(out, rows->workloads[row->workload].name);
			put_field(out, row->metric->name);
			put_field(out, row->metric->unit);
			put_sample(out, rows->sets->items[0].label, &row->cells[0].sample);
			put_sample(out, rows->sets->items[set].label, &row->cells[set].sample);
			put_real(out, against->change);
			put_real(out, against->low);
			put_real(out, against->high);
			put_field(out, against->verdict == VERDICT_NONE ? ""
				       : against->is_percent            ? "%"
									: row->metric->unit);
			buffer_printf(out, "%s,", comparison_verdict_text(against->verdict));
			put_real(out, against->p);
			put_real(out, row->cells[set].p_family);
			buffer_printf(out, "%d\n", comparison_differs(against) && row->cells[set].is_significant);
		}
	}
}

static void json_add_method(const struct compare_output *output, struct json_writer *json)
{
	json_object_begin(json, "method");
	json_text(json, "interval", "interpolated order statistics of each median, combined by MOVER");
	json_real(json, "confidence", 0.95, 2);
	json_u64(json, "least_runs", COMPARISON_RUNS_MIN);
	json_real(json, "margin_percent", output->choice->margin_percent, 6);
	json_real(json, "false_discovery_rate", COMPARISON_FALSE_RATE, 6);
	json_bool(json, "strict", output->choice->strict);
	json_object_end(json);
}

static void json_add_failed(const struct run_set *set, struct json_writer *json)
{
	char failure[RUN_FAILURE_SIZE];

	json_array_begin(json, "failed_runs");
	for (size_t i = 0; i < set->count; i++)
		if (run_failure(&set->runs[i].metadata, failure))
			json_bytes(json, NULL, set->runs[i].id, strlen(set->runs[i].id));
	json_array_end(json);
}

static void json_add_text(struct json_writer *json, const char *key, const char *text)
{
	if (text)
		json_bytes(json, key, text, strlen(text));
	else
		json_null(json, key);
}

/* Faults that the guests' kernels reported on their consoles; null for sets that vm did not make. */
static void json_add_faults(const struct recorded_set *set, struct json_writer *json)
{
	const struct run_outcome *first;
	const size_t count = recorded_set_faults(set, &first);

	if (set->boots.count == 0) {
		json_null(json, "kernel_faults");
		return;
	}
	json_object_begin(json, "kernel_faults");
	json_u64(json, "boots", count);
	json_u64(json, "of", set->boots.count);
	json_add_text(json, "first", first ? first->fault : NULL);
	json_object_end(json);
}

/* null without vm --reached, and executed without anything that could be counted. */
static void json_add_reach(const struct reach *reach, struct json_writer *json)
{
	if (reach->count == 0) {
		json_null(json, "reached");
		return;
	}
	json_object_begin(json, "reached");
	if (reach->is_known)
		json_u64(json, "executed", reach->executed);
	else
		json_null(json, "executed");
	json_u64(json, "workloads", reach->reached);
	json_u64(json, "of", reach->workloads);
	json_array_begin(json, "places");
	for (size_t i = 0; i < reach->count; i++) {
		const struct reach_place *place = &reach->places[i];
		json_object_begin(json, NULL);
		json_add_text(json, "name", place->name);
		if (place->is_counted)
			json_u64(json, "executed", place->executed);
		else
			json_null(json, "executed");
		json_u64(json, "workloads", place->workloads);
		json_add_text(json, "most", place->most);
		json_add_text(json, "reason", place->reason);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void json_add_sets(const struct run_sets *sets, struct json_writer *json)
{
	char value[176];

	json_array_begin(json, "sets");
	for (size_t set = 0; set < sets->count; set++) {
		json_object_begin(json, NULL);
		json_bytes(json, "operand", sets->items[set].operand, strlen(sets->items[set].operand));
		json_bytes(json, "label", sets->items[set].label, strlen(sets->items[set].label));
		json_u64(json, "runs", sets->items[set].count);
		json_add_failed(&sets->items[set], json);
		json_add_faults(&sets->items[set].recorded, json);
		json_add_reach(&sets->items[set].reach, json);
		json_object_begin(json, "environment");
		for (enum environment_fact fact = 0; fact < COMPARED_FACTS; fact++) {
			run_set_fact(&sets->items[set], NULL, fact, value, sizeof(value));
			json_bytes(json, compared_field(fact)->key, value, strlen(value));
		}
		json_object_end(json);
		json_object_end(json);
	}
	json_array_end(json);
	json_array_begin(json, "differing_environment");
	for (enum environment_fact fact = 0; fact < COMPARED_FACTS; fact++)
		if (run_sets_differ_besides_kernel(sets, fact))
			json_text(json, NULL, compared_field(fact)->key);
	json_array_end(json);
}

/* For each workload, the part of its runs from which the metrics are. */
static void json_add_parts(const struct comparison_rows *rows, struct json_writer *json)
{
	static const char *const parts[] = {"steady", "whole", "whole: steady part too short"};

	json_array_begin(json, "parts");
	for (size_t i = 0; i < rows->workload_count; i++) {
		const char *workload = rows->workloads[i].workload;
		if (rows->workloads[i].family != i)
			continue;
		json_object_begin(json, NULL);
		json_bytes(json, "workload", workload, strlen(workload));
		json_text(json, "part", parts[run_sets_part(rows->sets, workload)]);
		json_array_begin(json, "sets");
		for (size_t set = 0; set < rows->sets->count; set++) {
			struct run_left_out left_out = run_set_left_out(&rows->sets->items[set], workload);
			json_object_begin(json, NULL);
			json_real(json, "left_out_start_percent", left_out.start, 3);
			json_real(json, "left_out_end_percent", left_out.end, 3);
			json_object_end(json);
		}
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void json_add_remarks(const struct compare_output *output, struct json_writer *json)
{
	struct buffer line = {0};

	json_array_begin(json, "notices");
	for (size_t i = 0; i < output->remarks->lines.count; i++) {
		const struct remark_line *item = &output->remarks->lines.items[i];
		buffer_clear(&line);
		buffer_printf(&line, "%*s%s", (int)item->indent, "", item->text);
		json_bytes(json, NULL, line.data, line.length);
	}
	buffer_free(&line);
	json_array_end(json);
}

static void json_add_sample(const struct comparison_cell *cell, size_t runs, struct json_writer *json)
{
	const struct comparison_sample *sample = &cell->sample;

	json_u64(json, "runs", sample->count);
	json_real(json, "median", sample->median, VALUE_DECIMALS);
	json_real(json, "spread", sample->spread, VALUE_DECIMALS);
	json_real(json, "spread_percent", sample->spread_percent, VALUE_DECIMALS);
	json_array_begin(json, "values");
	for (size_t i = 0; i < runs && sample->count; i++)
		json_real(json, NULL, cell->by_run[i], VALUE_DECIMALS);
	json_array_end(json);
}

static void json_add_change(const struct comparison_cell *cell, struct json_writer *json)
{
	const struct comparison *against = &cell->against;

	json_real(json, "change", against->change, DECIMALS);
	json_real(json, "low", against->low, DECIMALS);
	json_real(json, "high", against->high, DECIMALS);
	json_bool(json, "is_percent", against->is_percent);
	json_text(json, "verdict", comparison_verdict_text(against->verdict));
	json_real(json, "p", against->p, DECIMALS);
	json_real(json, "p_family", cell->p_family, DECIMALS);
	if (cell->runs_needed)
		json_u64(json, "runs_needed", cell->runs_needed);
	else
		json_null(json, "runs_needed"); /* no number of runs would decide, or nothing is unclear */
	json_bool(json, "significant", comparison_differs(against) && cell->is_significant);
}

static void json_add_rows(const struct comparison_rows *rows, struct json_writer *json)
{
	static const char *const directions[] = {"lower", "neither", "higher"};

	json_array_begin(json, "rows");
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct comparison_row *row = &rows->rows[i];
		const struct comparison_workload *workload = &rows->workloads[row->workload];
		json_object_begin(json, NULL);
		json_bytes(json, "workload", workload->workload, strlen(workload->workload));
		if (workload->task)
			json_bytes(json, "task", workload->task, strlen(workload->task));
		json_text(json, "metric", row->metric->name);
		json_text(json, "unit", row->metric->unit);
		json_text(json, "better", directions[row->metric->direction + 1]);
		json_bool(json, "excluded", row->is_excluded);
		json_real(json, "floor", row->metric->floor, 6);
		json_array_begin(json, "sets");
		for (size_t set = 0; set < rows->sets->count; set++) {
			json_object_begin(json, NULL);
			json_add_sample(&row->cells[set], rows->workloads[row->workload].runs[set], json);
			if (set)
				json_add_change(&row->cells[set], json);
			json_object_end(json);
		}
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void json_add_gates(const struct compare_output *output, struct json_writer *json)
{
	static const char *const results[] = {"pass", "fail", "inconclusive", "not exercised"};
	char reason[256];

	json_array_begin(json, "gates");
	for (size_t i = 0; i < output->gates->case_count; i++) {
		const struct gate_case *gate_case = &output->gates->cases[i];
		const char *workload = gate_case_workload(gate_case, output->rows);
		gate_case_reason(gate_case, reason, sizeof(reason));
		json_object_begin(json, NULL);
		json_bytes(json, "gate", gate_case->gate->condition.text, strlen(gate_case->gate->condition.text));
		json_bytes(json, "workload", workload, strlen(workload));
		json_u64(json, "set", gate_case->set);
		json_text(json, "result", results[gate_case->result]);
		json_text(json, "reason", reason);
		if (gate_case->repeat)
			json_bytes(json, "repeat", gate_case->repeat, strlen(gate_case->repeat));
		else
			json_null(json, "repeat");
		json_object_end(json);
	}
	json_array_end(json);
}

static void json_add_summary(const struct comparison_rows *rows, struct json_writer *json)
{
	json_array_begin(json, "summary");
	for (size_t set = 1; set < rows->sets->count; set++) {
		json_object_begin(json, NULL);
		json_u64(json, "set", set);
		for (enum comparison_verdict verdict = VERDICT_NOT_AFFECTED; verdict < VERDICTS; verdict++)
			json_u64(json, comparison_verdict_text(verdict), rows->counts[set].verdicts[verdict]);
		json_u64(json, "significant", rows->counts[set].significant);
		json_object_end(json);
	}
	json_array_end(json);
}

void compare_write_json(const struct compare_output *output, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_add_method(output, &json);
	json_add_sets(output->rows->sets, &json);
	json_add_parts(output->rows, &json);
	json_add_remarks(output, &json);
	json_add_rows(output->rows, &json);
	json_add_gates(output, &json);
	json_add_summary(output->rows, &json);
	json_object_end(&json);
	buffer_text(out, "\n");
}
