/* SPDX-License-Identifier: MIT */
#include "rules/queues.h"

#include <stdlib.h>

#include "base/memory.h"
#include "rules/fair.h"
#include "rules/virtual_time.h"

#define NONE ID_MAP_NONE
/* Subsets of delayed sleepers that are tried before a difference of the sums is given up. */
#define REPAIR_STEPS_MAX 4096u
#define REPAIRED_MAX     64u

struct queue_member {
	struct rule_entity keys;
	uint32_t queue; /* number of the queue it waits on, or NONE */
	uint32_t place; /* in the queue's list */
	uint32_t home;  /* the queue that it was on last, or NONE */
	bool runs;
	bool may_be_buddy;
	uint64_t group_slice, group_slice_max; /* 0: not known, or a task */
	bool has_left;                         /* the queue on which it waited */
	bool was_candidate;                    /* of a pick since it waits */
};

struct fair_queue {
	uint32_t *members; /* numbers of the entities that wait */
	uint32_t count;
	size_t capacity;
	uint32_t owner;   /* the group's entity on its parent's queue, or NONE */
	uint32_t running; /* entity, or NONE */
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

static uint64_t slice_of(const struct queue_member *member)
{
	return member->keys.is_group ? member->group_slice : member->keys.slice;
}

/* The shortest slice of the entities of a queue, with the running one; 0: not known, or there are none. */
static uint64_t find_shortest_slice(const struct queues *queues, uint32_t queue_number)
{
	const struct fair_queue *queue = &queues->queues[queue_number];
	uint64_t shortest = queue->running == NONE ? UINT64_MAX : slice_of(&queues->entities[queue->running]);

	for (uint32_t i = 0; i < queue->count; i++) {
		const uint64_t slice = slice_of(&queues->entities[queue->members[i]]);
		shortest = slice < shortest ? slice : shortest;
	}
	return shortest == UINT64_MAX ? 0 : shortest;
}

/* The slice of the group whose queue this is, 0 if it is not known. */
static void set_group_slice(struct queues *queues, uint32_t queue_number, uint64_t slice)
{
	struct queue_member *group;

	if (queues->queues[queue_number].owner == NONE)
		return;
	group = &queues->entities[queues->queues[queue_number].owner];
	group->group_slice = slice;
	if (!slice || (group->group_slice_max && group->group_slice_max < slice))
		group->group_slice_max = slice;
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
	/* A group may have been throttled, which changes no slice. */
	set_group_slice(queues, queue, queues->entities[number].keys.is_group ? 0 : find_shortest_slice(queues, queue));
	remove_empty_groups(queues, queue);
}

uint64_t queues_take_slice_max(struct queues *queues, uint64_t group)
{
	const uint32_t number = id_map_find(&queues->entity_ids, group);

	if (number == NONE)
		return 0;
	struct queue_member *member = &queues->entities[number];
	const uint64_t longest = member->group_slice_max;
	member->group_slice_max = member->group_slice;
	return longest;
}

void queues_forget_group_slices(struct queues *queues, uint64_t queue)
{
	uint32_t number = id_map_find(&queues->queue_ids, queue);

	for (int depth = 0; depth < RULE_DEPTH_MAX && number != NONE && queues->queues[number].owner != NONE; depth++) {
		set_group_slice(queues, number, 0);
		number = queues->entities[queues->queues[number].owner].home;
	}
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
	}
	for (uint32_t i = 0; i < queues->queue_ids.count; i++)
		queues->queues[i].count = 0;
}

/* The queue of each level of a path, and whose queue it is. */
static void find_queues(struct queues *queues, const struct key_path *path, uint32_t numbers[RULE_DEPTH_MAX])
{
	for (uint32_t i = 0; i < path->depth; i++)
		numbers[i] = find_queue(queues, path->queues[i]);
	for (uint32_t i = 0; i + 1 < path->depth; i++)
		queues->queues[numbers[i]].owner = find_entity(queues, path->entities[i + 1].id);
}

static void set_keys(struct queue_member *member, const struct rule_entity *keys)
{
	const struct rule_entity before = member->keys;
	const bool is_same = before.weight && before.deadline == keys->deadline;

	member->keys = *keys;
	member->keys.slice_max = is_same && before.slice_max > keys->slice ? before.slice_max : keys->slice;
}

