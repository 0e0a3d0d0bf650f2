/* SPDX-License-Identifier: MIT
 *
 * The queues of the fair class, rebuilt from key events: what waits on each at every pick. */
#ifndef RULES_QUEUES_H
#define RULES_QUEUES_H

#include <stddef.h>

#include "base/id_map.h"
#include "rules/pick_level.h"

#define RULE_DEPTH_MAX 4 /* levels of groups that are recorded, with that of the task */

/* A task and the groups that it is in: the task first. */
struct key_path {
	uint32_t depth;  /* 0: unknown, or not of the fair class */
	uint32_t levels; /* that there are; more than depth: the event has not recorded all of its groups */
	struct rule_entity entities[RULE_DEPTH_MAX];
	uint64_t queues[RULE_DEPTH_MAX]; /* ids of the queue that each is on: any number but 0 */
};

struct queues {
	const struct rule_traits *traits;
	uint64_t repaired; /* delayed sleepers and throttled groups that left without an event */
	/* Internal. */
	struct id_map entity_ids, queue_ids;
	struct queue_member *entities; /* by number */
	size_t entity_capacity;
	struct fair_queue *queues; /* by number */
	size_t queue_capacity;
};

/* Zero it first. traits must outlive it. */
void queues_begin(struct queues *queues, const struct rule_traits *traits);
/* A task is on its queue: by a wakeup, a fork, a migration, or with other keys than before. */
void queues_enqueue(struct queues *queues, const struct key_path *task);
/* Fills *level with the candidates, and takes those out that the sums show to have left. */
void queues_pick(struct queues *queues, const struct key_pick *event, struct pick_level *level);
/* The task and the groups of prev stop to run, those of next run. prev stays on its queues as far as it is on_rq. */
void queues_switch(struct queues *queues, const struct key_path *prev, const struct key_path *next);
static inline bool key_path_is_cut(const struct key_path *path)
{
	return path->levels > path->depth;
}

/* Adds the groups of a path that has only its task, as far as they are known from other events. */
void queues_extend(const struct queues *queues, struct key_path *path);
/* The entity leaves its queue: the task is migrated. */
void queues_leave(struct queues *queues, uint64_t id);
/* The CPU of this root queue is idle: nothing waits on it, nor on the queues of its groups. */
void queues_empty(struct queues *queues, uint64_t root);
/* The task is on no queue of the fair class, and its keys are not known any more. */
void queues_forget_task(struct queues *queues, uint64_t id);
/* The group has other keys by now: nothing is decided by those that are known, until the next event that has them. */
void queues_outdate(struct queues *queues, uint64_t id);
/* Its keys may be others by now, and with changes_slice its slice and policy: not known until the next event that has
 * them. */
void queues_change(struct queues *queues, uint64_t id, bool changes_slice);
/* The same of all groups. */
void queues_change_groups(struct queues *queues);
/* The longest slice that an entity with these keys may have had since its deadline was set; 0: not known. */
uint64_t queues_slice_max(const struct queues *queues, const struct rule_entity *keys);
/* Events are missing: what waits is not known any more. */
void queues_forget(struct queues *queues);
/* The last known keys of an entity; NULL if there are none. */
const struct rule_entity *queues_entity(const struct queues *queues, uint64_t id);
/* True if a task of the group has gone to sleep since the group began to run. */
bool queues_may_be_buddy(const struct queues *queues, uint64_t id);
/* Sets on_rq of the group at this level of a path that stops to run, the levels below being set; and is_delayed if it
 * may have nothing left but a delayed sleeper. pick: the pick of its queue since, in which it did not run; or NULL. */
void queues_stop_group(const struct queues *queues, struct key_path *path, uint32_t level,
		       const struct pick_level *pick);
/* True if the group whose queue is inner is, or is in a group that is, on the queue outer. */
bool queues_is_inside(const struct queues *queues, uint64_t inner, uint64_t outer);
/* The group of this queue has a quota (cpu.max). */
void queues_note_quota(struct queues *queues, uint64_t queue);
/* True if that is known of the group, or of one that it is in. */
bool queues_has_quota(const struct queues *queues, uint64_t queue);
/* Number of entities that wait on a queue, with delayed sleepers. */
uint32_t queues_count(const struct queues *queues, uint64_t queue);
/* True if the entity waits on a queue. */
bool queues_waits(const struct queues *queues, uint64_t id);
/* True if it waits, or did until it left for another queue. */
bool queues_has_waited(const struct queues *queues, uint64_t id);
/* The queue that the entity is on, or was on last; 0: none. */
uint64_t queues_home(const struct queues *queues, uint64_t id);
/* The entity that runs on this queue was taken from its queue and set to run again since its keys were last known,
 * which protects it anew: at its exit, or in another group. Also true if it has a new deadline. */
bool queues_runs_anew(const struct queues *queues, uint64_t queue, const struct rule_entity *running);
/* Number of entities that wait on a queue and do not sleep. */
uint32_t queues_waiting(const struct queues *queues, uint64_t queue);
void queues_free(struct queues *queues);

#endif
