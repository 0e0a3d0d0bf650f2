/* SPDX-License-Identifier: MIT */
#include "compare/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/pattern.h"
#include "compare/metric_text.h"
#include "compare/run_set.h"
#include "runs/recipe.h"

static enum status not_a_gate(const char *text, const char *option, const char *what, struct error *err)
{
	error_set(err, STATUS_USAGE, option, "'%s' %s", text, what);
	return error_remedy(err, "write METRIC OP NUMBER, such as 'slice_p99_us > +10%%' (change), "
				 "'io_mixed: fairness_jain < 0.9' (value)");
}

/* Reads "NUMBER" or "NUMBER %". */
static bool parse_limit(struct compare_gate *gate)
{
	char *number = gate->condition.number;
	size_t length = strlen(number);

	gate->is_change = length && number[length - 1] == '%';
	if (gate->is_change)
		number[--length] = '\0';
	while (length && number[length - 1] == ' ')
		number[--length] = '\0';
	return number_parse_real(number, &gate->condition.limit);
}

/* Returns what is wrong with the text, or NULL. */
static const char *parse_parts(const char *text, struct compare_gate *gate)
{
	*gate = (struct compare_gate){0};
	const char *wrong = condition_split(text, &gate->condition);

	if (wrong)
		return wrong;
	if (!parse_limit(gate))
		return "does not end in a number, or a number and %";
	return gate->condition.name[0] ? NULL : "names no metric";
}

/* Often "< 5%" is meant as "less by 5 %". */
static enum status refuse_no_change(const struct compare_gate *gate, const char *option, struct error *err)
{
	const int length = condition_operator(&gate->condition);

	error_set(err, STATUS_USAGE, option, "'%s' is met by a change of 0 %%", gate->condition.text);
	return error_remedy(err, "did you mean '%.*s%c%s %+g%%'?", length, gate->condition.text,
			    gate->condition.is_less ? '<' : '>',
			    gate->condition.equals && gate->condition.limit != 0 ? "=" : "",
			    gate->condition.limit == 0 ? 0 : -gate->condition.limit);
}

enum status compare_gate_parse(const char *text, const char *option, struct compare_gate *gate, struct error *err)
{
	const char *wrong = parse_parts(text, gate);

	if (wrong)
		return not_a_gate(text, option, wrong, err);
	if (gate->is_change && strcmp(gate->condition.name, REACH_GATE) == 0)
		return not_a_gate(text, option, "is of a number of executions, not of a change", err);
	if (strcmp(gate->condition.name, REACH_GATE) == 0 && strcmp(gate->condition.subject, "*") != 0)
		return not_a_gate(text, option, "names a workload, but is of all together", err);
	if (gate->is_change && condition_meets(&gate->condition, 0))
		return refuse_no_change(gate, option, err);
	return STATUS_OK;
}

