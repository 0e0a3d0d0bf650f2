/* SPDX-License-Identifier: MIT
 *
 * Why the scheduler picked each task in a window, as text: the candidates of each switch with their keys. Needs a trace
 * with keys (picknext help rules). */
#ifndef REPORT_DECISIONS_H
#define REPORT_DECISIONS_H

#include "rules/rules.h"

/* Max number of decisions of a window; its chart shows fewer. And max number of listed candidates of a decision: those
 * with the first keys, the picked one, and the rule's pick. */
#define REPORT_DECISIONS_MAX  400u
#define REPORT_CANDIDATES_MAX 6u

struct report_decision {
	uint64_t ns,
	    end_ns; /* since the run's first event; end_ns: the next decision of the CPU, or the end of the window */
	uint32_t cpu;
	char *text; /* lines; columns are aligned by spaces */
};

/* Describes a decision whose rules and tasks are known. The caller frees the text. */
char *report_decision_text(const struct rules *rules, const struct task_states *states,
			   const struct rule_decision *decision, uint64_t since_start_ns);

#endif
