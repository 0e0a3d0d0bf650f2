/* SPDX-License-Identifier: MIT */
#include "rules/queues.h"

#include <stdlib.h>

#include "base/memory.h"
#include "rules/class.h"

#define NONE ID_MAP_NONE

struct queue_member {
	struct rule_entity keys;
	uint32_t queue; /* number of the queue it waits on, or NONE */
	uint32_t place; /* in the queue's list */
	uint32_t home;  /* the queue that it was on last, or NONE */
	bool runs;
	bool may_be_buddy;
	bool has_left;      /* the queue on which it waited */
	bool was_candidate; /* of a pick since it waits */
};

struct fair_queue {
	uint32_t *members; /* numbers of the entities that wait */
	uint32_t count;
	size_t capacity;
	uint32_t owner;   /* the group's entity on its parent's queue, or NONE */
	uint32_t running; /* entity, or NONE */
	bool has_quota;
	bool is_forgotten; /* and its sums have not shown since that all that waits is known again */
};

void queues_begin(struct queues *queues, const struct rule_traits *traits)
{
	queues->traits = traits;
}

static uint32_t find_entity(struct queues *queues, uint64_t id)
{
	uint32_t known = queues->entity_ids.count;
	uint32_t number = id_map_add(&queues->entity_ids, id);

	queues->entities =
	    array_grow(queues->entities, &queues->entity_capacity, number + 1, sizeof(*queues->entities));
	if (number == known)
		queues->entities[number] = (struct queue_member){.queue = NONE, .home = NONE};
	return number;
}

static uint32_t find_queue(struct queues *queues, uint64_t id)
{
	uint32_t known = queues->queue_ids.count;
	uint32_t number = id_map_add(&queues->queue_ids, id);

	queues->queues = array_grow(queues->queues, &queues->queue_capacity, number + 1, sizeof(*queues->queues));
	if (number == known)
		queues->queues[number] = (struct fair_queue){.owner = NONE, .running = NONE};
	return number;
}

/* Looking for one may move all: these are found first. */
static struct queue_member *entity_of(struct queues *queues, uint64_t id)
{
	const uint32_t number = find_entity(queues, id);

	return &queues->entities[number];
}

static struct fair_queue *queue_of(struct queues *queues, uint64_t id)
{
	const uint32_t number = find_queue(queues, id);

	return &queues->queues[number];
}

static void remove_member(struct queues *queues, uint32_t number)
{
	struct queue_member *member = &queues->entities[number];

	if (member->queue == NONE)
		return;
	struct fair_queue *queue = &queues->queues[member->queue];
	uint32_t last = queue->members[--queue->count];
	queue->members[member->place] = last;
	queues->entities[last].place = member->place;
	member->queue = NONE;
}

static void add_member(struct queues *queues, uint32_t number, uint32_t queue_number)
{
	struct fair_queue *queue = &queues->queues[queue_number];

	remove_member(queues, number);
	queue->members = array_grow(queue->members, &queue->capacity, queue->count + 1, sizeof(*queue->members));
	queue->members[queue->count] = number;
	queues->entities[number].queue = queue_number;
	queues->entities[number].place = queue->count++;
	queues->entities[number].was_candidate = false;
}

/* A group whose last entity has left is on no queue either. */
static void remove_empty_groups(struct queues *queues, uint32_t queue_number)
{
	for (int depth = 0; depth < RULE_DEPTH_MAX && queue_number != NONE; depth++) {
		const struct fair_queue *queue = &queues->queues[queue_number];
		if (queue->count || queue->running != NONE || queue->owner == NONE)
			return;
		uint32_t owner = queue->owner;
		queue_number = queues->entities[owner].queue;
		remove_member(queues, owner);
	}
}

void queues_leave(struct queues *queues, uint64_t id)
{
	uint32_t number = id_map_find(&queues->entity_ids, id);

	if (number == NONE || queues->entities[number].queue == NONE)
		return;
	uint32_t queue = queues->entities[number].queue;
	remove_member(queues, number);
	queues->entities[number].has_left = true;
	if (queues->queues[queue].owner != NONE)
		queues->entities[queues->queues[queue].owner].keys.is_stale = true;
	remove_empty_groups(queues, queue);
}

