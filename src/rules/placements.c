/* SPDX-License-Identifier: MIT */
#include "rules/placements.h"

#include <string.h>

static bool has_delayed(const struct rules *rules, const struct task_states *states, uint32_t cpu)
{
	for (uint32_t i = 0; i < states->task_count; i++) {
		const uint64_t entity = states->tasks[i].cpu == cpu ? rules_entity_of(rules, states->tasks[i].pid) : 0;
		if (entity && queues_waits(&rules->queues, entity) && rules_known_keys(rules, entity).is_delayed)
			return true;
	}
	return false;
}

#define NS_PER_S UINT64_C(1000000000)

enum yes_no { NO, YES, UNKNOWN };

static enum yes_no has_idle_policy(const struct rules *rules, const struct task *task)
{
	const struct rule_entity keys = rules_known_keys(rules, rules_entity_of(rules, task->pid));

	return task->prio < 100 ? NO : !keys.weight ? UNKNOWN : keys.policy == POLICY_IDLE ? YES : NO;
}

/* Whether the CPU, which is not idle, has tasks of SCHED_IDLE alone. */
static enum yes_no runs_idle_policy(const struct rules *rules, const struct task_states *states, uint32_t cpu)
{
	const struct task_cpu *state = &states->cpus[cpu];
	enum yes_no all = has_idle_policy(rules, &states->tasks[state->current]);

	for (uint32_t task = state->runnable_first; task != TASK_NONE && all != NO; task = states->tasks[task].next) {
		const enum yes_no one = has_idle_policy(rules, &states->tasks[task]);
		all = one == YES ? all : one;
	}
	return all == YES && has_delayed(rules, states, cpu) ? UNKNOWN : all;
}

static void note_cpu(const struct rules *rules, const struct task_states *states, uint32_t number,
		     struct placement *placement, bool is_normal)
{
	const struct task_cpu *cpu = &states->cpus[number];

	if (number >= states->cpu_count || number >= rules->cpu_count || cpu->current == TASK_NONE ||
	    cpu->hides_waiting || cpu->hides_idle_ends) {
		placement->unknown |= cpu_bit(number);
	} else if (states->tasks[cpu->current].is_idle) {
		if (cpu->runnable || rules->cpus[number].has_arrival)
			placement->unknown |= cpu_bit(number);
		else
			placement->idle |= cpu_bit(number);
	} else {
		const enum yes_no gives_way = runs_idle_policy(rules, states, number);
		if (gives_way == YES && is_normal && !rules->cpus[number].has_arrival)
			placement->gives_way |= cpu_bit(number);
		else if (gives_way != NO)
			placement->unknown |= cpu_bit(number);
	}
}

static void add_placement(struct rules *rules, const struct placement *placement)
{
	if (rules->stops != STOPS_NONE)
		return;
	if (rules->placement_count == PLACEMENTS_MAX)
		memmove(rules->placements, rules->placements + 1, --rules->placement_count * sizeof(*placement));
	rules->placements[rules->placement_count++] = *placement;
}

static bool is_one_bit(uint64_t set)
{
	return set && !(set & (set - 1));
}

/* wake_wide(): both wake others so often, and one of them so much more often, that loads decide about the previous CPU
 * alone. What the waker has counted is known since it was woken itself; a second halves it. */
static bool may_be_wide(struct rules *rules, const struct placement *placement, uint32_t flips)
{
	const uint32_t size = (uint32_t)__builtin_popcountll(rules->mark.shared_cache & ~rules->mark.isolated);
	struct rules_pid *waker = rules_row_of(rules, placement->waker), *own = rules_row_of(rules, placement->pid);
	uint32_t min = 0, max = UINT32_MAX;

	if (waker)
		waker->wakes++;
	if (waker && waker->flips_ns && rules->now_ns - waker->flips_ns < NS_PER_S) {
		min = waker->flips / 2;
		max = waker->flips + waker->wakes;
	}
	if (own) {
		own->flips = flips;
		own->flips_ns = rules->now_ns;
		own->wakes = 0;
	}
	return flips >= size && (max / size >= flips || (max >= size && min <= flips / size));
}

