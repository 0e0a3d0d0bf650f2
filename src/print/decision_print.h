/* SPDX-License-Identifier: MIT
 *
 * Decisions of the scheduler with their candidates, for people and as tables. */
#ifndef PRINT_DECISION_PRINT_H
#define PRINT_DECISION_PRINT_H

#include "measure/worst_waits.h"
#include "print/analysis_print.h"
#include "rules/decision_search.h"

struct decision_print {
	const struct analysis_options *options; /* set by the caller */
	struct buffer text;
	struct analysis_table tables[3];    /* candidates, decisions; waits: see decision_print_wait() */
	const struct found_decision *found; /* private: the one that is added */
};

/* Forgets what was added. */
void decision_print_begin(struct decision_print *print);
void decision_print_add(struct decision_print *print, const struct task_states *states,
			const struct found_decision *found);
/* A wait, before the decision that was found for it: how long, where, who ran meanwhile. trace: its path; people
 * see it if is_one_of_many. */
void decision_print_wait(struct decision_print *print, const struct task_states *states, const struct worst_wait *wait,
			 const char *trace, bool is_one_of_many);
/* After it: the search has found a decision or none; then what else is known is the reason. */
void decision_print_end_wait(struct decision_print *print, const struct task_states *states,
			     const struct worst_wait *wait, const struct decision_search *search);
/* Writes all that was added in the form that the options choose, and frees it. */
enum status decision_print_write(struct decision_print *print, const struct pass *pass, struct error *err);
void decision_print_free(struct decision_print *print);

#endif
