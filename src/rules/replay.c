/* SPDX-License-Identifier: MIT */
#include "rules/replay.h"

#include "rules/checks.h"
#include "rules/fair.h"
#include "rules/key_events.h"
#include "rules/virtual_time.h"

/* From the reading of the clock to the event that follows it, at most. */
#define CLOCK_NS UINT64_C(200000)

/* With features that are not known, those of kernels as delivered. */
static bool lacks_feature(const struct invariant_moment *moment, const char *feature)
{
	return moment->mark->features[0] && !key_mark_has(moment->mark, feature);
}

/* The candidates are those of the queue, and the keys of each are known. */
static bool is_whole(const struct pick_level *pick)
{
	return pick && pick->gap == PICK_COMPLETE && pick->derived == RULE_NONE;
}

static uint64_t counted_weight(const struct invariant_moment *moment, const struct rule_entity *entity)
{
	return virtual_time_weight(moment->traits, entity->weight, moment->pick->level.sum_shift);
}

/* The slice of a group is the shortest on its queue: as old as delayed dequeues. */
static bool has_group_slices(const struct invariant_moment *moment)
{
	return has_feature(moment, "DELAY_DEQUEUE") || has_feature(moment, "NO_DELAY_DEQUEUE");
}

/* A request of an entity in virtual time: calc_delta_fair(). With sums of whole weights it divides by the whole weight.
 */
static uint64_t virtual_slice(const struct invariant_moment *moment, const struct rule_entity *entity,
			      uint64_t slice_ns)
{
	return moment->traits->has_sum_shift ? cpu_to_virtual(slice_ns, entity->weight)
					     : virtual_granularity(slice_ns, entity->weight);
}

/* It may multiply by an inverse of 32 bits. */
static uint64_t inverse_rounding(uint64_t ns)
{
	return ns / 1024 + 2;
}

/* A task that has slept, or is new, is put on a queue. */
static bool is_placed_anew(const struct invariant_moment *moment)
{
	const uint32_t flags = moment->event->enqueued.flags;

	return (flags & WAKEUP_OF_FORK) ||
	       ((flags & WAKEUP_OF_SLEEPER) && is_known(moment->before) && !moment->before->on_rq &&
		!moment->before->is_delayed && !moment->has_stayed);
}

enum invariant_result replay_vruntime_placed(const struct invariant_moment *moment)
{
	const struct pick_level *pick = moment->pick;
	const uint32_t placed = pick_level_find(pick, moment->task->id);

	/* What a test of a wakeup looks at is as the placement has left it: the clock has not moved. */
	if (!moment->traits->has_deadline || !moment->is_test || !is_placed_anew(moment) || !is_whole(pick) ||
	    placed == RULE_NONE || placed == pick->level.running || pick->level.count < 2 ||
	    lacks_feature(moment, "PLACE_LAG"))
		return INVARIANT_NOT_APPLICABLE;
	const struct rule_entity *task = &pick->level.entities[placed];
	const struct virtual_time all = virtual_time_of(moment->traits, &pick->level);
	const struct virtual_time others = virtual_time_without(&all, task->vruntime, counted_weight(moment, task));
	return holds_if(task->vruntime ==
			virtual_time_place(&others, (int64_t)task->protect, counted_weight(moment, task)));
}

enum invariant_result replay_deadline_placed(const struct invariant_moment *moment)
{
	const struct rule_entity *task = moment->task, *before = moment->before;
	const uint32_t flags = moment->event->enqueued.flags;
	const bool is_new = flags & WAKEUP_OF_FORK;
	/* A delayed sleeper that would have gained lag is placed without. */
	const bool is_again = (flags & WAKEUP_OF_SLEEPER) && is_known(before) && before->is_delayed &&
			      !moment->has_moved && has_feature(moment, "DELAY_ZERO") && task->protect == 0 &&
			      task->vruntime != before->vruntime;

	if (!(is_placed_anew(moment) || is_again) || !moment->traits->has_deadline || !moment->mark->features[0] ||
	    !task->slice || !task->weight || task->is_delayed || moment->event->enqueued.is_throttled)
		return INVARIANT_NOT_APPLICABLE;
	const uint64_t slice = virtual_slice(moment, task, task->slice);
	const uint64_t expected = is_new && has_feature(moment, "PLACE_DEADLINE_INITIAL") ? slice / 2 : slice;
	return holds_if(is_within(deadline_ahead(task), expected, inverse_rounding(expected)));
}

enum invariant_result replay_group_placed(const struct invariant_moment *moment)
{
	const struct rule_entity *group = moment->placed_group, *task = moment->task;

