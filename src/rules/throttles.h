/* SPDX-License-Identifier: MIT
 *
 * Groups whose throttling has ended: each is on the queue of its parent, and that group on the queue of its own, as
 * long as nothing in them has run, which could use up a quota again. Called by rules.c. */
#ifndef RULES_THROTTLES_H
#define RULES_THROTTLES_H

#include "rules/rules_state.h"

/* Throttling ends for a group on this CPU. */
void throttles_end(struct rules *rules, const struct rules_cpu *cpu, const struct key_event *keys);
/* An entity of a queue is looked for on the CPU. */
void throttles_pick(struct rules *rules, uint32_t cpu, const struct pick_level *pick);
/* A task of these groups begins to run, or is put on its queue. */
void throttles_use(struct rules *rules, const struct key_path *path);
/* A task that waits has left the CPU: it may have been the last one of a group. */
void throttles_leave(struct rules *rules, uint32_t cpu);
/* Nothing runs on the CPU. */
void throttles_idle(struct rules *rules, uint32_t cpu);

#endif
