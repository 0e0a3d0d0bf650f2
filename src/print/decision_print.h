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
	struct analysis_table tables[4];    /* candidates, decisions, broken invariants, waits */
	const struct found_decision *found; /* private: the decision that is being added */
};

/* Forgets everything that was added. */
void decision_print_begin(struct decision_print *print);
void decision_print_add(struct decision_print *print, const struct task_states *states,
			const struct found_decision *found);
/* Adds an invariant that is broken at the requested time. */
void decision_print_add_break(struct decision_print *print, const struct invariant_break *found);
/* Adds a wait, before the decision that was found for it: its length, its CPU, and the tasks that ran meanwhile. trace:
 * path of the trace, printed if is_one_of_many. */
void decision_print_wait(struct decision_print *print, const struct task_states *states, const struct worst_wait *wait,
			 const char *trace, bool is_one_of_many);
/* Ends the wait: if the search has found no decision, adds the known reason. */
void decision_print_end_wait(struct decision_print *print, const struct task_states *states,
			     const struct worst_wait *wait, const struct decision_search *search);
/* Writes everything that was added in the form that the options choose, and frees it. */
enum status decision_print_write(struct decision_print *print, const struct pass *pass, struct error *err);
void decision_print_free(struct decision_print *print);

#endif
