/* SPDX-License-Identifier: MIT
 *
 * Conditions that a comparison must not meet, for CI: "[WORKLOAD:]METRIC OP NUMBER[%]". */
#ifndef COMPARE_GATE_H
#define COMPARE_GATE_H

#include "base/condition.h"
#include "compare/comparison_rows.h"

struct compare_gate {
	struct condition condition;  /* subject: a pattern of workloads; name: of the metric */
	const struct metric *metric; /* NULL: not looked for yet, or a gate on vm --reached */
	bool is_change;              /* limit applies to the change in percent; otherwise to a value of the later set */
};

enum gate_result {
	GATE_PASS,
	GATE_FAIL,
	GATE_INCONCLUSIVE, /* too few runs, no value, or an interval that allows both */
	/* A gate of a change, and all runs of both sets have the same value: it did not change, and the runs say
	 * nothing about it. Counts as passed. */
	GATE_NOT_EXERCISED,
	GATE_RESULTS
};

/* "PASS", "NOT EXERCISED" */
const char *gate_result_text(enum gate_result result);

/* One gate at one workload of one set. */
struct gate_case {
	const struct compare_gate *gate;
	const struct comparison_row *row;
	size_t set;
	enum gate_result result;
	double value; /* of a gate on a value: the median, or that of the most extreme run (metric.breaks_rule) */
	const struct reach *reach; /* of a gate on vm --reached, for all workloads; else NULL */
	char *repeat;              /* GATE_FAIL: the command that records the most extreme run again; NULL: unknown */
};

struct compare_gates {
	struct compare_gate gates[OPTION_LIST_MAX];
	size_t count;
	struct gate_case *cases; /* by gate, workload, set */
	size_t case_count;
	size_t results[GATE_RESULTS];
	bool inconclusive_fails; /* the caller's choice */
};

/* STATUS_USAGE describes the error in a gate, the value of option. A gate that a change of 0 % meets is one. */
enum status compare_gate_parse(const char *text, const char *option, struct compare_gate *gate, struct error *err);
enum status compare_gates_parse(const struct option_list *texts, struct compare_gates *gates, struct error *err);
/* Finds the metrics among those of the sets. STATUS_USAGE with the nearest name if there is none. */
enum status compare_gates_find(struct compare_gates *gates, const struct run_sets *sets, struct error *err);
/* Fills the cases. strict: only differences that are significant after correction fail. STATUS_USAGE if no row has the
 * workload of a gate. */
enum status compare_gates_judge(struct compare_gates *gates, const struct comparison_rows *rows, bool strict,
				struct error *err);
void compare_gates_free(struct compare_gates *gates);

/* The name of its workload, or "all workloads". */
const char *gate_case_workload(const struct gate_case *gate_case, const struct comparison_rows *rows);
/* "change +35.2%, 95 % interval [+20.1, +44.0]", "median 120.5", or the reason why it is inconclusive. */
void gate_case_reason(const struct gate_case *gate_case, char *text, size_t size);

#endif
