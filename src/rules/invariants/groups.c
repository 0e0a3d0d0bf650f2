/* SPDX-License-Identifier: MIT
 *
 * Weights, and the entities of groups: which weight they have, and what happens to their lag, deadline and slice when
 * their tasks come, leave or have other weights. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

#include <string.h>

/* With a lighter group the sums are too coarse. */
#define GROUP_WEIGHT_MIN (RULE_NICE_0_WEIGHT / 16)

/* A group that runs, as the latest pick of its queue has shown it; weight 0: not known. */
struct running_group {
	uint64_t queue, seen_ns;
	struct rule_entity keys;
	uint64_t slice; /* 0: a task has come since, and its slice may have been another one before */
};

struct group_cpu {
	struct running_group running[CHAIN_MAX];
	/* The group in which the running task is alone, as it is; id 0: none, or not known. What the task was. */
	struct rule_entity lone;
	uint64_t lone_cpus, lone_task_weight;
};

/* The group in which a task was alone, before it went to sleep and after; weight 0: it was not. */
struct emptied_group {
	uint64_t before, after; /* weights */
	uint64_t entity, cpus;
};

static bool is_heavy(const struct rule_entity *group)
{
	return has_keys(group) && group->weight >= GROUP_WEIGHT_MIN;
}

/* --- Weights --- */

static enum invariant_result check_weight_of_nice(const struct sight *sight, const struct family_state *state,
						  struct evidence *evidence)
{
	const struct key_event *keys = &sight->switched->keys;
	const struct rule_entity *task = &keys->switched.next.entities[0];
	/* With one queue per CPU, the weight by which a task is picked is its share of that of its groups. */
	const uint64_t own = sight->machine->traits.has_sum_shift ? keys->switched.next_load : task->weight;
	const uint64_t weight = rule_class_weight(keys->switched.next_static_prio, task->policy);

	(void)state;
	if (!keys->switched.next.depth || !own || !weight)
		return INVARIANT_NOT_JUDGED;
	return expect(evidence, "weight", UNIT_WEIGHT, (int64_t)own, (int64_t)weight, 0);
}

static enum invariant_result check_group_weight(const struct sight *sight, const struct family_state *state,
						struct evidence *evidence)
{
	const struct key_path *path = &sight->wakeup->event.enqueued.task;
	const uint64_t *shares = sight->wakeup->event.enqueued.shares;
	enum invariant_result result = INVARIANT_NOT_JUDGED;

	(void)state;
	for (uint32_t i = 1; i < path->depth && result != INVARIANT_BROKEN; i++) {
		if (!shares[i] || sight->wakeup->event.enqueued.is_throttled || machine_groups_change(sight->machine))
			continue;
		evidence->group = path->entities[i].id;
		result = expect_max(evidence, "weight of the group", UNIT_WEIGHT, (int64_t)path->entities[i].weight,
				    (int64_t)shares[i]);
	}
	return result;
}

/* Whether the task has changed its affinity, which gives the group another weight, shows at its next wakeup. */
static enum invariant_result check_group_kept(const struct sight *sight, const struct family_state *state,
					      struct evidence *evidence)
{
	const struct key_event *keys = &sight->wakeup->event;
	const struct emptied_group *emptied = state_of_task(state, sight->machine, keys->enqueued.pid);

	if (!emptied || !emptied->before || !has_feature(sight, FEATURE_DELAY_DEQUEUE) || !emptied->cpus ||
	    emptied->cpus != keys->enqueued.cpus)
		return INVARIANT_NOT_JUDGED;
	evidence->group = emptied->entity;
	/* The sums prove the weight of a group that waited without its lower bits. */
	return expect(evidence, "weight of the emptied group", UNIT_WEIGHT,
		      (int64_t)(emptied->after >> RULE_WEIGHT_SHIFT << RULE_WEIGHT_SHIFT),
		      (int64_t)(emptied->before >> RULE_WEIGHT_SHIFT << RULE_WEIGHT_SHIFT), 0);
}

/* --- A group that waits gets another task, and with it another weight: the pick that follows shows both --- */

