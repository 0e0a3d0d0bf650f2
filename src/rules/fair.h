/* SPDX-License-Identifier: MIT
 *
 * The published rules of the fair class at one level of the hierarchy. Of candidates between which the rule does not
 * decide (equal keys), prefer is chosen: what the kernel picked, or RULE_NONE. */
#ifndef RULES_FAIR_H
#define RULES_FAIR_H

#include "rules/entity.h"

/* CFS, kernel/sched/fair.c, pick_next_entity() before 6.6: the smallest vruntime; a task that yielded is passed over
 * for the second; a buddy (next, else last) is picked if it is at most a wakeup granularity behind. */
struct rule_choice rule_cfs(const struct rule_traits *traits, const struct rule_level *level, uint32_t prefer);

/* EEVDF, pick_eevdf(): Stoica and Abdel-Wahab, Earliest Eligible Virtual Deadline First (1995): of the eligible the
 * earliest deadline. The kernel adds: a running entity stays while its slice is protected and it is eligible; an
 * eligible next buddy is picked. A delayed entity takes part. The kernel dequeues it if it is picked, and picks again.
 */
struct rule_choice rule_eevdf(const struct rule_traits *traits, const struct rule_level *level, uint32_t prefer);

/* The one of the two that the traits say. */
static inline struct rule_choice rule_fair(const struct rule_traits *traits, const struct rule_level *level,
					   uint32_t prefer)
{
	return traits->has_deadline ? rule_eevdf(traits, level, prefer) : rule_cfs(traits, level, prefer);
}

/* The pick of the test of a wakeup, wakeup_preempt_fair(): it preempts if that is the woken one. With a slice
 * shorter than that of the running one (the test is unprotected) and eligible, it preempts in any case where it becomes
 * a buddy. */
struct rule_choice rule_wakeup(const struct rule_traits *traits, const struct rule_level *level, uint32_t woken);

/* Whether the slice of the running entity is protected. */
bool rule_is_protected(const struct rule_traits *traits, const struct rule_entity *running);

#endif
