/* SPDX-License-Identifier: MIT
 *
 * EEVDF: the lag that a task has when it goes to sleep, what sleep leaves of it, where it is placed when it wakes up,
 * and the delayed sleepers, which stay on their queue in debt. place_entity(), update_entity_lag(), dequeue_entity()
 * and requeue_delayed_entity() are done again with what the events say. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

struct sleeper {
	uint64_t custom_slice; /* at its latest wakeup or fork; 0: it has not asked for one, or that is not recorded */
};

static enum invariant_result check_lag_bound(const struct sight *sight, const struct family_state *state,
					     struct evidence *evidence)
{
	const struct rule_entity *task = &sight->switched->keys.switched.prev.entities[0];
	const uint64_t slice_max = sight->machine->slice_max, tick_ns = machine_tick_ns(sight->machine);

	(void)state;
	/* While it runs, or stays on the queue, vlag is something else. */
	if (!sight->switched->keys.switched.prev.depth || !is_eevdf(sight) || task->on_rq || !tick_ns || !slice_max ||
	    !task->weight)
		return INVARIANT_NOT_JUDGED;
	const int64_t limit = with_rounding(cpu_to_virtual(2 * slice_max + tick_ns, task->weight));
	const uint64_t size = magnitude((int64_t)task->protect);
	return expect_max(evidence, "size of lag", UNIT_VIRTUAL_NS, size > INT64_MAX ? INT64_MAX : (int64_t)size,
			  limit);
}

/* The pick of the queue that the task has left, if no task can have come in between: a CPU that has no other one lets
 * go of its queue to look for some. Another one, which is awake and has not changed its group, was there while this one
 * was still active: a delayed sleeper may have left, and a group come that has the same keys. */
static const struct pick_level *find_pick_after(const struct sight *sight)
{
	const struct pick_chain *picks = sight->switched->picks;
	const struct pick_level *pick = NULL;

	for (uint32_t i = 0; i < picks->count && !picks->is_repeated; i++)
		if (picks->levels[i].queue == sight->switched->keys.switched.prev.queues[0])
			pick = &picks->levels[i];
	for (uint32_t i = 0; pick && i < pick->level.count; i++) {
		const int32_t pid = machine_pid_of(sight->machine, pick->entities[i].id);
		const struct machine_task *task = machine_task_of(sight->machine, pid);
		const uint64_t active_ns = sight_cpu(sight)->active_ns;
		if (pid && !pick->entities[i].is_delayed && task->enqueued_ns && task->enqueued_ns <= active_ns &&
		    machine_is_same_since(sight->machine, pid, active_ns))
			return pick;
	}
	return NULL;
}

/* The slice that the task which stops to run has asked for; 0: none, or not known. */
static uint64_t asked_slice(const struct sight *sight, const struct family_state *state)
{
	const int32_t pid = sight_cpu(sight)->pid;
	const struct sleeper *sleeper = state_of_task(state, sight->machine, pid);
	const struct machine_task *task = machine_task_of(sight->machine, pid);

	return sleeper && task && machine_is_same_since(sight->machine, pid, task->enqueued_ns) ? sleeper->custom_slice
												: 0;
}

/* Kernels do not limit a lag below this: the limit is two slices of the task and at least a tick (update_entity_lag()),
 * or the longest slice on its queue and a tick (entity_lag() of 7.2). */
static uint64_t least_limit(uint64_t slice_ns, uint64_t tick_ns)
{
	const uint64_t two_slices = 2 * slice_ns > tick_ns ? 2 * slice_ns : tick_ns;

	return two_slices < slice_ns + tick_ns ? two_slices : slice_ns + tick_ns;
}

/* The lag is limited: to no less than the limit, and to no more than it was. */
static enum invariant_result check_limited(struct evidence *evidence, int64_t seen, int64_t lag, uint64_t limit)
{
	if (magnitude(seen) > magnitude(lag) || (seen < 0) != (lag < 0))
		return expect(evidence, "lag at sleep", UNIT_VIRTUAL_NS, seen, lag, 0);
	return lag < 0 ? expect_max(evidence, "lag at sleep", UNIT_VIRTUAL_NS, seen, -(int64_t)limit)
		       : expect_min(evidence, "lag at sleep", UNIT_VIRTUAL_NS, seen, (int64_t)limit);
}

