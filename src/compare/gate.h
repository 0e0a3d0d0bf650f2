/* SPDX-License-Identifier: MIT
 *
 * Conditions that a comparison must not meet, for CI: "[WORKLOAD:]METRIC OP NUMBER[%]". */
#ifndef COMPARE_GATE_H
#define COMPARE_GATE_H

#include "compare/comparison_rows.h"

struct compare_gate {
	const char *text;     /* as given */
	char workload[256];   /* a pattern; "*" if none is given */
	unsigned int metric;  /* index into metric_table */
	bool is_less, equals; /* < or >; with = */
	bool is_change;       /* limit applies to the change in percent; otherwise to the median of the later set */
	double limit;
};

enum gate_result {
	GATE_HOLDS,
	GATE_FIRES,
	GATE_UNDECIDED, /* too few runs, or no value */
};

/* One gate at one workload of one set. */
struct gate_case {
	const struct compare_gate *gate;
	const struct comparison_row *row;
	size_t set;
	enum gate_result result;
};

struct compare_gates {
	struct compare_gate gates[OPTION_LIST_MAX];
	size_t count;
	struct gate_case *cases; /* by gate, workload, set */
	size_t case_count;
	size_t results[3];
};

/* STATUS_USAGE describes the error in a gate, with the nearest metric name. */
enum status compare_gates_parse(const struct option_list *texts, struct compare_gates *gates, struct error *err);
/* Fills the cases. STATUS_USAGE if no row has the workload of a gate. */
enum status compare_gates_judge(struct compare_gates *gates, const struct comparison_rows *rows, struct error *err);
void compare_gates_free(struct compare_gates *gates);

/* "+35.2 % (95 %: +20.1 to +44.0)", "median 120.5", or the reason why it is undecided. */
void gate_case_reason(const struct gate_case *gate_case, char *text, size_t size);

#endif
