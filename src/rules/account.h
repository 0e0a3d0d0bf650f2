/* SPDX-License-Identifier: MIT
 *
 * How many decisions of a trace are the published rule's: by what asked for them, and how the others break it. */
#ifndef RULES_ACCOUNT_H
#define RULES_ACCOUNT_H

#include "base/buffer.h"
#include "rules/decision.h"

/* How a decision breaks the rule. */
enum rule_break {
	BREAK_NOT_ELIGIBLE,
	BREAK_LATER_DEADLINE,
	BREAK_PROTECTED,
	BREAK_LARGER_VRUNTIME,
	BREAK_BUDDY,
	BREAK_NO_PREEMPTION,
	BREAK_PREEMPTION,
	BREAK_CLASS,
	BREAK_PRIORITY,
	BREAK_DEADLINE,
	BREAK_IDLE,
	RULE_BREAKS
};

extern const struct rule_words rule_breaks[RULE_BREAKS];

struct rule_break_account {
	uint64_t count;
	/* The first one: since the start of its trace, number among all decisions (0: not known), CPU. */
	uint64_t first_ns, first_number;
	uint32_t first_cpu, first_run;
};

struct rules_account {
	struct {
		uint64_t decisions, choices, judged, explained;
	} causes[CAUSES];
	uint64_t gaps[GAPS];
	struct rule_break_account breaks[RULE_BREAKS];
	uint64_t decisions, judged, explained;
	bool has_cfs, has_eevdf; /* by which rules they were judged */
};

/* "the rule's", "against the rule"; and why. */
extern const char *const decision_verdict_words[];
const char *decision_why(const struct rule_traits *traits, const struct rule_decision *decision);
/* How a decision with VERDICT_BREAKS breaks the rule. */
enum rule_break decision_break(const struct rule_traits *traits, const struct rule_decision *decision);
/* since_ns: time of the decision since the start of the trace; number: from 1, among all decisions of the trace, or 0;
 * run: number of the trace. */
void rules_account_add(struct rules_account *account, const struct rule_traits *traits,
		       const struct rule_decision *decision, uint64_t since_ns, uint64_t number, uint32_t run);
/* Adds the decisions of a further trace, which gets this number. */
void rules_account_sum(struct rules_account *sum, const struct rules_account *further, uint32_t run);
/* The most frequent break; RULE_BREAKS if there is none. */
enum rule_break rules_account_worst(const struct rules_account *account);
/* "all 12400 judged decisions follow EEVDF's rule (earliest eligible virtual deadline); 12 could not be judged". */
void rules_account_text(const struct rules_account *account, struct buffer *out);

#endif
