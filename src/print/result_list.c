/* SPDX-License-Identifier: MIT */
#include "print/result_list.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "compare/metric_text.h"
#include "compare/run_set.h"

size_t compare_result_count(const struct compare_output *output)
{
	return output->gates->count ? output->gates->case_count
				    : output->rows->row_count * (output->rows->sets->count - 1);
}

static void name_set(const struct compare_output *output, size_t set, char *text, size_t size)
{
	const char *label = output->rows->sets->items[set].label;

	escape_line(label, strlen(label), text, size);
}

static void gate_test(const struct compare_output *output, const struct gate_case *gate_case, const char *workload,
		      const char *label, struct compare_result *result)
{
	const enum compare_outcome outcomes[] = {PASSED, FAILED,
						 output->gates->inconclusive_fails ? INCONCLUSIVE : SKIPPED};
	char gate[512];

	escape_line(gate_case->gate->text, strlen(gate_case->gate->text), gate, sizeof(gate));
	snprintf(result->name, sizeof(result->name), "%s: %s, no %s", label, workload, gate);
	size_t length = gate_case->result != GATE_INCONCLUSIVE
			    ? 0
			    : (size_t)snprintf(result->reason, sizeof(result->reason), "inconclusive: ");
	gate_case_reason(gate_case, result->reason + length, sizeof(result->reason) - length);
	if (gate_case->repeat)
		escape_line(gate_case->repeat, strlen(gate_case->repeat), result->repeat, sizeof(result->repeat));
	result->outcome = outcomes[gate_case->result];
}

static void metric_test(const struct comparison_sample *first, const struct comparison_cell *cell,
			const struct metric *metric, const char *workload, const char *label,
			struct compare_result *result)
{
	char verdict[METRIC_TEXT_SIZE], change[METRIC_TEXT_SIZE], interval[METRIC_TEXT_SIZE];

	snprintf(result->name, sizeof(result->name), "%s: %s, %s", label, workload, metric->name);
	result->outcome = cell->against.verdict <= VERDICT_TOO_FEW ? SKIPPED : PASSED;
	if (result->outcome == SKIPPED) {
		snprintf(result->reason, sizeof(result->reason), "%s", too_few_text(first, &cell->sample, verdict));
		return;
	}
	snprintf(result->reason, sizeof(result->reason), "%s, change %s, 95 %% interval %s",
		 verdict_text(cell, NULL, verdict), change_text(&cell->against, NULL, change),
		 interval_text(&cell->against, NULL, interval));
}

void compare_result_at(const struct compare_output *output, size_t at, struct compare_result *result)
{
	const struct comparison_rows *rows = output->rows;
	const struct gate_case *gate_case = output->gates->count ? &output->gates->cases[at] : NULL;
	size_t others = rows->sets->count - 1;
	size_t set = gate_case ? gate_case->set : at % others + 1;
	const struct comparison_row *row = gate_case ? gate_case->row : &rows->rows[at / others];
	const char *workload = rows->workloads[row->workload].name;
	char label[256];

	*result = (struct compare_result){.row = row, .gate = gate_case, .set = set};
	escape_line(workload, strlen(workload), result->suite, sizeof(result->suite));
	name_set(output, set, label, sizeof(label));
	if (gate_case)
		gate_test(output, gate_case, result->suite, label, result);
	else
		metric_test(&row->cells[0].sample, &row->cells[set], row->metric, result->suite, label, result);
}