static enum invariant_result check_lag_measured(const struct sight *sight, const struct family_state *state,
						struct evidence *evidence)
{
	const struct rule_entity *task = &sight->switched->keys.switched.prev.entities[0];
	const uint64_t tick_ns = machine_tick_ns(sight->machine);

	if (!sight->switched->keys.switched.prev.depth || !is_eevdf(sight) || !tick_ns ||
	    !is_asleep(sight->switched->out) || task->on_rq || !task->weight)
		return INVARIANT_NOT_JUDGED;
	/* The pick that follows looks at the queue as the dequeue has left it. */
	const struct pick_level *pick = find_pick_after(sight);
	if (!is_whole(pick) || pick->level.running != RULE_NONE)
		return INVARIANT_NOT_JUDGED;
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (pick->level.entities[i].is_stale)
			return INVARIANT_NOT_JUDGED;
	const struct virtual_time others = virtual_time_of(&sight->machine->traits, &pick->level);
	const struct virtual_time all = virtual_time_with(&others, task->vruntime, counted_weight(sight, pick, task));
	const int64_t lag = rule_difference(virtual_time_floor(&all), task->vruntime);
	const uint64_t slice_ns = asked_slice(sight, state);
	const uint64_t limit = virtual_slice(sight, task, least_limit(slice_ns, tick_ns));
	if (is_within(lag, 0, limit))
		return expect(evidence, "lag at sleep", UNIT_VIRTUAL_NS, (int64_t)task->protect, lag, 0);
	return slice_ns ? check_limited(evidence, (int64_t)task->protect, lag, limit) : INVARIANT_NOT_JUDGED;
}

static enum invariant_result check_lag_asleep(const struct sight *sight, const struct family_state *state,
					      struct evidence *evidence)
{
	const struct wakeup *wakeup = sight->wakeup;
	const struct rule_entity *before = &wakeup->before, *task = enqueued_task(sight);

	(void)state;
	if (!is_eevdf(sight) || !(wakeup->event.enqueued.flags & WAKEUP_OF_SLEEPER) || !is_placed_anew(wakeup) ||
	    !before->weight || !task->weight)
		return INVARIANT_NOT_JUDGED;
	/* Another weight scales it, and each change rounds it toward zero. */
	const uint64_t rounding = before->weight == task->weight ? 0 : before->weight / task->weight + 1;
	const int64_t kept = (int64_t)((rule_wide)(int64_t)before->protect * before->weight / task->weight);
	return expect(evidence, "lag after sleep", UNIT_VIRTUAL_NS, (int64_t)task->protect, kept, rounding);
}

/* The task that the wakeup has put on this queue, among its candidates; RULE_NONE if it is not one that waits. */
static uint32_t find_placed(const struct sight *sight)
{
	const struct pick_level *level = sight->pick->level;
	const uint32_t placed = pick_level_find(level, enqueued_task(sight)->id);

	return placed == level->level.running ? RULE_NONE : placed;
}

static enum invariant_result check_vruntime_placed(const struct sight *sight, const struct family_state *state,
						   struct evidence *evidence)
{
	const struct pick_level *pick = sight->pick->level;

	(void)state;
	/* The test of a wakeup sees the queue as the placement has left it: the clock has not moved. */
	if (!sight->pick->is_placed || !is_eevdf(sight) || !sight->pick->is_test || !is_placed_anew(sight->wakeup) ||
	    !is_whole(pick) || find_placed(sight) == RULE_NONE || pick->level.count < 2 ||
	    lacks_feature(sight, FEATURE_PLACE_LAG))
		return INVARIANT_NOT_JUDGED;
	const struct rule_entity *task = &pick->level.entities[find_placed(sight)];
	const uint64_t weight = counted_weight(sight, pick, task);
	const struct virtual_time all = virtual_time_of(&sight->machine->traits, &pick->level);
	const struct virtual_time others = virtual_time_without(&all, task->vruntime, weight);
	const int64_t lag = (int64_t)task->protect;
	const uint64_t placed = virtual_time_place(&others, lag, weight);
	evidence->pid = sight->wakeup->event.enqueued.pid;
	return expect(evidence, "vruntime - V of the others", UNIT_VIRTUAL_NS,
		      rule_difference(task->vruntime, virtual_time_floor(&others)),
		      rule_difference(placed, virtual_time_floor(&others)), 0);
}

static enum invariant_result check_lag_kept(const struct sight *sight, const struct family_state *state,
					    struct evidence *evidence)
{
	const struct pick_level *pick = sight->pick->level;