	if (!has_group_slices(moment) || !is_known(group) || group->weight < GROUP_WEIGHT_MIN || !task->slice ||
	    moment->event->enqueued.is_throttled)
		return INVARIANT_NOT_APPLICABLE;
	const uint64_t expected = virtual_slice(moment, group, task->slice);
	return holds_if(is_within(deadline_ahead(group), expected, inverse_rounding(expected)));
}

bool replay_needs_base_slice(const struct invariant_moment *moment)
{
	return moment->traits->has_deadline && moment->event->enqueued.has_custom_slice &&
	       !moment->event->enqueued.is_custom_slice && is_placed_anew(moment) && !moment->task->is_delayed;
}

enum invariant_result replay_slice_placed(const struct invariant_moment *moment)
{
	if (!moment->base_slice_ns || !moment->task->slice || !replay_needs_base_slice(moment))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->task->slice == moment->base_slice_ns);
}

enum invariant_result replay_lag_measured(const struct invariant_moment *moment)
{
	const struct rule_entity *task = moment->task;
	const bool sleeps = moment->out == LEAVE_SLEEPING || moment->out == LEAVE_UNINTERRUPTIBLE;

	/* The pick that follows looks at the queue as the dequeue has left it. */
	if (!moment->traits->has_deadline || !moment->mark->hz || !sleeps || task->on_rq || !task->weight ||
	    !is_whole(moment->pick) || moment->pick->level.running != RULE_NONE)
		return INVARIANT_NOT_APPLICABLE;
	for (uint32_t i = 0; i < moment->pick->level.count; i++)
		if (moment->pick->level.entities[i].is_stale)
			return INVARIANT_NOT_APPLICABLE;
	const struct virtual_time others = virtual_time_of(moment->traits, &moment->pick->level);
	const struct virtual_time all = virtual_time_with(&others, task->vruntime, counted_weight(moment, task));
	const int64_t lag = rule_difference(virtual_time_floor(&all), task->vruntime);
	/* Beyond a tick the kernel may limit it. */
	if (!is_within(lag, 0, virtual_slice(moment, task, tick_of(moment))))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if((int64_t)task->protect == lag);
}

enum invariant_result replay_lag_asleep(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->before, *task = moment->task;

	if (!moment->traits->has_deadline || !(moment->event->enqueued.flags & WAKEUP_OF_SLEEPER) ||
	    !is_placed_anew(moment) || !before->weight || !task->weight)
		return INVARIANT_NOT_APPLICABLE;
	/* Another weight scales it, and each change rounds it toward zero. */
	const uint64_t rounding = before->weight == task->weight ? 0 : before->weight / task->weight + 1;
	const int64_t kept = (int64_t)((rule_wide)(int64_t)before->protect * before->weight / task->weight);
	return holds_if(is_within((int64_t)task->protect, (uint64_t)kept, rounding));
}

enum invariant_result replay_delayed(const struct invariant_moment *moment)
{
	const struct pick_level *pick = moment->pick;

	if (!has_feature(moment, "DELAY_DEQUEUE") || !moment->is_schedule || moment->is_repeated || !is_whole(pick) ||
	    pick->level.running == RULE_NONE || pick->level.count < 2)
		return INVARIANT_NOT_APPLICABLE;
	const struct rule_entity *running = &pick->level.entities[pick->level.running];
	const struct virtual_time time = virtual_time_of(moment->traits, &pick->level);
	if (!running->is_delayed)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(!virtual_time_eligible(&time, running->vruntime));
}

enum invariant_result replay_requeued(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->before, *task = moment->task;

	/* From 7.2 on it is placed again if its debt has grown. */
	if (!has_feature(moment, "DELAY_ZERO") || moment->traits->has_sum_shift || !is_known(before) ||
	    !before->is_delayed || !(moment->event->enqueued.flags & WAKEUP_OF_SLEEPER) || moment->has_moved ||
	    !moment->has_stayed || before->weight != task->weight || (int64_t)task->protect >= 0)
		return INVARIANT_NOT_APPLICABLE;
	/* Another task has changed its affinity or attributes, which no event shows: it left the queue and was placed
	 * again. */
	if (task->vruntime != before->vruntime &&
	    task->deadline - task->vruntime == virtual_slice(moment, task, task->slice))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(task->vruntime == before->vruntime && task->deadline == before->deadline);
}

enum invariant_result replay_deadline_renewed(const struct invariant_moment *moment)
{
	const struct rule_entity *task = moment->task, *before = moment->before;

