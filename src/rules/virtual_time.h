/* SPDX-License-Identifier: MIT
 *
 * The virtual time V of a queue: the average of its entities' vruntimes, weighted. Exact integers, as in the kernel's
 * entity_eligible(): an entity is eligible if sum((v_j - v_i) * w_j) >= 0 over all entities of the queue. */
#ifndef RULES_VIRTUAL_TIME_H
#define RULES_VIRTUAL_TIME_H

#include "rules/entity.h"

__extension__ typedef __int128 rule_wide;

struct virtual_time {
	uint64_t base;      /* keys are vruntime - base */
	rule_wide weighted; /* sum of key * weight */
	uint64_t weight;    /* sum of weights */
};

/* The weight with which the queue's sums count an entity. */
uint64_t virtual_time_weight(const struct rule_traits *traits, uint64_t weight, unsigned int sum_shift);
/* The average of all entities of the level. */
struct virtual_time virtual_time_of(const struct rule_traits *traits, const struct rule_level *level);
/* With, or without, one more entity. */
struct virtual_time virtual_time_with(const struct virtual_time *time, uint64_t vruntime, uint64_t counted_weight);
struct virtual_time virtual_time_without(const struct virtual_time *time, uint64_t vruntime, uint64_t counted_weight);
/* avg_vruntime(): V in whole nanoseconds, never after the exact one. Without entities, any time. */
uint64_t virtual_time_floor(const struct virtual_time *time);
/* place_entity(): the vruntime with which an entity that joins the others has this lag. They have at least one. */
uint64_t virtual_time_place(const struct virtual_time *others, int64_t lag, uint64_t counted_weight);
bool virtual_time_eligible(const struct virtual_time *time, uint64_t vruntime);
/* V - vruntime in virtual nanoseconds: lag, or for a deadline its negated distance. 0 for an empty queue. */
int64_t virtual_time_lag(const struct virtual_time *time, uint64_t vruntime);
/* Virtual nanoseconds of an entity as CPU time, and the reverse. */
int64_t virtual_to_cpu(int64_t virtual_ns, uint64_t weight);
uint64_t cpu_to_virtual(uint64_t cpu_ns, uint64_t weight);
/* CFS, __calc_delta(): by the weight without its lower bits. */
uint64_t virtual_granularity(uint64_t cpu_ns, uint64_t weight);

#endif