static const struct rule_entity *reweighted_group(const struct sight *sight)
{
	const struct wakeup *wakeup = sight->pick->wakeup;

	return wakeup && has_keys(&wakeup->group_before) &&
		       sight->pick->level->queue == wakeup->event.enqueued.task.queues[1]
		   ? &wakeup->event.enqueued.task.entities[1]
		   : NULL;
}

static enum invariant_result check_group_lag(const struct sight *sight, const struct family_state *state,
					     struct evidence *evidence)
{
	const struct rule_entity *after = reweighted_group(sight);
	const struct pick_level *pick = sight->pick->level;
	const uint64_t tick_ns = machine_tick_ns(sight->machine);

	(void)state;
	if (!after || !is_eevdf(sight) || !tick_ns || pick->gap != PICK_COMPLETE)
		return INVARIANT_NOT_JUDGED;
	const struct rule_entity *before = &sight->wakeup->group_before;
	const uint32_t at = pick_level_find(pick, after->id);
	if (at == RULE_NONE || at == pick->level.running || before->is_delayed || before->weight == after->weight ||
	    !is_heavy(before) || !is_heavy(after))
		return INVARIANT_NOT_JUDGED;
	/* V is the same before and after. Beyond a tick the kernel may limit the lag. */
	const struct virtual_time time = virtual_time_of(&sight->machine->traits, &pick->level);
	const int64_t lag = virtual_time_lag(&time, before->vruntime);
	if (!is_within(lag, 0, cpu_to_virtual(tick_ns, before->weight)))
		return INVARIANT_NOT_JUDGED;
	const int64_t kept = (int64_t)((rule_wide)lag * before->weight / (rule_wide)after->weight);
	evidence->group = after->id;
	return expect(evidence, "lag of the group", UNIT_VIRTUAL_NS, virtual_time_lag(&time, after->vruntime), kept,
		      rounding_of(kept));
}

/* --- A group runs --- */

/* With one queue per CPU a task has the weight of its share of its groups. */
static bool may_be_reweighted(const struct sight *sight)
{
	const struct rule_entity *running = sight->pick->running;

	return running && !running->is_delayed &&
	       (sight->machine->traits.has_sum_shift || !machine_pid_of(sight->machine, running->id));
}

static const struct running_group *find_running(const struct family_state *state, const struct sight *sight)
{
	const struct rule_entity *running = sight->pick->running;
	const struct group_cpu *cpu = state_of_cpu(state, sight->cpu);
	const struct running_group *rows = cpu->running;

	if (!may_be_reweighted(sight))
		return NULL;
	for (uint32_t i = 0; i < CHAIN_MAX; i++)
		if (rows[i].queue == sight->pick->level->queue && rows[i].keys.weight && rows[i].keys.id == running->id)
			return &rows[i];
	return NULL;
}

/* The rest of the request of a group, as CPU time. */
static int64_t request_left(const struct rule_entity *group)
{
	return virtual_to_cpu(deadline_ahead(group), group->weight);
}

/* A group that waited may have been throttled, and placed again without an event, with a whole request. */
static bool may_be_placed_again(const struct sight *sight, int64_t left)
{
	const uint64_t base = sight->machine->mark.base_slice_ns;

	return !base || is_within(left, (int64_t)base, base / 32);
}

/* The weight scales what is left of the request with the rest. It is used up by what the group has run, and renewed
 * only then. */
static enum invariant_result check_request(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	const struct rule_entity *waited = reweighted_group(sight);
	const struct running_group *runs = waited ? NULL : find_running(state, sight);
	const struct rule_entity *before = waited ? &sight->wakeup->group_before : runs ? &runs->keys : NULL;
	const struct rule_entity *group = waited ? waited : sight->pick->running;
	const struct pick_level *pick = sight->pick->level;
	const uint64_t tick_ns = machine_tick_ns(sight->machine);
	const uint64_t since_ns = runs ? sight->machine->now_ns - runs->seen_ns : 0;

	if (!before || !is_eevdf(sight) || !tick_ns || !is_heavy(before) || !is_heavy(group) ||
	    before->weight == group->weight || before->is_delayed || !is_whole(pick) || pick->level.count < 2)
		return INVARIANT_NOT_JUDGED;
	/* Beyond a tick the kernel may limit the lag, which moves vruntime alone. */
	const struct virtual_time time = virtual_time_of(&sight->machine->traits, &pick->level);
	const int64_t lag = virtual_to_cpu(virtual_time_lag(&time, group->vruntime), group->weight);
	const int64_t left = request_left(group), was_left = request_left(before), ran = (int64_t)since_ns;
	if (since_ns > tick_ns || !is_within(lag, 0, tick_ns - since_ns) ||
	    (waited && may_be_placed_again(sight, left)))
		return INVARIANT_NOT_JUDGED;
	const int64_t rounding = (int64_t)(rounding_of(was_left) + 2 * CLOCK_NS); /* of both keys */
	evidence->group = group->id;
	if (left < was_left - ran - rounding)
		return expect_min(evidence, "rest of the request", UNIT_CPU_NS, left, was_left - ran - rounding);
	return was_left < ran + rounding
		   ? INVARIANT_HOLDS
		   : expect_max(evidence, "rest of the request", UNIT_CPU_NS, left, was_left + rounding);
}

