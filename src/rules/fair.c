/* SPDX-License-Identifier: MIT */
#include "rules/fair.h"

#include "rules/virtual_time.h"

/* --- CFS --- */

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

/* --- EEVDF --- */

bool rule_is_protected(const struct rule_traits *traits, const struct rule_entity *running)
{
	if (traits->has_vprot)
		return rule_difference(running->vruntime, running->protect) < 0;
	/* At the pick, vlag becomes a copy of the deadline. A new deadline ends the protection. */
	return traits->run_to_parity && running->protect == running->deadline;
}

static bool is_eligible(const struct rule_level *level, const struct virtual_time *time, uint32_t entity)
{
	return entity < level->count && virtual_time_eligible(time, level->entities[entity].vruntime);
}

/* The waiting candidate with the earliest deadline of the eligible ones; of equal ones the preferred. */
static uint32_t earliest_waiting(const struct rule_level *level, const struct virtual_time *time, uint32_t prefer)
{
	uint32_t best = RULE_NONE;

	for (uint32_t i = 0; i < level->count; i++) {
		if (i == level->running || !is_eligible(level, time, i))
			continue;
		int64_t difference = best == RULE_NONE
					 ? -1
					 : rule_difference(level->entities[i].deadline, level->entities[best].deadline);
		if (difference < 0 || (difference == 0 && i == prefer))
			best = i;
	}
	return best;
}

struct rule_choice rule_eevdf(const struct rule_traits *traits, const struct rule_level *level, uint32_t prefer)
{
	const struct virtual_time time = virtual_time_of(traits, level);

	if (level->count == 0)
		return (struct rule_choice){RULE_NONE, RULE_EMPTY};
	if (level->count == 1)
		return (struct rule_choice){0, RULE_ONLY};
	if (traits->pick_buddy && !level->is_unprotected && is_eligible(level, &time, level->next))
		return (struct rule_choice){level->next, RULE_NEXT_BUDDY};
	const bool running_is_eligible = is_eligible(level, &time, level->running);
	if (running_is_eligible && !level->is_unprotected &&
	    rule_is_protected(traits, &level->entities[level->running]))
		return (struct rule_choice){level->running, RULE_PROTECTED};
	uint32_t best = earliest_waiting(level, &time, prefer);
	if (running_is_eligible && (best == RULE_NONE || rule_difference(level->entities[level->running].deadline,
									 level->entities[best].deadline) < 0))
		best = level->running;
	return (struct rule_choice){best, best == RULE_NONE ? RULE_NONE_ELIGIBLE : RULE_EARLIEST_DEADLINE};
}

struct rule_choice rule_fair(const struct rule_traits *traits, const struct rule_level *level, uint32_t prefer)
{
	return traits->has_deadline ? rule_eevdf(traits, level, prefer) : rule_cfs(traits, level, prefer);
}