/* Balancing on another CPU may change how far the search goes, after it was recorded: it is right if it is the same at
 * the next wakeup. */
static void confirm_scan(struct rules *rules, uint32_t scan)
{
	for (uint32_t i = 0; i < rules->placement_count; i++) {
		struct placement *placement = &rules->placements[i];
		if (!placement->is_certain && placement->scan != scan)
			placement->unknown = UINT64_MAX;
		placement->is_certain = true;
	}
}

void placements_begin(struct rules *rules, const struct task_states *states, const struct sched_event *event,
		      const struct key_event *keys)
{
	const struct key_mark *mark = &rules->mark;
	const struct rules_cpu *cpu = &rules->cpus[event->cpu];
	const uint64_t cpus = keys->place.cpus & mark->shared_cache & ~mark->isolated;
	struct placement placement = {.pid = keys->place.pid,
				      .waker = event->common_pid,
				      .since_ns = rules->now_ns,
				      .cpu = event->cpu,
				      .previous = keys->place.previous,
				      .recent = keys->place.recent,
				      .scan = keys->place.scan,
				      .result = UINT32_MAX,
				      .cpus = cpus,
				      .has_hint = keys->place.flags & WAKEUP_WITH_HINT,
				      .may_stack = event->context <= SCHED_CONTEXT_TASK &&
						   event->cpu == keys->place.previous &&
						   (!cpu->since_ns || is_one_bit(cpu->keys.switched.next_cpus))};

	placement.is_new = keys->place.flags & WAKEUP_OF_FORK;
	placement.is_certain = placement.is_new;
	confirm_scan(rules, keys->place.scan);
	if (!(keys->place.flags & (WAKEUP_OF_SLEEPER | WAKEUP_OF_FORK)) || keys->place.flags & WAKEUP_HERE || !cpus ||
	    event->cpu >= states->cpu_count || rules->has_idle_groups || rules->has_extension ||
	    !key_mark_has(mark, "SIS_UTIL") || key_mark_has(mark, "SIS_PROP") || !key_mark_has(mark, "WA_IDLE"))
		return;
	const uint32_t task = task_states_find(states, placement.pid, event->cpu);
	const bool is_normal = task != TASK_NONE && has_idle_policy(rules, &states->tasks[task]) == NO;
	placement.may_be_wide = may_be_wide(rules, &placement, keys->place.flips);
	placement.is_lone = !states->cpus[event->cpu].runnable && !cpu->has_arrival;
	for (uint32_t i = 0; i < 64; i++)
		if ((cpus | cpu_bit(event->cpu)) & cpu_bit(i))
			note_cpu(rules, states, i, &placement, is_normal);
	/* Those on their way to a CPU. */
	for (uint32_t i = 0; i < rules->placement_count; i++)
		if (rules->placements[i].result == UINT32_MAX) {
			placement.unknown |= rules->placements[i].cpus;
			rules->placements[i].unknown |= cpus;
		}
	add_placement(rules, &placement);
}

void placements_change(struct rules *rules, uint32_t cpu, uint32_t event_cpu, int32_t pid)
{
	for (uint32_t i = 0; i < rules->placement_count; i++) {
		struct placement *placement = &rules->placements[i];
		/* What a CPU knows of itself is right. */
		if (placement->pid != pid && !(placement->cpu == cpu && cpu == event_cpu))
			placement->unknown |= cpu_bit(cpu);
	}
}

