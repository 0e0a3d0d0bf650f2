/* SPDX-License-Identifier: MIT
 *
 * Tasks that a CPU pulls since it has none left: whether they wait, or are delayed sleepers, which should stay. */
#ifndef RULES_PULLS_H
#define RULES_PULLS_H

#include "rules/rules_state.h"

/* A task that runs on no CPU is moved to another one. */
void pulls_move(struct rules *rules, const struct task_states *states, const struct sched_event *event,
		const struct task_step *step);
/* A task is put on a queue: one that was pulled asleep is judged, as its affinity is known then. */
void pulls_enqueue(struct rules *rules, struct rules_pid *row, const struct key_event *keys);

#endif