/* The entity waits on the queue if it is on_rq; if it runs, only its keys are new. */
static void put(struct queues *queues, const struct rule_entity *keys, uint32_t queue)
{
	uint32_t number = find_entity(queues, keys->id);

	set_keys(&queues->entities[number], keys);
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
	for (uint32_t i = 0; i + 1 < task->depth; i++)
		set_group_slice(queues, numbers[i], find_shortest_slice(queues, numbers[i]));
}

static void copy_members(struct queues *queues, uint64_t running, uint32_t queue_number, struct pick_level *pick)
{
	const struct fair_queue *queue = &queues->queues[queue_number];

	pick->entities = array_grow(pick->entities, &pick->capacity, (size_t)queue->count + 2, sizeof(*pick->entities));
	for (uint32_t i = 0; i < queue->count; i++)
		if (queues->entities[queue->members[i]].keys.id != running)
			pick->entities[pick->level.count++] = queues->entities[queue->members[i]].keys;
	pick->level.entities = pick->entities;
}

/* How the known candidates differ from the sums: too much is positive. */
struct sums_difference {
	rule_wide weight, weighted;
	int64_t count;
};

static uint64_t counted_weight(const struct rule_traits *traits, const struct rule_entity *entity,
			       const struct queue_sums *sums)
{
	return traits->has_deadline ? virtual_time_weight(traits, entity->weight, sums->shift) : entity->weight;
}

static void subtract(const struct rule_traits *traits, const struct rule_entity *entity, const struct queue_sums *sums,
		     struct sums_difference *difference)
{
	const uint64_t weight = counted_weight(traits, entity, sums);

	difference->weight -= sums->has_weight ? weight : 0;
	difference->count -= sums->has_count;
	if (sums->has_keys)
		difference->weighted -= (rule_wide)rule_difference(entity->vruntime, sums->zero) * weight;
}

static struct sums_difference find_difference(const struct rule_traits *traits, const struct pick_level *pick,
					      const struct queue_sums *sums)
{
	struct sums_difference rest = {sums->has_weight ? sums->weight : 0,
				       sums->has_keys ? (int64_t)sums->weighted : 0, sums->has_count ? sums->count : 0};
	struct sums_difference running = {0};

	for (uint32_t i = 0; i < pick->level.count; i++)
		subtract(traits, &pick->level.entities[i], sums, &rest);
	if (traits->has_deadline && pick->level.running != RULE_NONE) {
		/* The sums of EEVDF are without the running entity, its number is with it. */
		subtract(traits, &pick->level.entities[pick->level.running], sums, &running);
		rest.weight -= running.weight;
		rest.weighted -= running.weighted;
	}
	return (struct sums_difference){-rest.weight, -rest.weighted, -rest.count};
}

static bool is_zero(const struct sums_difference *difference)
{
	/* The kernel's sum wraps. */
	return difference->weight == 0 && (uint64_t)difference->weighted == 0 && difference->count == 0;
}

struct repair {
	const struct rule_traits *traits;
	const struct pick_level *pick;
	const struct queue_sums *sums;
	uint32_t steps;
	uint32_t removed[REPAIRED_MAX];
	uint32_t removed_count;
};

/* Without an event: a delayed sleeper, or a group that is throttled. */
static bool may_have_left(const struct repair *repair, uint32_t at)
{
	const struct rule_entity *entity = &repair->pick->level.entities[at];

	return (entity->is_delayed || entity->is_group) && at != repair->pick->level.running;
}

/* Searches from this candidate on for entities that may have left and whose sum is the difference. */
static bool find_removed(struct repair *repair, uint32_t from, struct sums_difference difference)
{
	if (is_zero(&difference))
		return true;
	if (difference.weight < 0 || difference.count < 0 || repair->removed_count == REPAIRED_MAX)
		return false;
	for (uint32_t i = from; i < repair->pick->level.count; i++) {
		struct sums_difference rest = difference;

		if (!may_have_left(repair, i))
			continue;
		if (++repair->steps > REPAIR_STEPS_MAX)
			return false;
		subtract(repair->traits, &repair->pick->level.entities[i], repair->sums, &rest);
		repair->removed[repair->removed_count++] = i;
		if (find_removed(repair, i + 1, rest))
			return true;
		repair->removed_count--;
	}
	return false;
}

