/* SPDX-License-Identifier: MIT */
#include "print/result_list.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "compare/metric_text.h"
#include "compare/run_set.h"

static void gate_test(const struct compare_output *output, const struct gate_case *gate_case, const char *workload,
		      const char *label, struct compare_result *result)
{
	const enum compare_outcome outcomes[GATE_RESULTS] = {
	    PASSED, FAILED, output->gates->inconclusive_fails ? INCONCLUSIVE : SKIPPED, SKIPPED};
	char gate[512];

	escape_line(gate_case->gate->condition.text, strlen(gate_case->gate->condition.text), gate, sizeof(gate));
	snprintf(result->name, sizeof(result->name), "%s: %s, no %s", label, workload, gate);
	size_t length = gate_case->result != GATE_INCONCLUSIVE
			    ? 0
			    : (size_t)snprintf(result->reason, sizeof(result->reason), "inconclusive: ");
	gate_case_reason(gate_case, result->reason + length, sizeof(result->reason) - length);
	if (gate_case->repeat)
		escape_line(gate_case->repeat, strlen(gate_case->repeat), result->repeat, sizeof(result->repeat));
	result->outcome = outcomes[gate_case->result];
}

static void metric_test(const struct comparison_row *row, size_t set, const char *workload, const char *label,
			struct compare_result *result)
{
	const struct comparison_cell *cell = &row->cells[set];
	char verdict[METRIC_TEXT_SIZE], change[METRIC_TEXT_SIZE], interval[METRIC_TEXT_SIZE];

	snprintf(result->name, sizeof(result->name), "%s: %s, %s", label, workload, row->metric->name);
	result->outcome = cell->against.verdict <= VERDICT_TOO_FEW ? SKIPPED : PASSED;
	if (result->outcome == SKIPPED) {
		snprintf(result->reason, sizeof(result->reason), "%s", no_verdict_text(row, set, verdict));
		return;
	}
	snprintf(result->reason, sizeof(result->reason), "%s, change %s, 95 %% interval %s",
		 verdict_text(cell, NULL, verdict), change_text(&cell->against, NULL, change),
		 interval_text(&cell->against, NULL, interval));
}

static void make_result(const struct compare_output *output, const struct gate_case *gate_case,
			const struct comparison_row *row, size_t set, struct compare_result *result)
{
	const char *workload =
	    gate_case ? gate_case_workload(gate_case, output->rows) : output->rows->workloads[row->workload].name;
	const char *name = output->rows->sets->items[set].label;
	char label[256];

	*result = (struct compare_result){.row = row, .gate = gate_case, .set = set};
	escape_line(workload, strlen(workload), result->suite, sizeof(result->suite));
	escape_line(name, strlen(name), label, sizeof(label));
	if (gate_case)
		gate_test(output, gate_case, result->suite, label, result);
	else
		metric_test(row, set, result->suite, label, result);
}

/* A metric that a set does not exercise is not a test. */
bool compare_next_result(const struct compare_output *output, size_t workload, size_t *at,
			 struct compare_result *result)
{
	const struct comparison_rows *rows = output->rows;
	const bool has_gates = output->gates->count;
	const size_t others = rows->sets->count - 1;
	const size_t count = has_gates ? output->gates->case_count : rows->row_count * others;

	while (*at < count) {
		const size_t number = (*at)++;
		const struct gate_case *gate_case = has_gates ? &output->gates->cases[number] : NULL;
		const struct comparison_row *row = gate_case ? gate_case->row : &rows->rows[number / others];
		const size_t set = gate_case ? gate_case->set : number % others + 1;
		if (workload != COMPARE_ALL_WORKLOADS && row->workload != workload)
			continue;
		if (!gate_case && row->cells[set].against.verdict == VERDICT_NOT_EXERCISED)
			continue;
		make_result(output, gate_case, row, set, result);
		return true;
	}
	return false;
}

size_t compare_count_results(const struct compare_output *output, size_t workload, size_t outcomes[COMPARE_OUTCOMES])
{
	struct compare_result result;
	size_t count = 0;

	memset(outcomes, 0, COMPARE_OUTCOMES * sizeof(*outcomes));
	for (size_t at = 0; compare_next_result(output, workload, &at, &result); count++)
		outcomes[result.outcome]++;
	return count;
}
