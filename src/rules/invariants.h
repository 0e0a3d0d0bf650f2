/* SPDX-License-Identifier: MIT
 *
 * What must hold at each event of a trace with keys, one row each, with its source. They name faults that leave every
 * pick right by its keys: keys that are wrong, and picks that are not made. */
#ifndef RULES_INVARIANTS_H
#define RULES_INVARIANTS_H

#include "rules/invariant_moment.h"

enum invariant {
	INVARIANT_WEIGHT,
	INVARIANT_GROUP_WEIGHT,
	INVARIANT_GROUP_KEPT,
	INVARIANT_GROUP_LAG,
	INVARIANT_DEADLINE,
	INVARIANT_DEADLINE_RENEWED,
	INVARIANT_DEADLINE_PLACED,
	INVARIANT_GROUP_PLACED,
	INVARIANT_GROUP_SLICE,
	INVARIANT_GROUP_ASKS,
	INVARIANT_SLICE_PLACED,
	INVARIANT_DEADLINE_KEPT,
	INVARIANT_LAG_BOUND,
	INVARIANT_LAG_MEASURED,
	INVARIANT_LAG_ASLEEP,
	INVARIANT_LAG_KEPT,
	INVARIANT_VRUNTIME_PLACED,
	INVARIANT_DEBT,
	INVARIANT_DELAYED,
	INVARIANT_LEAVES,
	INVARIANT_DELAYED_LAG,
	INVARIANT_REQUEUED,
	INVARIANT_VRUNTIME,
	INVARIANT_WAITING,
	INVARIANT_YIELD,
	INVARIANT_WAKEUP_TESTED,
	INVARIANT_WAKEUP_PREEMPTS,
	INVARIANT_BUDDY,
	INVARIANT_SHORT_SLICE,
	INVARIANT_GIVES_WAY,
	INVARIANT_TICK,
	INVARIANT_WOKEN,
	INVARIANT_ALLOWED,
	INVARIANT_SLEEPER,
	INVARIANT_PULLED,
	INVARIANT_BALANCE,
	INVARIANT_TURN,
	INVARIANT_URGENT,
	INVARIANT_COUNTED,
	INVARIANT_FREED,
	INVARIANT_PLACED_PREVIOUS,
	INVARIANT_PLACED_HINT,
	INVARIANT_PLACED_SEARCH,
	INVARIANT_PLACED_PRIORITY,
	INVARIANT_PLACED_NEW,
	INVARIANT_SERVICE,
	INVARIANT_REQUEST,
	INVARIANT_SPREAD,
	INVARIANT_STARVED,
	INVARIANT_DEFERRED,
	INVARIANT_BUDGET,
	INVARIANT_REFILLED,
	INVARIANTS
};

/* WHEN_WOKEN: the running task of SCHED_IDLE must give way to the woken one. */
bool invariant_gives_way(const struct invariant_moment *moment);

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

/* Takes back what was found since before about the invariants that cannot be judged with such stops. */
void invariants_restore_timed(struct invariants *invariants, const struct invariants *before, enum clock_stops stops);

/* Adds those of a further trace, which gets this number. */
void invariants_sum(struct invariants *sum, const struct invariants *further, uint32_t run);

/* The weight of a task of this kernel priority and policy, as entities store it; 0 if it is not fair. */
uint64_t invariant_weight(int32_t prio, uint32_t policy);

#endif
