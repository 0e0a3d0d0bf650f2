/* SPDX-License-Identifier: MIT */
#include "print/gate_warnings.h"

#include <string.h>

#include "base/message.h"
#include "compare/comparison_text.h"
#include "compare/run_set.h"

static void report_gates(const struct compare_gates *gates, const struct comparison_rows *rows)
{
	char reason[256];
	struct buffer name = {0}, repeat = {0};

	for (size_t i = 0; i < gates->case_count; i++) {
		const struct gate_case *gate_case = &gates->cases[i];
		if (gate_case->result == GATE_PASS)
			continue;
		gate_case_reason(gate_case, reason, sizeof(reason));
		buffer_clear(&name);
		compare_add_name(&name, gate_case_workload(gate_case, rows));
		buffer_text(&name, " of ");
		compare_add_name(&name, rows->sets->items[gate_case->set].label);
		buffer_clear(&repeat);
		if (gate_case->repeat) {
			buffer_text(&repeat, "; repeat: ");
			compare_add_name(&repeat, gate_case->repeat);
		}
		message_warning("%s %s, %s: %s%s", gate_result_text(gate_case->result), gate_case->gate->condition.text,
				name.data ? name.data : "", reason, repeat.data ? repeat.data : "");
	}
	buffer_free(&name);
	buffer_free(&repeat);
}

/* Warns of gates on times: in a deterministic guest, they compare numbers of instructions. */
static void warn_of_time(const struct compare_gates *gates)
{
	for (size_t i = 0; i < gates->count; i++) {
		const struct metric *metric = gates->gates[i].metric;
		bool is_reported = false;
		for (size_t before = 0; before < i; before++)
			is_reported = is_reported || gates->gates[before].metric == metric;
		if (metric && metric->real_time_reason && !is_reported)
			message_warning("--fail-if: %s means little in deterministic guests: %s", metric->name,
					metric->real_time_reason);
	}
}

/* Warns of a gate that never fires: a share near 100 % cannot grow by so much. */
static void warn_of_ceiling(const struct compare_gates *gates, const struct comparison_rows *rows)
{
	struct buffer name = {0};

	for (size_t i = 0; i < gates->case_count; i++) {
		const struct gate_case *gate_case = &gates->cases[i];
		const struct compare_gate *gate = gate_case->gate;
		double first = gate_case->row->cells[0].sample.median;
		if (gate_case->set != 1 || !gate->is_change || gate->condition.is_less || gate->condition.limit <= 0 ||
		    strcmp(gate->metric->unit, "%") != 0 || !(first * (1 + gate->condition.limit / 100) > 100))
			continue;
		buffer_clear(&name);
		compare_add_name(&name, rows->workloads[gate_case->row->workload].name);
		message_warning("--fail-if: '%s' cannot fire for %s: %s is %.1f %% in the first set, and its max is "
				"100 %%; use switches_per_s, or an absolute limit",
				gate->condition.text, name.data ? name.data : "", gate->metric->name, first);
	}
	buffer_free(&name);
}

void compare_gates_warn(const struct compare_gates *gates, const struct comparison_rows *rows, bool with_results)
{
	size_t count = gates->results[GATE_INCONCLUSIVE];

	if (rows->is_deterministic)
		warn_of_time(gates);
	warn_of_ceiling(gates, rows);
	if (with_results)
		report_gates(gates, rows);
	if (count && !gates->inconclusive_fails)
		message_warning("%zu of %zu gates inconclusive, counted as passed; --inconclusive fail exits with 5",
				count, gates->case_count);
}
