/* SPDX-License-Identifier: MIT
 *
 * One decision of the scheduler with its candidates, what the rule says, and whether it is the same. */
#ifndef RULES_DECISION_H
#define RULES_DECISION_H

#include "rules/queues.h"
#include "trace/task_states.h"

enum decision_kind {
	DECISION_SWITCH, /* schedule() picked another task */
	DECISION_STAY,   /* schedule() picked the running task again */
	DECISION_WAKEUP, /* a wakeup's test whether to preempt */
};

/* The cause of a decision; rows of the summary. */
enum decision_cause {
	CAUSE_BLOCK,  /* the task that ran went to sleep */
	CAUSE_EXIT,   /* it ended */
	CAUSE_YIELD,  /* it called sched_yield() */
	CAUSE_TICK,   /* the tick asked for the switch */
	CAUSE_WAKEUP, /* a task put on the queue did */
	CAUSE_SLICE,  /* the end of its slice did, found at a wakeup or in a system call */
	CAUSE_OTHER,  /* something else did, such as a change of priority */
	CAUSE_IDLE,   /* the CPU was idle, or ran a task of a higher class */
	CAUSE_STAY,   /* the pick of DECISION_STAY */
	CAUSE_TEST,   /* of DECISION_WAKEUP */
	CAUSES
};

enum decision_verdict {
	VERDICT_EXPLAINED,
	VERDICT_BREAKS,
	VERDICT_NOT_JUDGED,
};

/* Why a decision is not judged. */
enum decision_gap {
	GAP_NONE,
	GAP_NO_PICK,   /* a queue's pick is not in the trace */
	GAP_NO_SUMS,   /* the queue's sums are not recorded */
	GAP_UNSEEN,    /* candidates that the trace has not shown since its start, or since a loss */
	GAP_SUMS,      /* the queue's sums are not those of the known candidates */
	GAP_NOT_FOUND, /* what was picked is no known candidate */
	GAP_GROUPS,    /* more levels of groups than are recorded */
	GAP_FIELD,     /* the rule needs a field that is not recorded: buddies, protection, granularity */
	GAP_NO_RESULT, /* it is not known whether a test of a wakeup asked to reschedule */
	GAP_EXTENSION, /* a scheduler of sched_ext picks */
	GAP_LOST,      /* events of a CPU are missing at this time: a loss, or the end of a truncated file */
	GAPS
};

struct rule_words {
	const char *key, *text; /* "tick"; "picks a task that is not eligible" */
};

extern const struct rule_words decision_causes[CAUSES];
extern const struct rule_words decision_gaps[GAPS];
extern const char *const rule_reason_words[RULE_REASONS];

struct rule_decision {
	enum decision_kind kind;
	enum decision_cause cause;
	enum decision_verdict verdict;
	enum decision_gap gap;
	uint64_t ts_ns;
	uint64_t switch_number; /* from 1; 0 unless DECISION_SWITCH */
	uint32_t cpu;           /* whose next task is picked */
	uint32_t prev, next;    /* tasks; next: picked, or woken; TASK_NONE: unknown */
	/* Levels of groups, the root's first; 0 if the class decides. */
	uint32_t level_count;
	const struct pick_level *levels;
	uint32_t picked[RULE_DEPTH_MAX]; /* by level: index of the picked candidate, or RULE_NONE */
	struct rule_choice choices[RULE_DEPTH_MAX];
	bool is_idle;  /* the CPU becomes idle */
	bool preempts; /* DECISION_WAKEUP: what the kernel did; the rule says whether the choice is the woken one */
	/* The level with which verdict and reason are shown: that which breaks the rule, else the lowest with a choice.
	 */
	uint32_t level;
	enum rule_reason reason;
	uint32_t rule_task; /* if the class decides otherwise: the task that must run; TASK_NONE: which is not known */
};

/* The published rules apply to it, and no CPU's events are missing. */
static inline bool decision_has_rule(const struct rule_decision *decision)
{
	return decision->gap != GAP_EXTENSION && decision->gap != GAP_LOST;
}

static inline bool decision_is_choice(const struct rule_decision *decision)
{
	for (uint32_t i = 0; i < decision->level_count; i++)
		if (decision->levels[i].level.count > 1)
			return true;
	return false;
}

#endif
