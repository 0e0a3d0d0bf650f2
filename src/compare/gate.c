/* SPDX-License-Identifier: MIT */
#include "compare/gate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "compare/metric_text.h"
#include "compare/repeat_command.h"
#include "compare/run_set.h"

static enum status not_a_gate(const char *text, const char *option, const char *what, struct error *err)
{
	error_set(err, STATUS_USAGE, option, "'%s' %s", text, what);
	return error_remedy(err, "write METRIC OP NUMBER, such as 'slice_p99_us > +10%%' (change), "
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

bool compare_gate_meets(const struct compare_gate *gate, double value)
{
	if (gate->equals && value == gate->limit)
		return true;
	return gate->is_less ? value < gate->limit : value > gate->limit;
}

/* Often "< 5%" is meant as "less by 5 %". */
static enum status refuse_no_change(const struct compare_gate *gate, const char *option, ptrdiff_t length,
				    struct error *err)
{
	error_set(err, STATUS_USAGE, option, "'%s' is met by a change of 0 %%", gate->text);
	return error_remedy(err, "did you mean '%.*s%c%s %+g%%'?", (int)length, gate->text, gate->is_less ? '<' : '>',
			    gate->equals && gate->limit != 0 ? "=" : "", gate->limit == 0 ? 0 : -gate->limit);
}

/* The name of a workload may contain any of the special characters; that of a metric contains none. */
enum status compare_gate_parse(const char *text, const char *option, struct compare_gate *gate, struct error *err)
{
	const char *operator= NULL;
	char name[256];

	for (const char *at = text; *at; at++)
		if (*at == '<' || *at == '>')
			operator= at;
	*gate = (struct compare_gate){.text = text, .workload = "*"};
	if (!operator)
		return not_a_gate(text, option, "has no <, <=, > or >=", err);
	gate->is_less = *operator== '<';
	gate->equals = operator[1] == '=';
	if (!parse_limit(operator+ 1 + gate->equals, gate))
		return not_a_gate(text, option, "does not end in a number, or a number and %", err);
	size_t start = (size_t)(operator- text);
	while (start && text[start - 1] != ':')
		start--;
	if ((start && !trim(text, start - 1, gate->workload, sizeof(gate->workload))) ||
	    !trim(text + start, (size_t)(operator- text) - start, name, sizeof(name)))
		return not_a_gate(text, option, "is too long", err);
	gate->metric = metric_find(name, strlen(name));
	if (gate->metric == METRIC_COUNT)
		return comparison_unknown_metric(option, name, err);
	if (gate->is_change && compare_gate_meets(gate, 0))
		return refuse_no_change(gate, option, operator- text, err);
	return STATUS_OK;
}

enum status compare_gates_parse(const struct option_list *texts, struct compare_gates *gates, struct error *err)
{
	for (size_t i = 0; i < texts->count; i++)
		if (compare_gate_parse(texts->items[i], "--fail-if", &gates->gates[gates->count++], err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}

/* A change from 0 exceeds any percentage. */
static double percent_of(const struct comparison *against, double change)
{
	if (against->is_percent || change == 0)
		return change;
	return change > 0 ? INFINITY : -INFINITY;
}

/* The change of the median decides, if it is shown; otherwise the end of the interval on the gate's side. */
static enum gate_result judge(const struct compare_gate *gate, const struct comparison_cell *cell, bool strict)
{
	const struct comparison *against = &cell->against;

	if (!gate->is_change) {
		if (isnan(cell->sample.median))
			return GATE_INCONCLUSIVE;
		return compare_gate_meets(gate, cell->sample.median) ? GATE_FAIL : GATE_PASS;
	}
	if (against->verdict <= VERDICT_TOO_FEW)
		return GATE_INCONCLUSIVE;
	bool is_shown = (against->low > 0 || against->high < 0) && (!strict || cell->is_significant);
	if (is_shown && compare_gate_meets(gate, percent_of(against, against->change)))
		return GATE_FAIL;
	return compare_gate_meets(gate, percent_of(against, gate->is_less ? against->low : against->high))
		   ? GATE_INCONCLUSIVE
		   : GATE_PASS;
}

/* The command for the run that is farthest on the gate's side. False if memory ran out. */
static bool find_repeat(struct gate_case *gate_case, const struct comparison_rows *rows)
{
	const struct run_set *set = &rows->sets->items[gate_case->set];
	const char *workload = rows->workloads[gate_case->row->workload].name;
	const struct run *found = NULL;
	struct buffer line = {0};
	double best = NAN;

	for (size_t i = 0; i < set->count; i++) {
		double value = run_metrics_of(&set->runs[i])->values[gate_case->row->metric];
		if (isnan(value) || strcmp(set->runs[i].workload, workload) != 0)
			continue;
		if (!found || (gate_case->gate->is_less ? value < best : value > best)) {
			found = &set->runs[i];
			best = value;
		}
	}
	if (found)
		repeat_command_add(set, found, &line);
	gate_case->repeat = line.data;
	return !line.failed;
}

static enum status judge_gate(struct compare_gates *gates, const struct compare_gate *gate,
			      const struct comparison_rows *rows, bool strict, struct error *err)
{
	bool fits = false;

	for (size_t i = 0; i < rows->row_count; i++) {
		const struct comparison_row *row = &rows->rows[i];
		if (row->metric != gate->metric ||
		    !comparison_fits(gate->workload, rows->workloads[row->workload].name))
			continue;
		fits = true;
		for (size_t set = 1; set < rows->sets->count; set++) {
			struct gate_case *gate_case = &gates->cases[gates->case_count++];
			*gate_case = (struct gate_case){
			    .gate = gate, .row = row, .set = set, .result = judge(gate, &row->cells[set], strict)};
			gates->results[gate_case->result]++;
			if (gate_case->result == GATE_FAIL && !find_repeat(gate_case, rows))
				return error_system(err, ENOMEM, NULL, "cannot judge so many gates");
		}
	}
	if (fits)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, "--fail-if", "'%s': no run of the workload '%s'", gate->text, gate->workload);
	return error_remedy(err, "correct the workload, or leave it out for all workloads");
}

enum status compare_gates_judge(struct compare_gates *gates, const struct comparison_rows *rows, bool strict,
				struct error *err)
{
	gates->cases = calloc(gates->count * rows->workload_count * rows->sets->count + 1, sizeof(*gates->cases));
	if (!gates->cases)
		return error_system(err, ENOMEM, NULL, "cannot judge so many gates");
	for (size_t i = 0; i < gates->count; i++)
		if (judge_gate(gates, &gates->gates[i], rows, strict, err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}

void compare_gates_free(struct compare_gates *gates)
{
	for (size_t i = 0; i < gates->case_count; i++)
		free(gates->cases[i].repeat);
	free(gates->cases);
	*gates = (struct compare_gates){0};
}

void gate_case_reason(const struct gate_case *gate_case, char *text, size_t size)
{
	const struct comparison_cell *cell = &gate_case->row->cells[gate_case->set];
	const struct comparison_sample *first = &gate_case->row->cells[0].sample;
	char change[METRIC_TEXT_SIZE], interval[METRIC_TEXT_SIZE];

	bool has_interval = cell->against.verdict > VERDICT_TOO_FEW;
	if (!gate_case->gate->is_change && gate_case->result != GATE_INCONCLUSIVE) {
		snprintf(text, size, "median %s", metric_value_text(cell->sample.median, NULL, change));
	} else if (gate_case->result == GATE_INCONCLUSIVE && !has_interval) {
		snprintf(text, size, "%s", too_few_text(first, &cell->sample, change));
	} else {
		snprintf(text, size, "change %s, 95 %% interval %s%s", change_text(&cell->against, NULL, change),
			 interval_text(&cell->against, NULL, interval),
			 gate_case->result == GATE_INCONCLUSIVE ? ", which allows both" : "");
	}
}

const char *gate_result_text(enum gate_result result)
{
	static const char *const texts[] = {"PASS", "FAIL", "INCONCLUSIVE"};

	return texts[result];
}
