/* SPDX-License-Identifier: MIT
 *
 * What the invariants look at when a CPU switches: the task that stops to run, and the one that begins. Called by
 * moments.c. */
#ifndef RULES_SWITCH_MOMENTS_H
#define RULES_SWITCH_MOMENTS_H

#include "rules/rules_state.h"

/* known: the keys of the task before the switch. */
void switch_check_out(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		      const struct rule_entity *known);
/* has_waited: it was on its queue. */
void switch_check_in(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		     const struct rule_entity *known, bool has_waited);
/* The group of the task that begins to run, if it has no other; else id 0. */
struct rule_entity switch_find_lone(const struct rules_cpu *cpu);

#endif
