/* SPDX-License-Identifier: MIT
 *
 * Decisions of the scheduler with their candidates, for people and as tables. */
#ifndef PRINT_DECISION_PRINT_H
#define PRINT_DECISION_PRINT_H

#include "print/analysis_print.h"
#include "rules/rules.h"

struct decision_print {
	const struct analysis_options *options; /* set by the caller */
	const struct rules *rules;              /* set by the caller: those of the trace */
	struct buffer text;
	struct analysis_table tables[2]; /* candidates, decisions */
	uint64_t number, since_ns;       /* private: of the decision that is added */
};

/* Forgets what was added. */
void decision_print_begin(struct decision_print *print);
/* Numbers of the decision and of its switch, from 1; 0: not known. since_ns: its time in the trace. */
void decision_print_add(struct decision_print *print, const struct task_states *states,
			const struct rule_decision *decision, uint64_t number, uint64_t switch_number,
			uint64_t since_ns);
/* Writes all that was added in the form that the options choose, and frees it. */
enum status decision_print_write(struct decision_print *print, const struct pass *pass, struct error *err);
void decision_print_free(struct decision_print *print);

#endif