/* --- Slices and deadlines of groups --- */

/* A task is put on the queue of a group: the group's slice is the shortest there. */
static enum invariant_result check_slice_of_group(const struct sight *sight, struct evidence *evidence)
{
	const struct key_event *keys = &sight->wakeup->event;
	const struct rule_entity *task = &keys->enqueued.task.entities[0], *group = &keys->enqueued.task.entities[1];

	if (!has_group_slices(sight) || keys->enqueued.task.depth < 2 || !group->slice || !task->slice ||
	    keys->enqueued.is_throttled || !is_placed_anew(sight->wakeup))
		return INVARIANT_NOT_JUDGED;
	evidence->group = group->id;
	return expect_max(evidence, "slice of the group", UNIT_CPU_NS, (int64_t)group->slice, (int64_t)task->slice);
}

/* Only a renewal leaves more than there was; or another weight, if it limits the lag. */
static enum invariant_result check_group_slice(const struct sight *sight, const struct family_state *state,
					       struct evidence *evidence)
{
	if (sight->kind == SEEN_ENQUEUE)
		return check_slice_of_group(sight, evidence);
	const struct running_group *before = find_running(state, sight);
	const struct rule_entity *group = sight->pick->running;
	if (!before || machine_pid_of(sight->machine, group->id) || !has_group_slices(sight) ||
	    !is_heavy(&before->keys) || !is_heavy(group) || !group->slice || !before->slice ||
	    before->keys.weight != group->weight)
		return INVARIANT_NOT_JUDGED;
	const int64_t left = request_left(group), was_left = request_left(&before->keys);
	if (left <= was_left + (int64_t)rounding_of(was_left))
		return INVARIANT_NOT_JUDGED;
	const uint64_t slice = before->slice > group->slice ? before->slice : group->slice;
	evidence->group = group->id;
	return expect_max(evidence, "rest of the group's new request", UNIT_CPU_NS, left,
			  (int64_t)(slice + slice / 32 + ROUNDING_NS));
}

/* Another weight scales what is left of a request, and makes nothing of a few nanoseconds alone. */
static enum invariant_result check_group_request(const struct sight *sight, const struct family_state *state,
						 struct evidence *evidence)
{
	const struct key_path *path = &sight->wakeup->event.enqueued.task;
	const struct queues *queues = &sight->machine->queues;
	const uint64_t running = sight_cpu(sight)->queue;
	enum invariant_result result = INVARIANT_NOT_JUDGED;

	(void)state;
	for (uint32_t i = 1; i < path->depth && result != INVARIANT_BROKEN; i++) {
		const struct rule_entity before = machine_keys(sight->machine, path->entities[i].id);
		const struct rule_entity *group = &path->entities[i];
		if (!has_group_slices(sight) || !has_keys(&before) || !group->weight ||
		    request_left(&before) < (int64_t)ROUNDING_NS || running == path->queues[i - 1] ||
		    queues_is_inside(queues, running, path->queues[i - 1]))
			continue;
		evidence->group = group->id;
		expect(evidence, "deadline - vruntime of the group", UNIT_VIRTUAL_NS, deadline_ahead(group),
		       deadline_ahead(&before), 0);
		result = holds_if(group->deadline != group->vruntime);
	}
	return result;
}

