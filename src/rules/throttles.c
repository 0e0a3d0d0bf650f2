/* SPDX-License-Identifier: MIT */
#include "rules/throttles.h"

static void remove_freed(struct rules *rules, uint32_t at)
{
	rules->freed[at] = rules->freed[--rules->freed_count];
}

/* Of the queues of the path, those from this one on have been used. */
static void cut(struct freed_group *group, const struct queues *queues, uint64_t used)
{
	for (uint32_t i = 0; i < group->path.depth; i++)
		if (group->path.queues[i] == used || queues_is_inside(queues, used, group->path.queues[i]))
			group->path.depth = i + 1;
}

/* The group is placed on its queue anew, and so are those around it that had nothing else. */
static void outdate(struct queues *queues, const struct key_path *path)
{
	for (uint32_t i = 1; i < path->depth; i++) {
		queues_outdate(queues, path->entities[i].id);
		if (queues_count(queues, path->queues[i]) > queues_waits(queues, path->entities[i].id))
			return;
	}
}

void throttles_end(struct rules *rules, const struct rules_cpu *cpu, const struct key_event *keys)
{
	struct freed_group group = {.cpu = keys->cpu,
				    .path = {.depth = 1, .levels = 1, .queues = {keys->unthrottled.queue}}};

	queues_note_quota(&rules->queues, keys->unthrottled.queue);
	for (uint32_t i = rules->freed_count; i-- > 0;)
		if (rules->freed[i].path.queues[0] == keys->unthrottled.queue)
			remove_freed(rules, i);
	if (!keys->unthrottled.has_tasks)
		return;
	queues_extend(&rules->queues, &group.path);
	cut(&group, &rules->queues, cpu->running_queue);
	outdate(&rules->queues, &group.path);
	/* One of its parents may be throttled still. */
	if (!keys->unthrottled.is_last)
		return;
	if (rules->freed_count == FREED_MAX)
		remove_freed(rules, 0);
	if (group.path.depth > 1)
		rules->freed[rules->freed_count++] = group;
}

/* True if it is not queued. */
static bool check_level(struct rules *rules, const struct freed_group *group, uint32_t level, bool is_queued)
{
	struct invariant_moment moment = {
	    .when = WHEN_FREED, .group = &group->path.entities[level], .is_missing = !is_queued};

	rules_check(rules, &moment, rules->now_ns, group->cpu, 0);
	return !is_queued;
}

/* What is on the queue is proved. A group that comes back to an empty queue may have the keys of the one that has left
 * it, so the sums show the one for the other: only tasks that are awake cannot leave without an event. */
static bool is_proved(const struct pick_level *pick)
{
	bool is_known = pick->gap == PICK_COMPLETE && pick->derived == RULE_NONE;

	for (uint32_t i = 0; i < pick->level.count; i++)
		is_known = is_known &&
			   (i == pick->level.running || !(pick->entities[i].is_group || pick->entities[i].is_delayed));
	return is_known;
}

/* True if the entity of this level is not on its queue. */
static bool check_pick(struct rules *rules, const struct freed_group *group, uint32_t level,
		       const struct pick_level *pick)
{
	if (pick->gap == PICK_COMPLETE && pick_level_find(pick, group->path.entities[level].id) != RULE_NONE)
		return check_level(rules, group, level, true);
	return is_proved(pick) && check_level(rules, group, level, false);
}

void throttles_pick(struct rules *rules, uint32_t cpu, const struct pick_level *pick)
{
	for (uint32_t i = rules->freed_count; i-- > 0;) {
		const struct freed_group *group = &rules->freed[i];
		bool is_over = group->path.queues[0] == pick->queue;
		for (uint32_t level = 1; level < group->path.depth && group->cpu == cpu && !is_over; level++)
			if (group->path.queues[level] == pick->queue)
				is_over = check_pick(rules, group, level, pick);
		if (is_over)
			remove_freed(rules, i);
	}
}

void throttles_use(struct rules *rules, const struct key_path *path)
{
	for (uint32_t i = rules->freed_count; path->depth && i-- > 0;) {
		cut(&rules->freed[i], &rules->queues, path->queues[0]);
		if (rules->freed[i].path.depth < 2)
			remove_freed(rules, i);
	}
}

void throttles_leave(struct rules *rules, uint32_t cpu)
{
	for (uint32_t i = rules->freed_count; i-- > 0;)
		if (rules->freed[i].cpu == cpu)
			remove_freed(rules, i);
}

void throttles_idle(struct rules *rules, uint32_t cpu)
{
	const uint64_t root = cpu < rules->cpu_count ? rules->cpus[cpu].root_queue : 0;

	for (uint32_t i = rules->freed_count; i-- > 0;) {
		const struct freed_group *group = &rules->freed[i];
		const uint32_t last = group->path.depth - 1;
		if (group->cpu != cpu)
			continue;
		if (root && group->path.queues[last] == root)
			check_level(rules, group, last, false);
		remove_freed(rules, i);
	}
}