static void drop_candidate(struct pick_level *pick, uint32_t at)
{
	uint32_t last = --pick->level.count;

	pick->entities[at] = pick->entities[last];
	if (pick->level.running == last)
		pick->level.running = at;
}

/* The sums are the same without the other one. */
static bool is_equal(const struct repair *repair, uint32_t removed, uint32_t other)
{
	const struct rule_entity *a = &repair->pick->level.entities[removed], *b = &repair->pick->level.entities[other];

	return may_have_left(repair, other) && (!repair->sums->has_keys || a->vruntime == b->vruntime) &&
	       counted_weight(repair->traits, a, repair->sums) == counted_weight(repair->traits, b, repair->sums);
}

static bool is_removed(const struct repair *repair, uint32_t at)
{
	for (uint32_t i = 0; i < repair->removed_count; i++)
		if (repair->removed[i] == at)
			return true;
	return false;
}

static void mark_stale(struct queues *queues, struct rule_entity *candidate)
{
	candidate->is_stale = true;
	queues->entities[find_entity(queues, candidate->id)].keys.is_stale = true;
}

/* A delayed sleeper leaves when it is picked: it was a candidate, and that with the earliest deadline. */
static bool leaves_before(struct queues *queues, const struct rule_entity *a, const struct rule_entity *b)
{
	const bool a_was = queues->entities[find_entity(queues, a->id)].was_candidate,
		   b_was = queues->entities[find_entity(queues, b->id)].was_candidate;

	return a_was != b_was ? a_was : rule_difference(a->deadline, b->deadline) < 0;
}

/* Of equal entities the sums do not show which one has left. That is inferred, and nothing is decided by what stays. */
static void choose_removed(struct queues *queues, struct pick_level *pick, struct repair *repair)
{
	for (uint32_t i = 0; i < repair->removed_count; i++)
		for (uint32_t j = 0; j < pick->level.count; j++) {
			const uint32_t removed = repair->removed[i];
			if (is_removed(repair, j) || !is_equal(repair, removed, j))
				continue;
			const bool is_first = leaves_before(queues, &pick->entities[j], &pick->entities[removed]);
			mark_stale(queues, &pick->entities[is_first ? removed : j]);
			repair->removed[i] = is_first ? j : removed;
		}
}

/* Of a candidate, whose id may be 0 in a damaged trace. */
static uint32_t place_of(const struct pick_level *pick, uint64_t id)
{
	uint32_t at = 0;

	while (pick->entities[at].id != id)
		at++;
	return at;
}

/* Takes those out that left without an event. False if the difference remains. */
static bool repair_level(struct queues *queues, struct pick_level *pick, const struct queue_sums *sums,
			 struct sums_difference difference)
{
	struct repair repair = {.traits = queues->traits, .pick = pick, .sums = sums};
	uint64_t ids[REPAIRED_MAX];

	if (!find_removed(&repair, 0, difference))
		return false;
	choose_removed(queues, pick, &repair);
	for (uint32_t i = 0; i < repair.removed_count; i++)
		ids[i] = pick->entities[repair.removed[i]].id;
	for (uint32_t i = repair.removed_count; i-- > 0;) {
		queues_leave(queues, ids[i]);
		drop_candidate(pick, place_of(pick, ids[i]));
	}
	pick->repaired += repair.removed_count;
	queues->repaired += repair.removed_count;
	return true;
}

static enum pick_gap prove(struct queues *queues, struct pick_level *pick, const struct queue_sums *sums)
{
	if (!sums->has_weight || !sums->has_count)
		return PICK_NO_SUMS;
	const struct sums_difference difference = find_difference(queues->traits, pick, sums);
	if (is_zero(&difference) || repair_level(queues, pick, sums, difference))
		return PICK_COMPLETE;
	return difference.weight < 0 || difference.count < 0 ? PICK_UNSEEN : PICK_SUMS_DIFFER;
}