static enum invariant_result check_group_placed(const struct sight *sight, const struct family_state *state,
						struct evidence *evidence)
{
	const struct key_path *path = &sight->wakeup->event.enqueued.task;
	const struct rule_entity *group = &path->entities[1], *task = &path->entities[0];
	const struct queues *queues = &sight->machine->queues;

	(void)state;
	if (path->depth < 2 || !has_group_slices(sight) || group->weight < GROUP_WEIGHT_MIN || !task->slice ||
	    sight->wakeup->event.enqueued.is_throttled)
		return INVARIANT_NOT_JUDGED;
	/* It was on no queue before. */
	const struct rule_entity last = machine_keys(sight->machine, group->id);
	if (!last.weight || !last.is_gone || queues_waits(queues, group->id) || queues_count(queues, path->queues[0]))
		return INVARIANT_NOT_JUDGED;
	const uint64_t expected = virtual_slice(sight, group, task->slice);
	evidence->group = group->id;
	return expect(evidence, "deadline - vruntime of the placed group", UNIT_VIRTUAL_NS, deadline_ahead(group),
		      (int64_t)expected, inverse_rounding(expected));
}

/* --- What is followed --- */

/* The group in which next is alone, if the picks have shown that. */
static struct rule_entity find_lone(const struct sight *sight)
{
	const struct key_path *prev = &sight->switched->keys.switched.prev,
			      *next = &sight->switched->keys.switched.next;
	struct rule_entity group = {0};
	bool is_lone = false;

	for (uint32_t i = 0; i < sight->switched->picks->count && next->depth > 1; i++) {
		const struct pick_level *pick = &sight->switched->picks->levels[i];
		const uint32_t at = pick_level_find(pick, next->entities[1].id);
		/* A delayed sleeper that leaves gives the group another weight. */
		if (pick->gap != PICK_COMPLETE || pick->left_count || pick->is_outdated)
			continue;
		is_lone = is_lone || (pick->queue == next->queues[0] && pick->level.count == 1);
		if (at != RULE_NONE)
			group = pick->entities[at];
	}
	/* Without a pick of its queue the group goes on running. */
	if (prev->depth > 1 && prev->entities[1].id == next->entities[1].id)
		group = (struct rule_entity){.id = next->entities[1].id, .weight = sight->switched->prev_group_weight};
	return is_lone && !group.is_stale ? group : (struct rule_entity){0};
}

static void note_emptied(struct emptied_group *emptied, const struct sight *sight, const struct group_cpu *cpu)
{
	const struct key_path *prev = &sight->switched->keys.switched.prev;

	if (prev->depth > 1 && prev->entities[1].id == cpu->lone.id && !prev->entities[0].on_rq &&
	    prev->entities[0].weight == cpu->lone_task_weight && is_asleep(sight->switched->out))
		*emptied = (struct emptied_group){cpu->lone.weight, sight->switched->prev_group_weight, cpu->lone.id,
						  cpu->lone_cpus};
}

static void note_switch(struct family_state *state, const struct sight *sight)
{
	struct group_cpu *cpu = state_of_cpu(state, sight->cpu);
	const struct key_event *keys = &sight->switched->keys;

	note_emptied(state_of_task(state, sight->machine, sight->switched->event->switched.prev.pid), sight, cpu);
	/* A task that leaves its group gives it another weight, and V of the queue is another one. */
	*cpu = (struct group_cpu){.lone = find_lone(sight),
				  .lone_cpus = keys->switched.next_cpus,
				  .lone_task_weight = keys->switched.next.entities[0].weight};
}

static void note_pick(struct group_cpu *cpu, const struct sight *sight)
{
	const struct rule_entity *running = sight->pick->running;
	struct running_group *row = cpu->running;

	if (!may_be_reweighted(sight))
		return;
	while (row < cpu->running + CHAIN_MAX - 1 && row->queue != sight->pick->level->queue && row->keys.weight)
		row++;
	*row = (struct running_group){sight->pick->level->queue, sight->machine->now_ns, *running, running->slice};
}