/* The queue of a group, or NONE for a task. */
static uint32_t queue_of_group(const struct queues *queues, uint32_t entity)
{
	for (uint32_t i = 0; i < queues->queue_ids.count; i++)
		if (queues->queues[i].owner == entity)
			return i;
	return NONE;
}

static void empty_queue(struct queues *queues, uint32_t number, unsigned int depth)
{
	while (queues->queues[number].count) {
		const uint32_t entity = queues->queues[number].members[0];
		const uint32_t group = depth < RULE_DEPTH_MAX ? queue_of_group(queues, entity) : NONE;

		remove_member(queues, entity);
		if (group != NONE && group != number)
			empty_queue(queues, group, depth + 1);
	}
}

void queues_empty(struct queues *queues, uint64_t root)
{
	const uint32_t number = id_map_find(&queues->queue_ids, root);

	if (number != NONE)
		empty_queue(queues, number, 0);
}

void queues_forget(struct queues *queues)
{
	for (uint32_t i = 0; i < queues->entity_ids.count; i++) {
		queues->entities[i].queue = NONE;
		queues->entities[i].keys.weight = 0;
		queues->entities[i].runs = false;
	}
	for (uint32_t i = 0; i < queues->queue_ids.count; i++) {
		queues->queues[i].count = 0;
		queues->queues[i].running = NONE;
		queues->queues[i].is_forgotten = true;
	}
}

/* The queue of each level of a path, and whose queue it is. */
static void find_queues(struct queues *queues, const struct key_path *path, uint32_t numbers[RULE_DEPTH_MAX])
{
	for (uint32_t i = 0; i < path->depth; i++)
		numbers[i] = find_queue(queues, path->queues[i]);
	for (uint32_t i = 0; i + 1 < path->depth; i++)
		queues->queues[numbers[i]].owner = find_entity(queues, path->entities[i + 1].id);
}

/* No new request since: the deadline stays, or its distance if the entity moves to another queue (PLACE_REL_DEADLINE).
 */
static bool is_same_request(const struct rule_entity *before, const struct rule_entity *keys, bool moves)
{
	const int64_t moved =
	    rule_difference(keys->deadline, keys->vruntime) - rule_difference(before->deadline, before->vruntime);

	return before->is_stale || before->deadline == keys->deadline || (moves && moved >= -1 && moved <= 1);
}

/* Since the deadline was set: it is not known before the deadline is another one, nor if the slice was changed since.
 */
static uint64_t slice_max_with(const struct rule_entity *before, const struct rule_entity *keys, bool moves)
{
	const bool is_same = is_same_request(before, keys, moves);

	if (!before->weight || (!before->slice_max && is_same))
		return 0;
	return is_same && before->slice_max > keys->slice ? before->slice_max : keys->slice;
}

static void set_keys(struct queue_member *member, const struct rule_entity *keys, bool moves)
{
	const uint64_t slice_max = slice_max_with(&member->keys, keys, moves);

	member->keys = *keys;
	member->keys.slice_max = slice_max;
}

uint64_t queues_slice_max(const struct queues *queues, const struct rule_entity *keys)
{
	const struct rule_entity *known = queues_entity(queues, keys->id);

	return known ? slice_max_with(known, keys, false) : 0;
}

/* The entity waits on the queue if it is on_rq; if it runs, only its keys are new. */
static void put(struct queues *queues, const struct rule_entity *keys, uint32_t queue)
{
	uint32_t number = find_entity(queues, keys->id);

	set_keys(&queues->entities[number], keys, queues->entities[number].home != queue);
	queues->entities[number].home = queue;
	queues->entities[number].has_left = false;
	if (queues->entities[number].runs)
		return;
	if (keys->on_rq)
		add_member(queues, number, queue);
	else
		remove_member(queues, number);
}

