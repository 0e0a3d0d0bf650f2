/* SPDX-License-Identifier: MIT
 *
 * Why the scheduler picked each task in a window, as text: the candidates of each switch with their keys. Needs a trace
 * with keys (picknext help rules). */
#ifndef REPORT_DECISIONS_H
#define REPORT_DECISIONS_H

#include "rules/rules.h"

/* The most decisions of a window, which are more than its chart shows. A decision lists so many candidates: those with
 * the first keys, what was picked, and what the rule picks. */
#define REPORT_DECISIONS_MAX  400u
#define REPORT_CANDIDATES_MAX 6u

struct report_decision {
	uint64_t ns, end_ns; /* since the run's first event; end: the next one of the CPU, or of the window */
	uint32_t cpu;
	char *text; /* lines; columns are aligned by spaces */
};

/* Describes a decision whose rules and tasks are known. The caller frees the text. */
char *report_decision_text(const struct rules *rules, const struct task_states *states,
			   const struct rule_decision *decision, uint64_t since_start_ns);

#endif
