/* SPDX-License-Identifier: MIT */
#include "print/result_list.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "compare/metric_text.h"
#include "compare/run_set.h"

/* A metric of a set that is not exercised is no test. The number of those that are, up to the one wanted, which is set.
 */
static size_t find_metric(const struct comparison_rows *rows, size_t wanted, const struct comparison_row **found,
			  size_t *found_set)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->row_count; i++)
		for (size_t set = 1; set < rows->sets->count; set++) {
			if (rows->rows[i].cells[set].against.verdict == VERDICT_NOT_EXERCISED)
				continue;
			*found = &rows->rows[i];
			*found_set = set;
			if (count++ == wanted)
				return count;
		}
	return count;
}

size_t compare_result_count(const struct compare_output *output)
{
	const struct comparison_row *row;
	size_t set;

	return output->gates->count ? output->gates->case_count : find_metric(output->rows, SIZE_MAX, &row, &set);
}

static void name_set(const struct compare_output *output, size_t set, char *text, size_t size)
{
	const char *label = output->rows->sets->items[set].label;

	escape_line(label, strlen(label), text, size);
}

static void gate_test(const struct compare_output *output, const struct gate_case *gate_case, const char *workload,
		      const char *label, struct compare_result *result)
{
	const enum compare_outcome outcomes[GATE_RESULTS] = {
	    PASSED, FAILED, output->gates->inconclusive_fails ? INCONCLUSIVE : SKIPPED, SKIPPED};
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

void compare_result_at(const struct compare_output *output, size_t at, struct compare_result *result)
{
	const struct comparison_rows *rows = output->rows;
	const struct gate_case *gate_case = output->gates->count ? &output->gates->cases[at] : NULL;
	const struct comparison_row *row = gate_case ? gate_case->row : NULL;
	size_t set = gate_case ? gate_case->set : 0;
	char label[256];

	if (!gate_case)
		find_metric(rows, at, &row, &set);
	const char *workload = rows->workloads[row->workload].name;
	*result = (struct compare_result){.row = row, .gate = gate_case, .set = set};
	escape_line(workload, strlen(workload), result->suite, sizeof(result->suite));
	name_set(output, set, label, sizeof(label));
	if (gate_case)
		gate_test(output, gate_case, result->suite, label, result);
	else
		metric_test(row, set, result->suite, label, result);
}