void queues_enqueue(struct queues *queues, const struct key_path *task)
{
	uint32_t numbers[RULE_DEPTH_MAX];

	find_queues(queues, task, numbers);
	for (uint32_t i = 0; i < task->depth; i++)
		put(queues, &task->entities[i], numbers[i]);
}

static void copy_members(struct queues *queues, uint64_t running, uint32_t queue_number, struct pick_level *pick)
{
	const struct fair_queue *queue = &queues->queues[queue_number];

	pick->entities = array_grow(pick->entities, &pick->capacity, (size_t)queue->count + 2, sizeof(*pick->entities));
	for (uint32_t i = 0; i < queue->count; i++) {
		const struct queue_member *member = &queues->entities[queue->members[i]];
		if (member->keys.id == running)
			continue;
		pick->entities[pick->level.count] = member->keys;
		pick->entities[pick->level.count++].was_candidate = member->was_candidate;
	}
	pick->level.entities = pick->entities;
}

/* The kernel runs another entity of the queue than the known one: the task has left that group, which waits. */
static void note_left_group(struct queues *queues, const struct key_pick *event)
{
	const uint32_t number = find_queue(queues, event->queue);
	struct fair_queue *queue = &queues->queues[number];

	if (queue->running == NONE || !event->running.id ||
	    queues->entities[queue->running].keys.id == event->running.id)
		return;
	queues->entities[queue->running].runs = false;
	queue->running = NONE;
}

static void note_candidates(struct queues *queues, const struct pick_level *pick)
{
	const struct fair_queue *queue = queue_of(queues, pick->queue);

	for (uint32_t i = 0; i < queue->count; i++)
		queues->entities[queue->members[i]].was_candidate = true;
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (i != pick->level.running && pick->entities[i].is_stale)
			entity_of(queues, pick->entities[i].id)->keys.is_stale = true;
}

void queues_pick(struct queues *queues, const struct key_pick *event, struct pick_level *pick)
{
	const uint32_t number = find_queue(queues, event->queue);

	note_left_group(queues, event);
	pick->queue = event->queue;
	pick->is_outdated = false;
	pick->level = (struct rule_level){
	    .running = RULE_NONE, .is_unprotected = event->is_unprotected, .sum_shift = event->sums.shift};
	copy_members(queues, event->running.id, number, pick);
	if (event->running.id && event->running.on_rq) {
		const struct rule_entity *known = queues_entity(queues, event->running.id);
		pick->level.running = pick->level.count;
		pick->entities[pick->level.count] = event->running;
		if (!event->running.slice && known)
			pick->entities[pick->level.count].slice = known->slice;
		pick->entities[pick->level.count].policy = known ? known->policy : (uint32_t)POLICY_UNKNOWN;
		pick->level.count++;
	}
	pick_level_prove(queues->traits, pick, &event->sums);
	for (uint32_t i = 0; i < pick->left_count; i++)
		queues_leave(queues, pick->left[i]);
	queues->repaired += pick->left_count;
	note_candidates(queues, pick);
	pick->level.next = pick_level_find(pick, event->next);
	pick->level.last = pick_level_find(pick, event->last);
	pick->level.skip = pick_level_find(pick, event->skip);
	pick->derived = pick->proven = RULE_NONE;
	if (pick->gap == PICK_COMPLETE)
		queues->queues[number].is_forgotten = false;
	else if (!queues->queues[number].is_forgotten)
		pick_level_derive(queues->traits, pick, event);
}

static void start_running(struct queues *queues, const struct key_path *path, const uint32_t numbers[RULE_DEPTH_MAX])
{
	for (uint32_t i = 0; i < path->depth; i++) {
		uint32_t number = find_entity(queues, path->entities[i].id);
		remove_member(queues, number);
		set_keys(&queues->entities[number], &path->entities[i], false);
		queues->entities[number].runs = true;
		queues->entities[number].has_left = false;
		queues->entities[number].home = numbers[i];
		queues->queues[numbers[i]].running = number;
	}
}