static void note_enqueue(struct family_state *state, const struct sight *sight)
{
	struct group_cpu *cpu = state_of_cpu(state, sight->cpu);
	struct emptied_group *emptied = state_of_task(state, sight->machine, sight->wakeup->event.enqueued.pid);
	const struct key_path *path = &sight->wakeup->event.enqueued.task;

	emptied->before = 0;
	if (path->depth > 1 && cpu->lone.id == path->entities[1].id)
		cpu->lone.id = 0;
	for (uint32_t i = 1; i < path->depth; i++) {
		const bool was_empty = !queues_waiting(&sight->machine->queues, path->queues[i - 1]);
		for (uint32_t j = 0; j < CHAIN_MAX; j++) {
			struct running_group *row = &cpu->running[j];
			if (row->keys.id != path->entities[i].id)
				continue;
			row->keys.weight = was_empty ? 0 : row->keys.weight; /* it may be placed again */
			row->slice = 0;
		}
	}
}

static void note(struct family_state *state, const struct sight *sight)
{
	struct group_cpu *cpu = state_of_cpu(state, sight->cpu);

	if (sight->kind == SEEN_SWITCH)
		note_switch(state, sight);
	else if (sight->kind == SEEN_PICK)
		note_pick(cpu, sight);
	else if (sight->kind == SEEN_ENQUEUE)
		note_enqueue(state, sight);
	else if (sight->kind == SEEN_TICK)
		cpu->lone.id = 0; /* it gives groups other weights */
	else if (sight->kind == SEEN_CHANGE)
		memset(state->cpus, 0, sight->machine->cpu_count * sizeof(struct group_cpu));
}

#define WITH_GROUPS  "EEVDF with a queue per group"
#define GROUP_SLICES "EEVDF of 6.12 and later with a queue per group"

static const struct invariant_row rows[] = {
    {"weight_of_nice", "weight is that of the nice value", "weight of nice", CORE_C "sched_prio_to_weight",
     "CFS, EEVDF", "keys_switch.next_static_prio", SEEN_IN, STOPS_NONE, check_weight_of_nice},
    {"group_weight", "weight of a group on a CPU <= its cpu.weight", "weight of groups", FAIR_C "calc_group_shares",
     "CFS, EEVDF with a queue per group", "keys_enqueue.p1_shares", SEEN_ENQUEUE, STOPS_NONE, check_group_weight},
    {"group_keeps_weight", "a group keeps its weight when its last task goes to sleep", "weight of empty groups",
     FAIR_C "update_cfs_group", WITH_GROUPS " and DELAY_DEQUEUE", "keys_switch.prev_p1_weight keys_enqueue.cpus",
     SEEN_ENQUEUE, STOPS_NONE, check_group_kept},
    {"group_keeps_lag", "lag * weight of a waiting group stays when its weight changes", "lag of groups",
     FAIR_C "reweight_entity", WITH_GROUPS, "keys_enqueue.p1_vruntime", SEEN_PICK, STOPS_NONE, check_group_lag},
    {"request_kept",
     "another weight of a group, or of a task by its groups, does not change what is left of its request",
     "request at another weight", FAIR_C "reweight_entity, reweight_eevdf", "EEVDF, groups", "keys_pick.curr_deadline",
     SEEN_PICK, STOPS_LONG, check_request},
    {"group_slice", "a group's request is renewed by the shortest slice of its queue", "slices of groups",
     FAIR_C "enqueue_task_fair, dequeue_entities", GROUP_SLICES, "keys_pick.curr_slice keys_enqueue.p1_slice",
     SEEN_PICK | SEEN_ENQUEUE, STOPS_NONE, check_group_slice},
    {"group_request", "a waiting group that gets a task has a request: deadline > vruntime", "request of groups",
     FAIR_C "dequeue_entities, place_entity", GROUP_SLICES, "keys_enqueue.p1_deadline", SEEN_ENQUEUE, STOPS_NONE,
     check_group_request},
    {"group_deadline_placed", "deadline - vruntime of a group that gets its first task is that task's slice / weight",
     "deadline of placed groups", FAIR_C "enqueue_task_fair", GROUP_SLICES, "keys_enqueue.p1_deadline", SEEN_ENQUEUE,
     STOPS_NONE, check_group_placed},
};

const struct invariant_family groups_family = {ROWS_OF(rows), .cpu_size = sizeof(struct group_cpu),
					       .task_size = sizeof(struct emptied_group), .note = note};
