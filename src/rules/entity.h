/* SPDX-License-Identifier: MIT
 *
 * A task or group on a queue of the fair class, with its keys as the kernel had them at one instant; and the candidates
 * of one pick at one level of the hierarchy. Plain data: tests and traces fill it alike. */
#ifndef RULES_ENTITY_H
#define RULES_ENTITY_H

#include <stdbool.h>
#include <stdint.h>

#define RULE_NONE UINT32_MAX

/* Weight of nice 0, as entities store it: the resolution of 64-bit kernels. */
#define RULE_WEIGHT_SHIFT  10
#define RULE_NICE_0_WEIGHT (UINT64_C(1024) << RULE_WEIGHT_SHIFT)

struct rule_entity {
	uint64_t id; /* address of the kernel's sched_entity; 0: none */
	uint64_t vruntime, deadline, slice;
	uint64_t slice_max; /* since the deadline was set; 0: not known */
	uint64_t weight;
	uint64_t protect; /* vprot, else vlag: see rule_traits.has_vprot */
	uint32_t policy;
	bool on_rq, is_group;
	bool is_stale;   /* it may have others by now: its attributes were changed; of a group: an entity has left it,
			  * or the sums show another weight */
	bool is_gone;    /* a group that the sums have shown to be on no queue, and of which no task is known */
	bool is_delayed; /* sleeps, but stays on the queue until it is picked or its lag is 0 */
	bool was_candidate; /* of an earlier pick since it waits */
};

/* Traits of the scheduler, by the members of its structs and the recorded features, never by a version. */
struct rule_traits {
	bool has_deadline;              /* sched_entity.deadline: EEVDF, else CFS */
	bool has_vprot;                 /* sched_entity.vprot: protection ends at that vruntime */
	bool has_sum_shift;             /* cfs_rq.sum_shift: sums have whole weights, reduced by it */
	bool has_protect, has_buddies;  /* are recorded */
	bool has_short_buddy;           /* a woken task with a shorter slice becomes the next buddy */
	bool run_to_parity, pick_buddy; /* features */
	uint64_t wakeup_granularity_ns; /* CFS; 0: not recorded */
};

/* Candidates of a pick: the entities that wait, and the running one if it stays on the queue. */
struct rule_level {
	const struct rule_entity *entities;
	uint32_t count;
	uint32_t running;          /* index, or RULE_NONE */
	uint32_t next, last, skip; /* buddies: indices, or RULE_NONE */
	bool is_unprotected;       /* neither a protected slice nor a buddy counts: a test of a wakeup */
	unsigned int sum_shift;    /* cfs_rq.sum_shift: by it the queue reduces weights in its sums */
};

enum rule_reason {
	RULE_EMPTY, /* no candidate */
	RULE_ONLY,
	RULE_SMALLEST_VRUNTIME,
	RULE_SKIPPED_YIELD, /* CFS: the second smallest, after a yield */
	RULE_NEXT_BUDDY,
	RULE_LAST_BUDDY,
	RULE_PROTECTED,
	RULE_EARLIEST_DEADLINE,
	RULE_NONE_ELIGIBLE,
	RULE_HIGHEST_PRIORITY,
	RULE_FIRST_DEADLINE, /* of the deadline class */
	RULE_HIGHER_CLASS,
	RULE_IDLE, /* no task can run */
	RULE_REASONS
};

/* The pick of a rule, and its reason. */
struct rule_choice {
	uint32_t entity; /* index, or RULE_NONE */
	enum rule_reason reason;
};

/* a - b of times that wrap. */
static inline int64_t rule_difference(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b);
}

#endif
