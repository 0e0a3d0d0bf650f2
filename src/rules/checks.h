/* SPDX-License-Identifier: MIT
 *
 * What the checks of invariants.c and replay.c share. */
#ifndef RULES_CHECKS_H
#define RULES_CHECKS_H

#include "rules/invariant_moment.h"

/* The kernel's divisions round, and the update of the clock between two readings. */
#define ROUNDING_NS UINT64_C(2000)
/* With a lighter group the sums are too coarse. */
#define GROUP_WEIGHT_MIN (RULE_NICE_0_WEIGHT / 16)

static inline enum invariant_result holds_if(bool holds)
{
	return holds ? INVARIANT_HOLDS : INVARIANT_BROKEN;
}

static inline bool is_known(const struct rule_entity *entity)
{
	return entity && entity->weight;
}

static inline uint64_t with_rounding(uint64_t ns)
{
	return ns + ns / 64 + ROUNDING_NS;
}

static inline uint64_t rounding_of(int64_t ns)
{
	return (ns < 0 ? -(uint64_t)ns : (uint64_t)ns) / 64 + ROUNDING_NS;
}

/* Times of a trace may be anything: their differences wrap. */
static inline bool is_within(int64_t value, uint64_t expected, uint64_t limit)
{
	const uint64_t more = (uint64_t)value - expected;

	return more <= limit || -more <= limit;
}

/* The features are known, and have the word. */
static inline bool has_feature(const struct invariant_moment *moment, const char *feature)
{
	return moment->traits->has_deadline && key_mark_has(moment->mark, feature);
}

static inline uint64_t tick_of(const struct invariant_moment *moment)
{
	return UINT64_C(1000000000) / moment->mark->hz;
}

/* A tick more than that: what ends with a tick is seen at the next one. */
static inline uint64_t with_tick(const struct invariant_moment *moment, uint64_t ns)
{
	return with_rounding(ns + tick_of(moment));
}

static inline int64_t deadline_ahead(const struct rule_entity *task)
{
	return rule_difference(task->deadline, task->vruntime);
}

#endif
