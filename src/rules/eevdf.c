/* SPDX-License-Identifier: MIT */
#include "rules/fair.h"
#include "rules/virtual_time.h"

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

struct rule_choice rule_wakeup(const struct rule_traits *traits, const struct rule_level *level, uint32_t woken)
{
	const struct rule_choice choice = rule_fair(traits, level, woken);

	if (choice.entity == woken || !level->is_unprotected || !traits->has_short_buddy || !traits->pick_buddy)
		return choice;
	const struct virtual_time time = virtual_time_of(traits, level);
	return is_eligible(level, &time, woken) ? (struct rule_choice){woken, RULE_NEXT_BUDDY} : choice;
}