	(void)state;
	/* A task that was preempted before it could sleep is woken where it is. On an empty queue a task starts without
	 * lag. The lag of a delayed sleeper is that before the running one's vruntime is brought up to date. */
	if (!sight->pick->is_placed || !is_eevdf(sight) || !has_keys(&sight->wakeup->before) ||
	    sight->wakeup->before.is_delayed || sight->wakeup->has_waited || pick->gap != PICK_COMPLETE ||
	    find_placed(sight) == RULE_NONE || pick->level.count < 2 || lacks_feature(sight, FEATURE_PLACE_LAG))
		return INVARIANT_NOT_JUDGED;
	const struct virtual_time time = virtual_time_of(&sight->machine->traits, &pick->level);
	const int64_t lag = virtual_time_lag(&time, pick->level.entities[find_placed(sight)].vruntime);
	const int64_t kept = (int64_t)enqueued_task(sight)->protect;
	evidence->pid = sight->wakeup->event.enqueued.pid;
	return expect(evidence, "lag on its queue", UNIT_VIRTUAL_NS, lag, kept, rounding_of(kept));
}

/* --- Delayed sleepers --- */

static enum invariant_result check_debt_stays(const struct sight *sight, const struct family_state *state,
					      struct evidence *evidence)
{
	const struct key_path *prev = &sight->switched->keys.switched.prev;

	(void)state;
	if (!prev->depth || !has_feature(sight, FEATURE_DELAY_DEQUEUE) || !is_asleep(sight->switched->out) ||
	    prev->queues[0] != sight_cpu(sight)->queue || prev->entities[0].on_rq)
		return INVARIANT_NOT_JUDGED;
	return expect_min(evidence, "lag of a task that left its queue", UNIT_VIRTUAL_NS,
			  (int64_t)prev->entities[0].protect, 0);
}

static enum invariant_result check_delayed_in_debt(const struct sight *sight, const struct family_state *state,
						   struct evidence *evidence)
{
	const struct pick_sight *pick = sight->pick;

	(void)state;
	if (!pick->running || !pick->running->is_delayed || !has_feature(sight, FEATURE_DELAY_DEQUEUE) ||
	    !pick->is_schedule || pick->is_repeated || !is_whole(pick->level) || pick->level->level.count < 2)
		return INVARIANT_NOT_JUDGED;
	const struct virtual_time time = virtual_time_of(&sight->machine->traits, &pick->level->level);
	expect_max(evidence, "lag of a delayed sleeper", UNIT_VIRTUAL_NS,
		   virtual_time_lag(&time, pick->running->vruntime), -1);
	if (!machine_pid_of(sight->machine, pick->running->id))
		evidence->group = pick->running->id;
	return holds_if(!virtual_time_eligible(&time, pick->running->vruntime));
}

static enum invariant_result check_sleeper_leaves(const struct sight *sight, const struct family_state *state,
						  struct evidence *evidence)
{
	const struct key_path *prev = &sight->switched->keys.switched.prev;

	(void)state;
	(void)evidence;
	if (!prev->depth || !is_asleep(sight->switched->out))
		return INVARIANT_NOT_JUDGED;
	return holds_if(!prev->entities[0].on_rq || prev->entities[0].is_delayed);
}

/* A delayed sleeper is woken on its queue. */
static bool wakes_delayed(const struct sight *sight)
{
	return has_feature(sight, FEATURE_DELAY_ZERO) && has_keys(&sight->wakeup->before) &&
	       sight->wakeup->before.is_delayed && (sight->wakeup->event.enqueued.flags & WAKEUP_OF_SLEEPER);
}

static enum invariant_result check_delayed_gains(const struct sight *sight, const struct family_state *state,
						 struct evidence *evidence)
{
	(void)state;
	if (!wakes_delayed(sight))
		return INVARIANT_NOT_JUDGED;
	return expect_max(evidence, "lag of a woken delayed sleeper", UNIT_VIRTUAL_NS,
			  (int64_t)enqueued_task(sight)->protect, 0);
}

static enum invariant_result check_debt_kept(const struct sight *sight, const struct family_state *state,
					     struct evidence *evidence)
{
	static const char *const steps[] = {"step of vruntime at wakeup", "step of deadline at wakeup"};
	const struct rule_entity *before = &sight->wakeup->before, *task = enqueued_task(sight);