enum status compare_gates_parse(const struct option_list *texts, struct compare_gates *gates, struct error *err)
{
	for (size_t i = 0; i < texts->count; i++)
		if (compare_gate_parse(texts->items[i], "--fail-if", &gates->gates[gates->count++], err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}

enum status compare_gates_find(struct compare_gates *gates, const struct run_sets *sets, struct error *err)
{
	for (size_t i = 0; i < gates->count; i++) {
		struct compare_gate *gate = &gates->gates[i];
		if (strcmp(gate->condition.name, REACH_GATE) == 0)
			continue;
		if (comparison_find_metric(sets, "--fail-if", gate->condition.name, &gate->metric, err) != STATUS_OK)
			return err->status;
	}
	return STATUS_OK;
}

/* A change from 0 exceeds any percentage. */
static double percent_of(const struct comparison *against, double change)
{
	if (against->is_percent || change == 0)
		return change;
	return change > 0 ? INFINITY : -INFINITY;
}

/* The change of the median decides, if it is shown and can matter; otherwise the end of the interval on the gate's
 * side. */
static enum gate_result judge(const struct compare_gate *gate, const struct comparison_cell *cell, double value,
			      bool strict)
{
	const struct comparison *against = &cell->against;

	if (!gate->is_change) {
		if (isnan(value))
			return GATE_INCONCLUSIVE;
		return condition_meets(&gate->condition, value) ? GATE_FAIL : GATE_PASS;
	}
	if (against->verdict == VERDICT_NOT_AFFECTED)
		return GATE_PASS;
	if (against->verdict == VERDICT_NOT_EXERCISED)
		return GATE_NOT_EXERCISED;
	if (against->verdict <= VERDICT_TOO_FEW)
		return GATE_INCONCLUSIVE;
	if (against->is_within_floor)
		return GATE_PASS;
	bool is_shown =
	    (against->low > 0 || against->high < 0) && !against->is_negligible && (!strict || cell->is_significant);
	if (is_shown && condition_meets(&gate->condition, percent_of(against, against->change)))
		return GATE_FAIL;
	return condition_meets(&gate->condition,
			       percent_of(against, gate->condition.is_less ? against->low : against->high))
		   ? GATE_INCONCLUSIVE
		   : GATE_PASS;
}

static void drop_workloads(struct recipe *recipe)
{
	struct arguments *words = &recipe->words;
	size_t kept = 0, i = 0;

	for (; i < words->count && strcmp(words->items[i], "--") != 0; i++)
		if (strncmp(words->items[i], "--workload=", strlen("--workload=")) == 0)
			free(words->items[i]);
		else
			words->items[kept++] = words->items[i];
	for (; i < words->count; i++)
		words->items[kept++] = words->items[i];
	words->count = kept;
	words->items[kept] = NULL;
}

/* The command that makes the run again. Nothing is added for runs of earlier versions, which have no
 * recipe, and for runs of a guest that were copied without their vm.json. */
static void add_repetition(const struct run_set *set, const struct run *run, struct buffer *out)
{
	const bool is_guest = set->recorded.document != NULL;
	const struct recipe *recorded = is_guest ? &set->recorded.recipe : &run->metadata.recipe;
	struct recipe recipe = {0};

	/* The kernel of a guest is in vm.json only. */
	if (recorded->words.count == 0 || (!is_guest && strcmp(recorded->words.items[0], "vm") == 0))
		return;
	recipe_copy(recorded, &recipe);
	if (run->metadata.is_deterministic)
		recipe_add_option(&recipe, "--seeds=%llu", (unsigned long long)run->number);
	if (!run->metadata.is_deterministic && strcmp(recipe.words.items[0], "record") != 0) {
		drop_workloads(&recipe);
		recipe_add_option(&recipe, "--workload=%s%s", run->metadata.command.arguments ? "exec:" : "",
				  run->workload);
		recipe_add_option(&recipe, "--runs=1");
	}
	recipe_add_option(&recipe, "--output%s=again", strcmp(recipe.words.items[0], "record") == 0 ? "" : "-dir");
	recipe_quote(&recipe, out);
	recipe_free(&recipe);
}

/* The run that is farthest on the gate's side; NULL, *extreme NaN: none has the metric. */
static const struct run *find_extreme(const struct compare_gate *gate, const struct run_set *set,
				      const struct comparison_workload *workload, double *extreme)
{
	const struct run *found = NULL;

	*extreme = NAN;
	for (size_t i = 0; i < set->count; i++) {
		double value = run_value(&set->runs[i], workload->task, gate->metric);
		if (isnan(value) || !run_is_of(&set->runs[i], workload->workload))
			continue;
		if (!found || (gate->condition.is_less ? value < *extreme : value > *extreme)) {
			found = &set->runs[i];
			*extreme = value;
		}
	}
	return found;
}

static struct gate_case judge_case(const struct compare_gate *gate, const struct comparison_rows *rows,
				   const struct comparison_row *row, size_t set, bool strict)
{
	const struct run_set *runs = &rows->sets->items[set];
	const struct comparison_cell *cell = &row->cells[set];
	struct gate_case gate_case = {.gate = gate, .row = row, .set = set};
	struct buffer repeat = {0};
	const struct run *extreme = find_extreme(gate, runs, &rows->workloads[row->workload], &gate_case.value);

	if (!gate->metric->breaks_rule)
		gate_case.value = cell->sample.median;
	gate_case.result = judge(gate, cell, gate_case.value, strict);
	if (gate_case.result == GATE_FAIL && extreme)
		add_repetition(runs, extreme, &repeat);
	gate_case.repeat = repeat.data;
	return gate_case;
}

/* All workloads of a set together: the change is reached if one of them reaches it. */
static void judge_reach(struct compare_gates *gates, const struct compare_gate *gate,
			const struct comparison_rows *rows)
{
	for (size_t set = 1; set < rows->sets->count && rows->row_count; set++) {
		const struct reach *reach = &rows->sets->items[set].reach;
		struct gate_case gate_case = {.gate = gate, .row = rows->rows, .set = set, .reach = reach};
		gate_case.value = reach->is_known ? (double)reach->executed : NAN;
		gate_case.result = !reach->is_known                                     ? GATE_INCONCLUSIVE
				   : condition_meets(&gate->condition, gate_case.value) ? GATE_FAIL
											: GATE_PASS;
		gates->cases[gates->case_count++] = gate_case;
		gates->results[gate_case.result]++;
	}
}

static enum status judge_gate(struct compare_gates *gates, const struct compare_gate *gate,
			      const struct comparison_rows *rows, bool strict, struct error *err)
{
	bool fits = false;

	if (!gate->metric) {
		judge_reach(gates, gate, rows);
		return STATUS_OK;
	}
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct comparison_row *row = &rows->rows[i];
		const struct comparison_workload *workload = &rows->workloads[row->workload];
		if (row->metric != gate->metric || !(pattern_fits(gate->condition.subject, workload->name) ||
						     pattern_fits(gate->condition.subject, workload->workload)))
			continue;
		fits = true;
		for (size_t set = 1; set < rows->sets->count; set++) {
			const struct gate_case gate_case = judge_case(gate, rows, row, set, strict);
			gates->cases[gates->case_count++] = gate_case;
			gates->results[gate_case.result]++;
		}
	}
	if (fits)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, "--fail-if", "'%s': no run of the workload '%s'", gate->condition.text,
		  gate->condition.subject);
	return error_remedy(err, "correct the workload, or leave it out for all workloads");
}

