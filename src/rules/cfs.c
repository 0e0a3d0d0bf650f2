/* SPDX-License-Identifier: MIT */
#include "rules/fair.h"
#include "rules/virtual_time.h"

/* The candidate with the smallest vruntime, without one; RULE_NONE if there is none. Of two waiting ones with the same,
 * the preferred one; the running one only if it is smaller than all that wait. */
static uint32_t smallest(const struct rule_level *level, uint32_t without, uint32_t prefer)
{
	uint32_t best = RULE_NONE;

	for (uint32_t i = 0; i < level->count; i++) {
		if (i == without || i == level->running)
			continue;
		int64_t difference = best == RULE_NONE
					 ? -1
					 : rule_difference(level->entities[i].vruntime, level->entities[best].vruntime);
		if (difference < 0 || (difference == 0 && i == prefer))
			best = i;
	}
	if (level->running == RULE_NONE || level->running == without)
		return best;
	if (best == RULE_NONE ||
	    rule_difference(level->entities[level->running].vruntime, level->entities[best].vruntime) < 0)
		return level->running;
	return best;
}

/* wakeup_preempt_entity() < 1: candidate may run although left has the smaller vruntime. */
static bool is_near(const struct rule_traits *traits, const struct rule_level *level, uint32_t candidate, uint32_t left)
{
	const struct rule_entity *smaller = &level->entities[left];
	int64_t behind = rule_difference(level->entities[candidate].vruntime, smaller->vruntime);

	return behind <= 0 || (uint64_t)behind <= virtual_granularity(traits->wakeup_granularity_ns, smaller->weight);
}

static bool is_picked_buddy(const struct rule_traits *traits, const struct rule_level *level, uint32_t buddy,
			    uint32_t left)
{
	return buddy < level->count && is_near(traits, level, buddy, left);
}

struct rule_choice rule_cfs(const struct rule_traits *traits, const struct rule_level *level, uint32_t prefer)
{
	const uint32_t left = smallest(level, RULE_NONE, prefer);
	struct rule_choice choice = {left, level->count > 1 ? RULE_SMALLEST_VRUNTIME : RULE_ONLY};

	if (left == RULE_NONE)
		return (struct rule_choice){RULE_NONE, RULE_EMPTY};
	if (level->skip == left) {
		const uint32_t second = smallest(level, left, prefer);
		if (second != RULE_NONE && is_near(traits, level, second, left))
			choice = (struct rule_choice){second, RULE_SKIPPED_YIELD};
	}
	if (is_picked_buddy(traits, level, level->next, left))
		return level->next == choice.entity ? choice : (struct rule_choice){level->next, RULE_NEXT_BUDDY};
	if (is_picked_buddy(traits, level, level->last, left))
		return level->last == choice.entity ? choice : (struct rule_choice){level->last, RULE_LAST_BUDDY};
	return choice;
}