	if (!moment->traits->has_deadline || !task->on_rq || task->is_delayed || !task->weight)
		return INVARIANT_NOT_APPLICABLE;
	if (deadline_ahead(task) <= 0)
		return INVARIANT_BROKEN;
	/* Kernels differ in what a yield does to the deadline. */
	if (!is_known(before) || !moment->has_stayed || before->weight != task->weight || !before->slice ||
	    moment->has_yielded)
		return INVARIANT_HOLDS;
	/* A task whose affinity or group changes is placed again, with what is left of its request. With the same lag
	 * it is where it was, but for rounding. */
	const uint64_t slice = virtual_slice(moment, task, before->slice), rounding = inverse_rounding(slice);
	if (is_within(rule_difference(task->deadline, before->deadline), 0, slice / 2))
		return INVARIANT_HOLDS;
	const uint64_t ran = cpu_to_virtual(moment->since_ns, task->weight);
	if (is_within(deadline_ahead(task), (uint64_t)deadline_ahead(before) - ran,
		      ran / 8 + cpu_to_virtual(CLOCK_NS, task->weight)))
		return INVARIANT_HOLDS;
	/* Else it is a slice after a vruntime that had reached the deadline. A share of a group may have been another
	 * one meanwhile, and has moved the deadline then by a part of what the task ran. */
	const uint64_t renewed = task->deadline - slice, slack = rounding + (moment->has_shares ? ran / 8 : 0);
	return holds_if(rule_difference(renewed + slack, before->deadline) >= 0 &&
			rule_difference(renewed, task->vruntime + slack) <= 0);
}

/* What is left of the request of a group, as CPU time. */
static int64_t request_left(const struct rule_entity *group)
{
	return virtual_to_cpu(deadline_ahead(group), group->weight);
}

static bool is_group_known(const struct rule_entity *group)
{
	return is_known(group) && group->weight >= GROUP_WEIGHT_MIN;
}

enum invariant_result replay_group_slice(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->group_before, *group = moment->group;

	if (!has_group_slices(moment) || !is_group_known(before) || !is_group_known(group) || !before->slice_max ||
	    before->weight != group->weight)
		return INVARIANT_NOT_APPLICABLE;
	/* Only a renewal leaves more than there was; or another weight, if it limits the lag. */
	const int64_t left = request_left(group), was_left = request_left(before);
	if (left <= was_left + (int64_t)rounding_of(was_left))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if((uint64_t)left <= before->slice_max + before->slice_max / 32 + ROUNDING_NS);
}

enum invariant_result replay_group_asks(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->group_before, *group = moment->group;

	/* Another weight scales what is left of a request, and makes nothing of a few nanoseconds alone. */
	if (!has_group_slices(moment) || !is_known(before) || !group->weight ||
	    request_left(before) < (int64_t)ROUNDING_NS)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(group->deadline != group->vruntime);
}

/* A group that waited may have been throttled, and placed again without an event, with a whole request. */
static bool may_be_placed_again(const struct invariant_moment *moment, int64_t left)
{
	const uint64_t base = moment->mark->base_slice_ns;

	return moment->when == WHEN_REWEIGHTED && (!base || is_within(left, base, base / 32));
}

enum invariant_result replay_request(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->group_before, *group = moment->group;
	const struct pick_level *pick = moment->pick;

	if (!moment->traits->has_deadline || !moment->mark->hz || !is_group_known(before) || !is_group_known(group) ||
	    before->weight == group->weight || before->is_stale || before->is_delayed || !is_whole(pick) ||
	    pick->level.count < 2)
		return INVARIANT_NOT_APPLICABLE;
	/* Beyond a tick the kernel may limit the lag, which moves vruntime alone. */
	const struct virtual_time time = virtual_time_of(moment->traits, &pick->level);
	const int64_t lag = virtual_to_cpu(virtual_time_lag(&time, group->vruntime), group->weight);
	const int64_t left = request_left(group), was_left = request_left(before);
	if (moment->since_ns > tick_of(moment) || !is_within(lag, 0, tick_of(moment) - moment->since_ns) ||
	    may_be_placed_again(moment, left))
		return INVARIANT_NOT_APPLICABLE;
	/* The weight scales what is left of the request with the rest. It is used up by what the group has run, and
	 * renewed only then. */
	const int64_t rounding = (int64_t)(rounding_of(was_left) + CLOCK_NS), ran = (int64_t)moment->since_ns;
	if (left < was_left - ran - rounding)
		return INVARIANT_BROKEN;
	return holds_if(left <= was_left + rounding || was_left < ran + rounding);
}