	(void)state;
	/* From 7.2 on it is placed again if its debt has grown. */
	if (!wakes_delayed(sight) || sight->machine->traits.has_sum_shift || !sight->wakeup->has_waited ||
	    queues_home(&sight->machine->queues, task->id) != sight->wakeup->event.enqueued.task.queues[0] ||
	    before->weight != task->weight || (int64_t)task->protect >= 0)
		return INVARIANT_NOT_JUDGED;
	return expect_same_keys(evidence, steps, before, task);
}

static void note(struct family_state *state, const struct sight *sight)
{
	const struct key_event *keys = sight->kind == SEEN_ENQUEUE ? &sight->wakeup->event : NULL;
	struct sleeper *sleeper = keys ? state_of_task(state, sight->machine, keys->enqueued.pid) : NULL;

	if (sleeper)
		sleeper->custom_slice = keys->enqueued.is_custom_slice ? enqueued_task(sight)->slice : 0;
}

static const struct invariant_row rows[] = {
    {"lag_bounded", "lag at sleep <= 2 slices and a tick", "bound of lag", FAIR_C "update_entity_lag", "EEVDF",
     "keys_switch.prev_vlag keys_enqueue.slice", SEEN_OUT, STOPS_NONE, check_lag_bound},
    {"lag_measured", "lag at sleep is V - vruntime, to the nanosecond; beyond 2 slices the kernel limits it",
     "lag at sleep", FAIR_C "update_entity_lag, avg_vruntime", "EEVDF", "keys_switch.prev_vlag keys_pick.avg_vruntime",
     SEEN_OUT, STOPS_NONE, check_lag_measured},
    {"lag_asleep", "sleep does not change a task's lag * weight", "lag asleep",
     FAIR_C "update_entity_lag, rescale_entity", "EEVDF", "keys_switch.prev_vlag keys_enqueue.vlag", SEEN_ENQUEUE,
     STOPS_NONE, check_lag_asleep},
    {"vruntime_placed", "vruntime of a placed task is V less its inflated lag, to the nanosecond",
     "vruntime of placed tasks", FAIR_C "place_entity, avg_vruntime", "EEVDF",
     "keys_enqueue.vlag keys_pick.avg_vruntime", SEEN_PICK, STOPS_NONE, check_vruntime_placed},
    {"lag_kept", "lag after a wakeup is that at sleep", "lag after sleep", FAIR_C "place_entity (PLACE_LAG)", "EEVDF",
     "keys_enqueue.vlag keys_pick.avg_vruntime", SEEN_PICK, STOPS_NONE, check_lag_kept},
    {"debt_stays", "a task that sleeps with negative lag stays on its queue", "debt at sleep", FAIR_C "dequeue_entity",
     "EEVDF with DELAY_DEQUEUE", "keys_switch.prev_vlag keys_switch.prev_on_rq", SEEN_OUT, STOPS_NONE,
     check_debt_stays},
    {"delayed_in_debt", "only what is not eligible stays on its queue when it goes to sleep", "delayed without debt",
     FAIR_C "dequeue_entity", "EEVDF with DELAY_DEQUEUE", "keys_pick.curr_delayed keys_pick.avg_vruntime", SEEN_PICK,
     STOPS_NONE, check_delayed_in_debt},
    {"sleeper_leaves", "a task that stops to run asleep leaves its queue, or is a delayed sleeper", "sleepers leave",
     CORE_C "__schedule, try_to_block_task", "CFS, EEVDF", "keys_switch.prev_on_rq", SEEN_OUT, STOPS_NONE,
     check_sleeper_leaves},
    {"delayed_gains_nothing", "a delayed sleeper wakes up without positive lag", "lag of delayed sleepers",
     FAIR_C "requeue_delayed_entity", "EEVDF with DELAY_ZERO", "keys_switch.prev_delayed keys_enqueue.vlag",
     SEEN_ENQUEUE, STOPS_NONE, check_delayed_gains},
    {"debt_kept", "a delayed sleeper that wakes up in debt keeps vruntime and deadline", "keys of delayed sleepers",
     FAIR_C "requeue_delayed_entity", "EEVDF with DELAY_ZERO before 7.2", "keys_switch.prev_delayed keys_enqueue.vlag",
     SEEN_ENQUEUE, STOPS_NONE, check_debt_kept},
};

const struct invariant_family lag_family = {ROWS_OF(rows), .task_size = sizeof(struct sleeper), .note = note};
