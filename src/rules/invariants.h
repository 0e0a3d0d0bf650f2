/* SPDX-License-Identifier: MIT
 *
 * What must hold at each event of a trace with keys, one row each, with its source. They name faults that leave every
 * pick right by its keys: keys that are wrong, and picks that are not made. */
#ifndef RULES_INVARIANTS_H
#define RULES_INVARIANTS_H

#include "rules/queues.h"
#include "trace/event.h"
#include "trace/key_mark.h"

enum invariant {
	INVARIANT_WEIGHT,
	INVARIANT_DEADLINE,
	INVARIANT_LAG_BOUND,
	INVARIANT_LAG_KEPT,
	INVARIANT_VRUNTIME,
	INVARIANT_WAKEUP_TESTED,
	INVARIANT_WAKEUP_PREEMPTS,
	INVARIANT_WOKEN,
	INVARIANT_BUDGET,
	INVARIANTS
};

/* When an invariant is looked at. */
enum invariant_when {
	WHEN_SWITCHED_IN = 1,   /* a fair task begins to run */
	WHEN_SWITCHED_OUT = 2,  /* a fair task stops to run */
	WHEN_PLACED = 4,        /* the first pick after a task was enqueued */
	WHEN_BUDGET_KNOWN = 16, /* a deadline task stops to run */
	WHEN_WOKEN = 8,         /* the wakeup is over, and with it its test */
};

struct invariant_moment {
	enum invariant_when when;
	const struct rule_traits *traits;
	const struct key_mark *mark;
	const struct rule_entity *task;   /* its keys in this event */
	const struct rule_entity *before; /* as they were known before; NULL: not known */
	bool has_stayed;                  /* since before, on the same queue */
	int32_t prio;                     /* of a switch */
	uint64_t slice_max;               /* of all tasks so far */
	bool has_shares;                  /* weights of tasks were shares of their groups, which change meanwhile */
	const struct pick_level *pick;    /* WHEN_PLACED */
	int64_t budget_ns;                /* WHEN_BUDGET_KNOWN: what is left */
	/* WHEN_WOKEN: the fair task that ran on the CPU, brought up to the clock; whether the CPU was asked to
	 * reschedule before, and by the wakeup; whether the wakeup asked which task to pick. */
	const struct rule_entity *running;
	bool is_same_queue, was_asked, is_asked, is_tested;
};

enum invariant_result { INVARIANT_NOT_APPLICABLE, INVARIANT_HOLDS, INVARIANT_BROKEN };

struct invariant_row {
	const char *key, *name, *source, *applies_to;
	unsigned int when; /* enum invariant_when, joined */
	enum invariant_result (*check)(const struct invariant_moment *moment);
};

extern const struct invariant_row invariant_rows[INVARIANTS];

/* Sums over traces. */
struct invariants {
	struct invariant_account {
		uint64_t checked, broken;
		/* The first time that it was broken: since the start of its trace. */
		uint64_t first_ns;
		uint32_t first_cpu, first_run;
		int32_t first_pid;
	} rows[INVARIANTS];
};

/* Where and of which task a moment is. */
struct invariant_place {
	uint64_t since_ns;
	uint32_t cpu, run;
	int32_t pid;
};

/* Checks the invariants of the moment. */
void invariants_check(struct invariants *invariants, const struct invariant_moment *moment,
		      const struct invariant_place *place);

/* Adds those of a further trace, which gets this number. */
void invariants_sum(struct invariants *sum, const struct invariants *further, uint32_t run);

/* The weight of a task of this kernel priority and policy, as entities store it; 0 if it is not fair. */
uint64_t invariant_weight(int32_t prio, uint32_t policy);

#endif