static bool has_entity(const struct key_path *path, uint64_t id)
{
	for (uint32_t i = 0; i < path->depth; i++)
		if (path->entities[i].id == id)
			return true;
	return false;
}

/* A task that goes to sleep makes its groups the next buddies; one that begins to run is none. */
static void note_buddies(struct queues *queues, const struct key_path *prev, const struct key_path *next)
{
	for (uint32_t i = 1; i < next->depth; i++)
		if (!has_entity(prev, next->entities[i].id))
			entity_of(queues, next->entities[i].id)->may_be_buddy = false;
	for (uint32_t i = 1; i < prev->depth; i++)
		if (!prev->entities[0].on_rq || prev->entities[0].is_delayed)
			entity_of(queues, prev->entities[i].id)->may_be_buddy = true;
}

bool queues_may_be_buddy(const struct queues *queues, uint64_t id)
{
	const uint32_t number = id_map_find(&queues->entity_ids, id);

	return number != NONE && queues->entities[number].may_be_buddy;
}

void queues_switch(struct queues *queues, const struct key_path *prev, const struct key_path *next)
{
	uint32_t numbers[RULE_DEPTH_MAX];

	find_queues(queues, prev, numbers);
	for (uint32_t i = 0; i < prev->depth; i++) {
		const uint32_t number = find_entity(queues, prev->entities[i].id);
		const uint32_t ran = queues->queues[numbers[i]].running, home = queues->entities[number].home;
		/* A running task that changes its group, as at its exit, leaves the groups that ran with it. */
		if (ran != NONE)
			queues->entities[ran].runs = false;
		if (home != NONE && queues->queues[home].running == number)
			queues->queues[home].running = NONE;
		queues->entities[number].runs = false;
		queues->queues[numbers[i]].running = NONE;
		put(queues, &prev->entities[i], numbers[i]);
	}
	find_queues(queues, next, numbers);
	start_running(queues, next, numbers);
	note_buddies(queues, prev, next);
}

void queues_extend(const struct queues *queues, struct key_path *path)
{
	while (path->depth && path->depth < RULE_DEPTH_MAX) {
		const uint32_t queue = id_map_find(&queues->queue_ids, path->queues[path->depth - 1]);
		const uint32_t owner = queue == NONE ? NONE : queues->queues[queue].owner;

		if (owner == NONE || queues->entities[owner].home == NONE)
			return;
		path->entities[path->depth] = queues->entities[owner].keys;
		path->queues[path->depth++] = queues->queue_ids.ids[queues->entities[owner].home];
	}
}

const struct rule_entity *queues_entity(const struct queues *queues, uint64_t id)
{
	uint32_t number = id_map_find(&queues->entity_ids, id);

	return number == NONE || !queues->entities[number].keys.weight ? NULL : &queues->entities[number].keys;
}

bool queues_is_inside(const struct queues *queues, uint64_t inner, uint64_t outer)
{
	uint32_t number = id_map_find(&queues->queue_ids, inner);

	for (int depth = 0; depth < RULE_DEPTH_MAX && number != NONE && queues->queues[number].owner != NONE; depth++) {
		number = queues->entities[queues->queues[number].owner].home;
		if (number != NONE && queues->queue_ids.ids[number] == outer)
			return true;
	}
	return false;
}

void queues_note_quota(struct queues *queues, uint64_t queue)
{
	queue_of(queues, queue)->has_quota = true;
}

bool queues_has_quota(const struct queues *queues, uint64_t queue)
{
	uint32_t number = id_map_find(&queues->queue_ids, queue);

	for (int depth = 0; depth < RULE_DEPTH_MAX && number != NONE; depth++) {
		if (queues->queues[number].has_quota)
			return true;
		const uint32_t owner = queues->queues[number].owner;
		number = owner == NONE ? NONE : queues->entities[owner].home;
	}
	return false;
}