/* One entity is missing: a group that was throttled, or that its running task left for another. The sums show its
 * weight and its vruntime. True if the rule's choice is the same for any deadline after its
 * vruntime. */
static bool derive(const struct rule_traits *traits, struct pick_level *pick, const struct queue_sums *sums)
{
	const struct sums_difference more = find_difference(traits, pick, sums);
	const rule_wide weight = -more.weight;
	struct rule_entity *missing = &pick->entities[pick->level.count];
	const unsigned int shift = traits->has_sum_shift ? sums->shift : RULE_WEIGHT_SHIFT;

	if (!sums->has_keys || more.count != -1 || weight <= 0 || more.weighted % weight || shift >= 64)
		return false;
	*missing = (struct rule_entity){.on_rq = true,
					.weight = (uint64_t)weight << shift,
					.vruntime = sums->zero + (uint64_t)(-more.weighted / weight)};
	pick->level.count++;
	missing->deadline = missing->vruntime;
	const struct rule_choice early = rule_fair(traits, &pick->level, RULE_NONE);
	missing->deadline = missing->vruntime + INT64_MAX / 2;
	const struct rule_choice late = rule_fair(traits, &pick->level, RULE_NONE);
	missing->deadline = missing->vruntime;
	if (early.entity == late.entity)
		return true;
	pick->level.count--;
	return false;
}

static void find_derived(const struct queues *queues, struct pick_level *pick, const struct key_pick *event)
{
	/* The queue's only entity is what is picked, whatever its keys are. */
	if (pick->level.running == RULE_NONE && event->sums.has_count && event->sums.count == 1) {
		pick->derived = 0;
		pick->entities[0] = (struct rule_entity){.on_rq = true};
		pick->level.count = 1;
		return;
	}
	/* The only known one that waits has other keys by now. */
	if (pick->level.running != RULE_NONE && pick->level.count == 2 && event->sums.count == 2)
		drop_candidate(pick, pick->level.running == 0);
	pick->level.next = pick_level_find(pick, event->next);
	/* A buddy is on the queue: if it is not known, it is what is missing. */
	if (event->next && pick->level.next == RULE_NONE)
		pick->level.next = pick->level.count;
	if (derive(queues->traits, pick, &event->sums)) {
		pick->derived = pick->level.count - 1;
		pick->gap = PICK_COMPLETE;
	} else if (pick->level.next == pick->level.count) {
		pick->level.next = RULE_NONE;
	}
}

/* What ran on the queue is not what the kernel says: the task has left the group, which waits. */
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

static void note_candidates(struct queues *queues, uint64_t id)
{
	const struct fair_queue *queue = &queues->queues[find_queue(queues, id)];

	for (uint32_t i = 0; i < queue->count; i++)
		queues->entities[queue->members[i]].was_candidate = true;
}

void queues_pick(struct queues *queues, const struct key_pick *event, struct pick_level *pick)
{
	note_left_group(queues, event);
	pick->queue = event->queue;
	pick->repaired = 0;
	pick->level = (struct rule_level){
	    .running = RULE_NONE, .is_unprotected = event->is_unprotected, .sum_shift = event->sums.shift};
	copy_members(queues, event->running.id, find_queue(queues, event->queue), pick);
	if (event->running.id && event->running.on_rq) {
		const struct rule_entity *known = queues_entity(queues, event->running.id);
		pick->level.running = pick->level.count;
		pick->entities[pick->level.count] = event->running;
		pick->entities[pick->level.count++].slice = known ? known->slice : 0;
	}
	pick->gap = prove(queues, pick, &event->sums);
	note_candidates(queues, event->queue);
	pick->level.next = pick_level_find(pick, event->next);
	pick->level.last = pick_level_find(pick, event->last);
	pick->level.skip = pick_level_find(pick, event->skip);
	pick->derived = pick->proven = RULE_NONE;
	if (pick->gap != PICK_COMPLETE)
		find_derived(queues, pick, event);
}

