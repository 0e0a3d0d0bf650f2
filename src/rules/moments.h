/* SPDX-License-Identifier: MIT
 *
 * What the invariants look at, as the events of a trace come: called by rules.c. */
#ifndef RULES_MOMENTS_H
#define RULES_MOMENTS_H

#include "rules/rules_state.h"

/* Before the queues have the task. target: the CPU on whose queue it is; cpu: the one that recorded it. */
void moments_enqueue(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		     struct rules_cpu *target, const struct key_event *keys);
/* A pick of the chain of cpu; target: the CPU whose queue it is. */
void moments_pick(struct rules *rules, struct rules_cpu *cpu, struct rules_cpu *target, const struct pick_level *pick);
/* The running task of the CPU yields: its keys before are in cpu->yielded. */
void moments_yield(const struct rules *rules, struct rules_cpu *cpu);
/* It has yielded: cpu->yields is what it was before. */
void moments_yielded(struct rules *rules, struct rules_cpu *cpu, const struct key_event *keys);
/* Another event follows the enqueue and its test; target: the CPU on whose queue the task is. */
void moments_woken(struct rules *rules, const struct task_states *states, const struct rules_cpu *cpu,
		   struct rules_cpu *target);
/* The CPU of this number, which runs a fair task, ticks. */
void moments_tick(struct rules *rules, struct rules_cpu *cpu, uint32_t number);
/* The CPU of this number is asked to reschedule, or ticks. */
void moments_still_runs(struct rules *rules, struct rules_cpu *cpu, uint32_t number);
/* known: the keys of prev and next before the switch; has_waited: next was on its queue. */
void moments_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		    const struct rule_entity known[2], bool has_waited);
/* A sleeping task is moved to this CPU: at most once, by its wakeup. */
void moments_move(struct rules *rules, int32_t pid, uint32_t cpu);

#endif
