/* SPDX-License-Identifier: MIT
 *
 * How many fair tasks run or wait on a CPU, beside how many its queue counts. The tasks of a throttled group wait, and
 * are not counted: so a task that is missing is judged at once only if none can be throttled, else when it is counted
 * again, if no throttling has ended meanwhile.
 * Called by rules.c. */
#ifndef RULES_COUNTS_H
#define RULES_COUNTS_H

#include "rules/rules_state.h"

/* A task is put on a queue. */
void counts_enqueue(struct rules *rules, const struct task_states *states, const struct sched_event *event,
		    const struct key_event *keys);
/* A task that waits is taken to another CPU, where it is not put on the queue yet. */
void counts_migrate(struct rules *rules, int32_t pid, struct rules_cpu *from, struct rules_cpu *to);
/* Both halves of a switch are there. */
void counts_switch(struct rules *rules, struct rules_cpu *cpu);
/* A task asks for other attributes. */
void counts_change(struct rules *rules, int32_t pid);
/* What is missing may have another cause: on a CPU on which throttling ends, or on any. */
void counts_forget(struct rules_cpu *cpu);
void counts_forget_all(struct rules *rules);

#endif
