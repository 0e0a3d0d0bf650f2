/* SPDX-License-Identifier: MIT */
#include "compare/gate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "compare/metric_text.h"
#include "compare/run_set.h"

static enum status not_a_gate(const char *text, const char *what, struct error *err)
{
	error_set(err, STATUS_USAGE, "--fail-if", "'%s' %s", text, what);
	return error_remedy(err, "write METRIC OP NUMBER, such as 'wakeup_latency_p99_us > +10%%' (change), "
				 "'io_mixed: fairness_jain < 0.9' (value)");
}

/* Copies the text without leading and trailing spaces. */
static bool trim(const char *from, size_t length, char *to, size_t size)
{
	while (length && *from == ' ')
		from++, length--;
	while (length && from[length - 1] == ' ')
		length--;
	if (length >= size)
		return false;
	memmove(to, from, length);
	to[length] = '\0';
	return true;
}

static bool parse_limit(const char *text, struct compare_gate *gate)
{
	char number[64];

	if (!trim(text, strlen(text), number, sizeof(number)))
		return false;
	size_t length = strlen(number);
	gate->is_change = length && number[length - 1] == '%';
	if (gate->is_change && !trim(number, length - 1, number, sizeof(number)))
		return false;
	return number_parse_real(number + (number[0] == '+' && number[1] != '-'), &gate->limit);
}

/* The name of a workload may contain any of the special characters; that of a metric contains none. */
static enum status parse(const char *text, struct compare_gate *gate, struct error *err)
{
	const char *operator= NULL;
	char name[256];

	for (const char *at = text; *at; at++)
		if (*at == '<' || *at == '>')
			operator= at;
	*gate = (struct compare_gate){.text = text, .workload = "*"};
	if (!operator)
		return not_a_gate(text, "has no <, <=, > or >=", err);
	gate->is_less = *operator== '<';
	gate->equals = operator[1] == '=';
	if (!parse_limit(operator+ 1 + gate->equals, gate))
		return not_a_gate(text, "does not end in a number, or a number and %", err);
	size_t start = (size_t)(operator- text);
	while (start && text[start - 1] != ':')
		start--;
	if ((start && !trim(text, start - 1, gate->workload, sizeof(gate->workload))) ||
	    !trim(text + start, (size_t)(operator- text) - start, name, sizeof(name)))
		return not_a_gate(text, "is too long", err);
	gate->metric = metric_find(name, strlen(name));
	if (gate->metric != METRIC_COUNT)
		return STATUS_OK;
	return comparison_unknown_metric("--fail-if", name, err);
}

enum status compare_gates_parse(const struct option_list *texts, struct compare_gates *gates, struct error *err)
{
	for (size_t i = 0; i < texts->count; i++)
		if (parse(texts->items[i], &gates->gates[gates->count++], err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}

static bool meets(const struct compare_gate *gate, double value)
{
	if (gate->equals && value == gate->limit)
		return true;
	return gate->is_less ? value < gate->limit : value > gate->limit;
}

/* A change from 0 exceeds any percentage. */
static double percent_of(const struct comparison *against)
{
	if (against->is_percent || against->change == 0)
		return against->change;
	return against->change > 0 ? INFINITY : -INFINITY;
}

/* The change of the median decides, if the interval does not contain 0. A gate that no change also meets (it
 * requires a minimum change) needs no interval. */
static enum gate_result judge(const struct compare_gate *gate, const struct comparison_cell *cell)
{
	const struct comparison *against = &cell->against;

	if (!gate->is_change) {
		if (isnan(cell->sample.median))
			return GATE_UNDECIDED;
		return meets(gate, cell->sample.median) ? GATE_FIRES : GATE_HOLDS;
	}
	if (against->verdict <= VERDICT_TOO_FEW)
		return GATE_UNDECIDED;
	bool is_shown = against->low > 0 || against->high < 0;
	return meets(gate, percent_of(against)) && (is_shown || meets(gate, 0)) ? GATE_FIRES : GATE_HOLDS;
}

static enum status judge_gate(struct compare_gates *gates, const struct compare_gate *gate,
			      const struct comparison_rows *rows, struct error *err)
{
	bool fits = false;

	for (size_t i = 0; i < rows->row_count; i++) {
		const struct comparison_row *row = &rows->rows[i];
		if (row->metric != gate->metric ||
		    !comparison_fits(gate->workload, rows->workloads[row->workload].name))
			continue;
		fits = true;
		for (size_t set = 1; set < rows->sets->count; set++) {
			enum gate_result result = judge(gate, &row->cells[set]);
			gates->cases[gates->case_count++] = (struct gate_case){gate, row, set, result};
			gates->results[result]++;
		}
	}
	if (fits)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, "--fail-if", "'%s': no run of the workload '%s'", gate->text, gate->workload);
	return error_remedy(err, "correct the workload, or leave it out for all workloads");
}

enum status compare_gates_judge(struct compare_gates *gates, const struct comparison_rows *rows, struct error *err)
{
	gates->cases = calloc(gates->count * rows->workload_count * rows->sets->count + 1, sizeof(*gates->cases));
	if (!gates->cases)
		return error_system(err, ENOMEM, NULL, "cannot judge so many gates");
	for (size_t i = 0; i < gates->count; i++)
		if (judge_gate(gates, &gates->gates[i], rows, err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}

void compare_gates_free(struct compare_gates *gates)
{
	free(gates->cases);
	*gates = (struct compare_gates){0};
}

void gate_case_reason(const struct gate_case *gate_case, char *text, size_t size)
{
	const struct comparison_cell *cell = &gate_case->row->cells[gate_case->set];
	const struct comparison_sample *first = &gate_case->row->cells[0].sample;
	char change[METRIC_TEXT_SIZE], interval[METRIC_TEXT_SIZE];

	if (!gate_case->gate->is_change && gate_case->result != GATE_UNDECIDED) {
		snprintf(text, size, "median %s", metric_value_text(cell->sample.median, change));
	} else if (gate_case->result == GATE_UNDECIDED && (first->count == 0 || cell->sample.count == 0)) {
		snprintf(text, size, "a set has no value");
	} else if (gate_case->result == GATE_UNDECIDED) {
		snprintf(text, size, "too few runs: %zu against %zu, at least %d each", first->count,
			 cell->sample.count, COMPARISON_RUNS_MIN);
	} else {
		snprintf(text, size, "change %s, 95 %% interval %s", change_text(&cell->against, change),
			 interval_text(&cell->against, interval));
	}
}