/* A woken real-time task is put on a queue. */
static void add_real_time(struct rules *rules, const struct task_states *states, const struct sched_event *event,
			  const struct key_event *keys, uint32_t task)
{
	const uint32_t cpu = keys->cpu, current = cpu < states->cpu_count ? states->cpus[cpu].current : TASK_NONE;
	struct placement placement = {.pid = keys->enqueued.pid,
				      .since_ns = rules->now_ns,
				      .cpu = event->cpu,
				      .result = cpu,
				      .cpus = keys->enqueued.cpus & ~rules->mark.isolated,
				      .is_real_time = true,
				      .is_certain = true};

	if (current == TASK_NONE || task == TASK_NONE || !(keys->enqueued.flags & WAKEUP_OF_SLEEPER) ||
	    states->tasks[task].prio < 0 || states->tasks[task].prio >= 100 || rules->mark.isolated & cpu_bit(cpu))
		return;
	for (uint32_t i = 0; i < states->cpu_count && i < 64; i++) {
		const uint32_t other = states->cpus[i].current;
		if (other != TASK_NONE && states->tasks[other].prio >= 100 && !rules_urgent_waits(rules, i))
			placement.idle |= cpu_bit(i);
	}
	/* A deadline task does not make it leave, and a lower one gives way. */
	if (placement.idle & cpu_bit(cpu) ||
	    (states->tasks[current].prio >= 0 && states->tasks[current].prio <= states->tasks[task].prio))
		add_placement(rules, &placement);
}

void placements_enqueue(struct rules *rules, const struct task_states *states, const struct sched_event *event,
			const struct key_event *keys)
{
	const uint32_t task = task_states_find(states, keys->enqueued.pid, keys->cpu);
	bool was_chosen = false;

	for (uint32_t i = rules->placement_count; i-- > 0;) {
		struct placement *placement = &rules->placements[i];
		if (placement->pid == keys->enqueued.pid && placement->result == UINT32_MAX) {
			placement->result = keys->cpu;
			was_chosen = true;
		} else if (!was_chosen || placement->result == UINT32_MAX) {
			placement->unknown |= cpu_bit(keys->cpu); /* perhaps it was on its way before */
		}
	}
	if (!keys->enqueued.task.depth)
		add_real_time(rules, states, event, keys, task);
}

void placements_leave(struct rules *rules, const struct sched_event *event, enum leave_reason out)
{
	const bool sleeps = out == LEAVE_SLEEPING || out == LEAVE_UNINTERRUPTIBLE;
	const int32_t pid = event->switched.prev.pid;

	rules->cpus[event->cpu].has_arrival = false;
	/* A task whose group is throttled leaves the CPU idle although it is runnable. */
	if (pid && (!leave_reason_is_runnable(out) || !event->switched.next.pid))
		placements_change(rules, event->cpu, event->cpu, pid);
	for (uint32_t i = 0; i < rules->placement_count; i++)
		if (rules->placements[i].cpu == event->cpu && rules->placements[i].waker == pid)
			rules->placements[i].sleeps = sleeps;
}

void placements_settle(struct rules *rules)
{
	uint32_t count = 0;
	enum placement_step step;

	if (rules->placement_count && rules->placements[0].result == UINT32_MAX &&
	    rules->now_ns - rules->placements[0].since_ns > PLACEMENT_WAIT_NS)
		rules_note_stop(rules, STOPS_SHORT); /* a CPU has not taken a task from another one in time */
	while (count < rules->placement_count && rules->placements[count].is_certain &&
	       rules->now_ns - rules->placements[count].since_ns > PLACEMENT_WAIT_NS) {
		const struct placement *placement = &rules->placements[count++];
		const uint64_t choice = placement->result == UINT32_MAX ? 0 : placement_choice(placement, &step);
		struct invariant_moment moment = {.choice = choice};
		if (!choice)
			continue;
		moment.when = (unsigned int)WHEN_CHOSEN << step;
		rules_check(rules, &moment, placement->since_ns, placement->result, placement->pid);
	}
	if (!count)
		return; /* as at most events */
	rules->placement_count -= count;
	memmove(rules->placements, rules->placements + count, rules->placement_count * sizeof(*rules->placements));
}