enum status compare_gates_judge(struct compare_gates *gates, const struct comparison_rows *rows, bool strict,
				struct error *err)
{
	gates->cases = xcalloc(gates->count * rows->workload_count * rows->sets->count + 1, sizeof(*gates->cases));
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

static void value_reason(const struct gate_case *gate_case, char *text, size_t size)
{
	const struct comparison_cell *cell = &gate_case->row->cells[gate_case->set];
	const struct metric_scale scale = metric_scale_of(gate_case->row);
	char value[METRIC_TEXT_SIZE], count[METRIC_TEXT_SIZE];
	int length = snprintf(text, size, "%s %s", gate_case->gate->metric->breaks_rule ? "most extreme run" : "median",
			      metric_value_text(gate_case->value, NULL, value));

	if (scale.is_count && gate_case->value > 0)
		length += snprintf(text + length, size - (size_t)length, " (%s)",
				   metric_value_text(gate_case->value, &scale, count));
	if (cell->against.verdict == VERDICT_NOT_EXERCISED)
		snprintf(text + length, size - (size_t)length, "; not exercised: the same in all runs of both sets");
}

static void reach_reason(const struct reach *reach, char *text, size_t size)
{
	struct buffer sum = {0};

	if (reach->is_known)
		reach_add_sum(reach, &sum);
	else if (reach->count)
		buffer_text(&sum, "nothing of the change could be counted");
	else
		buffer_text(&sum, "no boot counted it (vm --reached)");
	snprintf(text, size, "%s", sum.data);
	buffer_free(&sum);
}

static const char *change_remark(const struct gate_case *gate_case)
{
	const struct comparison *against = &gate_case->row->cells[gate_case->set].against;

	if (against->is_within_floor)
		return ", too small to matter";
	if (gate_case->result != GATE_INCONCLUSIVE)
		return "";
	return against->is_negligible ? ", the change is too small to matter, the interval allows more"
				      : ", which allows both";
}

void gate_case_reason(const struct gate_case *gate_case, char *text, size_t size)
{
	const struct comparison *against = &gate_case->row->cells[gate_case->set].against;
	char change[METRIC_TEXT_SIZE], interval[METRIC_TEXT_SIZE];

	if (gate_case->reach)
		reach_reason(gate_case->reach, text, size);
	else if (!gate_case->gate->is_change && gate_case->result != GATE_INCONCLUSIVE)
		value_reason(gate_case, text, size);
	else if (against->verdict <= VERDICT_TOO_FEW)
		snprintf(text, size, "%s", no_verdict_text(gate_case->row, gate_case->set, change));
	else
		snprintf(text, size, "change %s, 95 %% interval %s%s", change_text(against, NULL, change),
			 interval_text(against, NULL, interval), change_remark(gate_case));
}

const char *gate_case_workload(const struct gate_case *gate_case, const struct comparison_rows *rows)
{
	return gate_case->reach ? "all workloads" : rows->workloads[gate_case->row->workload].name;
}

const char *gate_result_text(enum gate_result result)
{
	static const char *const texts[GATE_RESULTS] = {"PASS", "FAIL", "INCONCLUSIVE", "NOT EXERCISED"};

	return texts[result];
}
