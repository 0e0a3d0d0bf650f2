/* SPDX-License-Identifier: MIT
 *
 * Tasks above the fair class that are woken while one of their class runs: whether they ask it to leave. */
#ifndef RULES_URGENT_H
#define RULES_URGENT_H

#include "rules/rules_state.h"

/* The task that cpu has recorded the enqueue of is woken: cpu->is_asked, cpu->had_cause. */
void urgent_woken(struct rules *rules, const struct task_states *states, const struct rules_cpu *cpu);

#endif