uint32_t queues_count(const struct queues *queues, uint64_t queue)
{
	uint32_t number = id_map_find(&queues->queue_ids, queue);

	return number == NONE ? 0 : queues->queues[number].count;
}

/* A throttled group is on no queue, though it has tasks. */
static bool is_throttled(const struct pick_level *pick, uint64_t group)
{
	return pick && pick->gap == PICK_COMPLETE && pick->level.running == RULE_NONE && pick->derived == RULE_NONE &&
	       pick_level_find(pick, group) == RULE_NONE;
}

void queues_stop_group(const struct queues *queues, struct key_path *path, uint32_t level,
		       const struct pick_level *pick)
{
	const struct rule_entity *below = &path->entities[level - 1];
	struct rule_entity *group = &path->entities[level];
	const bool has_more = below->on_rq || queues_count(queues, path->queues[level - 1]);

	group->on_rq = !is_throttled(pick, group->id) && (has_more || (!pick && queues->traits->has_deadline));
	group->is_delayed =
	    !(below->on_rq && !below->is_delayed) && queues_waiting(queues, path->queues[level - 1]) == 0;
	group->is_gone = !group->on_rq && !has_more && is_throttled(pick, group->id);
}

void queues_forget_task(struct queues *queues, uint64_t id)
{
	uint32_t number = id_map_find(&queues->entity_ids, id);

	if (number == NONE)
		return;
	queues_leave(queues, id);
	queues->entities[number].keys.weight = 0;
}

void queues_outdate(struct queues *queues, uint64_t id)
{
	const uint32_t number = id_map_find(&queues->entity_ids, id);

	if (number != NONE)
		queues->entities[number].keys.is_stale = true;
}

void queues_change(struct queues *queues, uint64_t id, bool changes_slice)
{
	const uint32_t number = id_map_find(&queues->entity_ids, id);

	if (number == NONE)
		return;
	queues->entities[number].keys.is_stale = true;
	if (!changes_slice)
		return;
	queues->entities[number].keys.slice = queues->entities[number].keys.slice_max = 0;
	queues->entities[number].keys.policy = POLICY_UNKNOWN;
}

void queues_change_groups(struct queues *queues)
{
	for (uint32_t i = 0; i < queues->entity_ids.count; i++)
		queues->entities[i].keys.is_stale |= queues->entities[i].keys.is_group;
}

bool queues_has_waited(const struct queues *queues, uint64_t id)
{
	const uint32_t number = id_map_find(&queues->entity_ids, id);

	return queues_waits(queues, id) || (number != NONE && queues->entities[number].has_left);
}

uint64_t queues_home(const struct queues *queues, uint64_t id)
{
	const uint32_t number = id_map_find(&queues->entity_ids, id);
	const uint32_t home = number == NONE ? NONE : queues->entities[number].home;

	return home == NONE ? 0 : queues->queue_ids.ids[home];
}

bool queues_waits(const struct queues *queues, uint64_t id)
{
	uint32_t number = id_map_find(&queues->entity_ids, id);

	return number != NONE && queues->entities[number].queue != NONE;
}

bool queues_runs_anew(const struct queues *queues, uint64_t queue, const struct rule_entity *running)
{
	const struct rule_entity *known = queues_entity(queues, running->id);

	return queues_home(queues, running->id) != queue || !known || known->deadline != running->deadline;
}

uint32_t queues_waiting(const struct queues *queues, uint64_t queue)
{
	uint32_t number = id_map_find(&queues->queue_ids, queue);
	uint32_t count = 0;

	if (number == NONE)
		return 0;
	for (uint32_t i = 0; i < queues->queues[number].count; i++)
		count += !queues->entities[queues->queues[number].members[i]].keys.is_delayed;
	return count;
}

void queues_free(struct queues *queues)
{
	for (uint32_t i = 0; i < queues->queue_ids.count; i++)
		free(queues->queues[i].members);
	free(queues->entities);
	free(queues->queues);
	id_map_free(&queues->entity_ids);
	id_map_free(&queues->queue_ids);
	*queues = (struct queues){0};
}