static void start_running(struct queues *queues, const struct key_path *path, const uint32_t numbers[RULE_DEPTH_MAX])
{
	for (uint32_t i = 0; i < path->depth; i++) {
		uint32_t number = find_entity(queues, path->entities[i].id);
		remove_member(queues, number);
		set_keys(&queues->entities[number], &path->entities[i]);
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
			queues->entities[find_entity(queues, next->entities[i].id)].may_be_buddy = false;
	for (uint32_t i = 1; i < prev->depth; i++)
		if (!prev->entities[0].on_rq || prev->entities[0].is_delayed)
			queues->entities[find_entity(queues, prev->entities[i].id)].may_be_buddy = true;
}

bool queues_may_be_buddy(const struct queues *queues, uint64_t id)
{
	const uint32_t number = id_map_find(&queues->entity_ids, id);

	return number != NONE && queues->entities[number].may_be_buddy;
}

/* A task that leaves its queue may leave its groups with longer slices. What stays asleep counts; a group that does has
 * another one until it gets a task. */
static void note_slices_left(struct queues *queues, const struct key_path *prev, const uint32_t numbers[RULE_DEPTH_MAX])
{
	if (!prev->depth || prev->entities[0].on_rq)
		return;
	for (uint32_t i = 0; i + 1 < prev->depth; i++)
		set_group_slice(queues, numbers[i],
				prev->entities[i + 1].is_delayed ? 0 : find_shortest_slice(queues, numbers[i]));
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
	note_slices_left(queues, prev, numbers);
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
	const bool has_more = (below->on_rq && !below->is_delayed) || queues_count(queues, path->queues[level - 1]);

	group->on_rq =
	    !is_throttled(pick, group->id) && (has_more || below->on_rq || (!pick && queues->traits->has_deadline));
	group->is_delayed = !has_more;
	group->is_gone = !group->on_rq && !has_more && !below->on_rq && is_throttled(pick, group->id);
}

void queues_forget_task(struct queues *queues, uint64_t id)
{
	uint32_t number = id_map_find(&queues->entity_ids, id);

	if (number == NONE)
		return;
	queues_leave(queues, id);
	queues->entities[number].keys.weight = 0;
}

void queues_forget_slice(struct queues *queues, uint64_t id)
{
	const uint32_t number = id_map_find(&queues->entity_ids, id);

	if (number != NONE)
		queues->entities[number].keys.slice = 0;
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

bool queues_has_task(const struct queues *queues, uint64_t queue)
{
	const uint32_t number = id_map_find(&queues->queue_ids, queue);

	for (uint32_t i = 0; number != NONE && i < queues->queues[number].count; i++) {
		const struct rule_entity *keys = &queues->entities[queues->queues[number].members[i]].keys;
		if (!keys->is_group && !keys->is_delayed)
			return true;
	}
	return false;
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

struct rule_choice pick_level_choice(const struct rule_traits *traits, const struct pick_level *pick, uint64_t picked)
{
	return pick->proven == RULE_NONE ? rule_fair(traits, &pick->level, pick_level_find(pick, picked))
					 : pick->proven_choice;
}

void pick_level_name(const struct rule_traits *traits, struct pick_level *pick, const struct rule_entity *picked,
		     bool is_older)
{
	const struct rule_entity derived = pick->entities[pick->derived];

	if (pick->gap == PICK_COMPLETE && is_older) {
		pick->proven = pick->derived;
		pick->proven_choice = rule_fair(traits, &pick->level, pick->derived);
	}
	pick->entities[pick->derived] = *picked;
	pick->entities[pick->derived].is_stale = is_older || (pick->gap != PICK_COMPLETE && picked->is_group);
	if (pick->gap == PICK_COMPLETE) {
		/* Its share may have changed since. */
		pick->entities[pick->derived].vruntime = derived.vruntime;
		pick->entities[pick->derived].weight = derived.weight;
	}
	pick->derived = RULE_NONE;
	pick->gap = PICK_COMPLETE;
}

uint32_t pick_level_find(const struct pick_level *pick, uint64_t id)
{
	for (uint32_t i = 0; id && i < pick->level.count; i++)
		if (pick->level.entities[i].id == id)
			return i;
	return RULE_NONE;
}

void pick_level_free(struct pick_level *pick)
{
	free(pick->entities);
	*pick = (struct pick_level){0};
}