enum invariant_result replay_waiting(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->before, *task = moment->task;

	/* A change of affinity or of attributes places it again. */
	if (!is_known(before) || !moment->has_stayed || before->weight != task->weight || !before->slice ||
	    !moment->traits->has_deadline || !moment->cpus || moment->cpus != moment->cpus_before || !moment->prio)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(task->vruntime == before->vruntime && task->deadline == before->deadline);
}

/* V if the running entity had this vruntime: whether it was eligible then. */
static bool was_eligible(const struct invariant_moment *moment, uint64_t vruntime)
{
	const struct pick_level *pick = moment->pick;
	const struct rule_entity *running = &pick->level.entities[pick->level.running];
	const uint64_t weight = counted_weight(moment, running);
	const struct virtual_time now = virtual_time_of(moment->traits, &pick->level);
	const struct virtual_time others = virtual_time_without(&now, running->vruntime, weight);
	const struct virtual_time then = virtual_time_with(&others, vruntime, weight);

	return virtual_time_eligible(&then, vruntime);
}

/* Another task, that does not sleep, is on the queue: alone a task yields to nothing. */
static bool has_rival(const struct pick_level *pick)
{
	for (uint32_t i = 0; i < pick->level.count; i++) {
		const struct rule_entity *other = &pick->level.entities[i];
		if (i != pick->level.running && !other->is_delayed && !other->is_group)
			return true;
	}
	return false;
}

/* Whether the task would be eligible with this vruntime, beside what waits. */
static bool is_eligible_beside(const struct invariant_moment *moment, const struct key_yield *yield, uint64_t vruntime)
{
	const struct queue_sums *sums = &yield->sums;
	const struct virtual_time others = {
	    .base = sums->zero, .weighted = (int64_t)sums->weighted, .weight = sums->weight};
	const uint64_t weight = virtual_time_weight(moment->traits, yield->task.weight, sums->shift);
	const struct virtual_time all = virtual_time_with(&others, vruntime, weight);

	return virtual_time_eligible(&all, vruntime);
}

/* The yield charges the task first: until when, both events have. */
static enum invariant_result replay_yielded(const struct invariant_moment *moment)
{
	const struct key_yield *yield = moment->yield_after;
	const struct rule_entity *before = &moment->yield_before->task, *after = &yield->task;
	const int64_t ran = rule_difference(yield->charged_ns, moment->yield_before->charged_ns);

	/* If no other task is there, nothing is charged. */
	if (!moment->traits->has_deadline || !yield->sums.has_keys || ran <= 0 || !after->weight ||
	    before->weight != after->weight)
		return INVARIANT_NOT_APPLICABLE;
	const uint64_t charge = virtual_slice(moment, after, (uint64_t)ran);
	const uint64_t rounding = after->weight == RULE_NICE_0_WEIGHT ? 0 : inverse_rounding(charge);
	const uint64_t least = before->vruntime + charge - rounding;
	/* A request that was used up is renewed before. */
	if (rule_difference(least + 2 * rounding, before->deadline) >= 0)
		return INVARIANT_NOT_APPLICABLE;
	if (after->vruntime == before->deadline)
		return holds_if(is_eligible_beside(moment, yield, least));
	/* Some kernels move the deadline alone. */
	if (after->deadline != before->deadline)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(!is_eligible_beside(moment, yield, after->vruntime));
}

enum invariant_result replay_yield(const struct invariant_moment *moment)
{
	const struct rule_entity *yielded = moment->yielded, *running = moment->task;

	if (moment->when == WHEN_YIELDED)
		return replay_yielded(moment);
	if (!yielded || !moment->traits->has_deadline || !is_whole(moment->pick) || !yielded->deadline ||
	    moment->is_repeated)
		return INVARIANT_NOT_APPLICABLE;
	/* It has forfeited the rest of its request: its vruntime when it yielded is not known, but it was at least
	 * this. */
	if (running->vruntime == yielded->deadline)
		return was_eligible(moment, yielded->vruntime) ? INVARIANT_HOLDS : INVARIANT_BROKEN;
	/* It has not: its vruntime is that of the yield, as the clock is not read again. */
	if (running->deadline != yielded->deadline || !has_rival(moment->pick) || !moment->is_schedule)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(!was_eligible(moment, running->vruntime));
}

enum invariant_result replay_budget(const struct invariant_moment *moment)
{
	const uint64_t begun_ns = moment->begun_ns;

	if (!begun_ns)
		return INVARIANT_NOT_APPLICABLE;
	/* Interrupts are not charged. */
	return holds_if(moment->budget_ns <=
			(int64_t)(begun_ns + begun_ns / 16 + CLOCK_NS) - (int64_t)(moment->ran_ns / 2));
}
