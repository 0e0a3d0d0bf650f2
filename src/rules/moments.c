/* SPDX-License-Identifier: MIT */
#include "rules/moments.h"

#include "rules/class.h"
#include "rules/fair.h"
#include "rules/pulls.h"
#include "rules/replay.h"
#include "rules/switch_moments.h"
#include "rules/urgent.h"
#include "rules/virtual_time.h"

static void check_invariants(struct rules *rules, struct invariant_moment *moment, uint32_t cpu, int32_t pid)
{
	rules_check(rules, moment, rules->now_ns, cpu, pid);
}

/* --- How many tasks each CPU has --- */

/* Checks whether a CPU has twice as many equal tasks as another busy one has load. */
static void check_balance(struct rules *rules)
{
	uint32_t least = UINT32_MAX, most = 0, fullest = 0;

	for (uint32_t i = 0; i < rules->cpu_count && i < 64; i++) {
		if (rules->mark.isolated >> i & 1)
			continue;
		least = rules->cpus[i].load < least ? rules->cpus[i].load : least;
		if (rules->cpus[i].movable > most) {
			most = rules->cpus[i].movable;
			fullest = i;
		}
	}
	if (!rules->mark.hz || !least || most < 2 * least || most < least + 2) {
		rules->uneven_since_ns = 0;
		return;
	}
	if (!rules->uneven_since_ns)
		rules->uneven_since_ns = rules->now_ns;
	struct invariant_moment moment = {
	    .when = WHEN_UNEVEN, .uneven_ns = rules->now_ns - rules->uneven_since_ns, .cpu_count = rules->cpu_count};
	check_invariants(rules, &moment, fullest, 0);
}

static bool is_movable(struct rules *rules, const struct rule_entity *entity)
{
	const uint64_t all = rules->cpu_count < 64 ? (UINT64_C(1) << rules->cpu_count) - 1 : UINT64_MAX;
	const int32_t pid = rules_pid_of(rules, entity->id);

	return entity->weight == RULE_NICE_0_WEIGHT && pid &&
	       !(all & ~rules->mark.isolated & ~rules_row_of(rules, pid)->cpus);
}

static void note_load(struct rules *rules, struct rules_cpu *cpu, const struct pick_level *pick)
{
	uint64_t weight = 0;

	cpu->movable = 0;
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (!pick->entities[i].is_delayed) {
			weight += pick->entities[i].weight;
			cpu->movable += is_movable(rules, &pick->entities[i]);
		}
	cpu->load = pick->gap == PICK_COMPLETE ? (uint32_t)(weight / RULE_NICE_0_WEIGHT) + 1 : 0;
	cpu->load -= cpu->load && weight % RULE_NICE_0_WEIGHT == 0;
	check_balance(rules);
}

/* --- A task is put on a queue --- */

/* The fair task that runs on the CPU, with its vruntime at the time of the event if that is recorded. */
static struct rule_entity find_running(const struct rules *rules, const struct task_states *states,
				       const struct key_event *keys)
{
	const uint32_t task = keys->cpu < states->cpu_count ? states->cpus[keys->cpu].current : TASK_NONE;

	if (task == TASK_NONE || states->tasks[task].is_idle || states->tasks[task].prio < 100)
		return (struct rule_entity){0};
	struct rule_entity running = rules_known_keys(rules, rules_entity_of(rules, states->tasks[task].pid));
	if (keys->enqueued.has_current) {
		const struct rule_entity *current = &keys->enqueued.current;
		running.vruntime = current->vruntime + cpu_to_virtual(current->slice, running.weight);
	}
	return running;
}

/* SCHED_IDLE, of a task or a group. */
static bool has_idle_level(const struct key_path *path)
{
	for (uint32_t i = 0; i < path->depth; i++)
		if (path->entities[i].weight <= invariant_weight(120, 5))
			return true;
	return false;
}

static void forget_group(struct rules_cpu *cpu, uint64_t group)
{
	for (uint32_t i = 0; i < CHAIN_MAX; i++)
		if (cpu->running_groups[i].keys.id == group)
			cpu->running_groups[i].keys.weight = 0;
}

/* From deadlines at wakeups: they are a period apart, or more if one has passed. The first one may be of a period that
 * was cut when the recording began. */
static void note_deadline(struct rules_pid *row, uint64_t deadline_ns)
{
	const uint64_t apart_ns = deadline_ns - row->deadline_ns;

	if (row->deadline_ns && deadline_ns > row->deadline_ns && row->periods++)
		row->period_ns = row->period_ns && row->period_ns < apart_ns ? row->period_ns : apart_ns;
	row->deadline_ns = deadline_ns;
}

/* The tunable may be changed while the trace is recorded, though not back: the first task that has another slice says
 * nothing. */
static uint64_t find_base_slice(struct rules *rules, uint64_t slice)
{
	const uint64_t base = rules->base_slice_ns, former = rules->former_base_ns;

	if (!base || slice == base)
		return base;
	rules->former_base_ns = base;
	rules->base_slice_ns = slice;
	return slice == former ? base : 0;
}

/* Their keys are those before. */
static void check_groups(struct rules *rules, const struct rules_cpu *target, const struct key_event *keys)
{
	const struct key_path *path = &keys->enqueued.task;

	for (uint32_t i = 1; i < path->depth; i++) {
		const uint64_t queue = path->queues[i - 1];
		const struct rule_entity before = rules_known_keys(rules, path->entities[i].id);
		struct invariant_moment moment = {
		    .when = WHEN_GROUP_QUEUED, .group = &path->entities[i], .group_before = &before};

		if (target->running_queue != queue && !queues_is_inside(&rules->queues, target->running_queue, queue))
			check_invariants(rules, &moment, keys->cpu, keys->enqueued.pid);
	}
}

void moments_enqueue(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		     struct rules_cpu *target, const struct key_event *keys)
{
	const struct key_path *path = &keys->enqueued.task;
	const uint64_t entity = path->entities[0].id, home = queues_home(&rules->queues, entity);
	const uint64_t group = path->depth > 1 ? path->entities[1].id : 0;
	struct rules_pid *row = rules_row_of(rules, keys->enqueued.pid);

	const struct rule_entity last = rules_known_keys(rules, group);
	const bool is_placed = last.weight && last.is_gone && !queues_waits(&rules->queues, group) &&
			       !queues_count(&rules->queues, path->queues[0]);

	cpu->group_before = (struct rule_entity){0};
	if (queues_waits(&rules->queues, group) && queues_waiting(&rules->queues, path->queues[0]))
		cpu->group_before = last;
	if (target->lone.group.id == group)
		target->lone.group.id = 0;
	cpu->enqueued_before = rules_known_keys(rules, entity);
	cpu->enqueued_waited = queues_has_waited(&rules->queues, entity);
	cpu->is_tested = cpu->is_asked = cpu->is_placed = false;
	cpu->was_asked = target->has_cause || !target->running_queue || keys->enqueued.is_throttled ||
			 target->has_higher || rules_urgent_waits(rules, keys->cpu) || has_idle_level(path);
	cpu->had_cause = target->has_cause;
	cpu->is_same_queue = path->depth && path->queues[0] == target->running_queue;
	cpu->enqueued_beside = find_running(rules, states, keys);
	pulls_enqueue(rules, row, keys);
	target->has_higher = target->has_higher || !path->depth;
	if (keys->enqueued.deadline_ns)
		note_deadline(row, keys->enqueued.deadline_ns);
	rules->has_idle_groups =
	    rules->has_idle_groups || (path->entities[0].policy != POLICY_IDLE && has_idle_level(path));
	if (!path->depth)
		return;
	fair_server_come(&target->fair_server, rules->now_ns);
	target->latest = path->entities[0].id;
	target->yielded.id = 0; /* V is another one then */
	row->cpus = keys->enqueued.cpus;
	row->enqueued_ns = rules->now_ns;
	for (uint32_t i = 1; i < path->depth; i++)
		if (!queues_waiting(&rules->queues, path->queues[i - 1]))
			forget_group(target, path->entities[i].id); /* it may have been empty, and is placed again */
	if (target->load && target->load++)
		check_balance(rules);
	if (path->entities[0].slice > rules->slice_max)
		rules->slice_max = path->entities[0].slice;
	struct invariant_moment moment = {.when = WHEN_ENQUEUED,
					  .task = &path->entities[0],
					  .before = &cpu->enqueued_before,
					  .event = keys,
					  .has_stayed = cpu->enqueued_waited,
					  .has_moved = home && home != path->queues[0],
					  .placed_group = is_placed ? &path->entities[1] : NULL,
					  .cpus = keys->enqueued.cpus};
	moment.traits = &rules->traits;
	if (replay_needs_base_slice(&moment))
		moment.base_slice_ns = find_base_slice(rules, path->entities[0].slice);
	if (row->emptied_cpus == row->cpus) {
		moment.group_before = &row->emptied[0];
		moment.group = &row->emptied[1];
	}
	check_invariants(rules, &moment, keys->cpu, keys->enqueued.pid);
	check_groups(rules, target, keys);
	row->emptied[0].weight = 0;
}

/* --- An entity of a queue is looked for --- */

static void check_placed(struct rules *rules, struct rules_cpu *cpu, const struct pick_level *pick)
{
	struct invariant_moment moment = {.when = WHEN_PLACED,
					  .task = &cpu->enqueued.entities[0],
					  .before = &cpu->enqueued_before,
					  .has_stayed = cpu->enqueued_waited,
					  .event = &cpu->enqueued_event,
					  .is_test = rules_knows_caller(rules, CALLER_WAKEUP, cpu->chain_caller),
					  .pick = pick};

	/* schedule() picks later, when the vruntime of the running task is another one. */
	if (rules_knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller) || !cpu->has_enqueue || !cpu->enqueued.depth)
		return;
	if (cpu->group_before.weight && pick->queue == cpu->enqueued.queues[1]) {
		struct invariant_moment reweighted = {.when = WHEN_REWEIGHTED,
						      .pick = pick,
						      .group = &cpu->enqueued.entities[1],
						      .group_before = &cpu->group_before};
		check_invariants(rules, &reweighted, cpu->chain_cpu, cpu->enqueued_pid);
		cpu->group_before.weight = 0;
	}
	if (cpu->is_placed || pick->queue != cpu->enqueued.queues[0])
		return;
	cpu->is_placed = true;
	check_invariants(rules, &moment, cpu->chain_cpu, cpu->enqueued_pid);
}

static void check_left(struct rules *rules, const struct rules_cpu *cpu, const struct pick_level *pick)
{
	struct invariant_moment moment = {.when = WHEN_LEFT,
					  .pick = pick,
					  .is_schedule = rules_knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller),
					  .is_repeated = cpu->chain_is_repeated};

	check_invariants(rules, &moment, cpu->chain_cpu,
			 rules_pid_of(rules, pick->level.entities[pick->level.running].id));
}

/* A group runs, perhaps since it was looked at last. */
static void check_group(struct rules *rules, const struct rules_cpu *cpu, struct rules_cpu *target,
			const struct pick_level *pick, const struct rule_entity *running)
{
	struct running_group *row = target->running_groups;

	while (row < target->running_groups + CHAIN_MAX - 1 && row->queue != pick->queue && row->keys.weight)
		row++;
	if (row->queue == pick->queue && row->keys.weight && row->keys.id == running->id) {
		row->keys.slice_max = queues_take_slice_max(&rules->queues, running->id);
		struct invariant_moment moment = {.when = WHEN_GROUP_RUNS,
						  .pick = pick,
						  .group = running,
						  .group_before = &row->keys,
						  .since_ns = rules->now_ns - row->seen_ns};
		check_invariants(rules, &moment, cpu->chain_cpu, 0);
	}
	queues_take_slice_max(&rules->queues, running->id);
	*row = (struct running_group){.queue = pick->queue, .seen_ns = rules->now_ns, .keys = *running};
}

/* At a switch: a task that leaves its group gives it another weight, and V of the queue is another one. */
static void forget_groups(struct rules_cpu *cpu)
{
	for (uint32_t i = 0; i < CHAIN_MAX; i++)
		cpu->running_groups[i].keys.weight = 0;
}

/* When the keys of the running task were recorded last, but for those of picks. */
static uint64_t find_known_since(const struct rules *rules, const struct rules_cpu *cpu,
				 const struct rule_entity *running)
{
	const struct rules_pid *row = rules_row_of(rules, rules_pid_of(rules, running->id));

	return row && row->enqueued_ns > cpu->began_ns ? row->enqueued_ns : cpu->began_ns;
}

void moments_pick(struct rules *rules, struct rules_cpu *cpu, struct rules_cpu *target, const struct pick_level *pick)
{
	const struct rule_entity *running =
	    pick->level.running == RULE_NONE ? NULL : &pick->level.entities[pick->level.running];

	check_placed(rules, cpu, pick);
	if (running && running->is_delayed)
		check_left(rules, cpu, pick);
	else if (running && !rules_pid_of(rules, running->id))
		check_group(rules, cpu, target, pick, running);
	if (pick->queue == target->root_queue && !(rules->mark.isolated >> (cpu->chain_cpu & 63) & 1))
		note_load(rules, target, pick);
	target->is_proven = target->is_proven && pick->gap == PICK_COMPLETE && running;
	if (!running)
		return;
	const bool runs_anew = queues_runs_anew(&rules->queues, pick->queue, running);
	target->has_rival = target->has_rival || pick->level.count > 1;
	target->has_used =
	    target->has_used || (pick->level.count > 1 && (runs_anew || !rule_is_protected(&rules->traits, running)));
	/* Groups get new weights, and with them deadlines, without an event. */
	if (!rules_pid_of(rules, running->id))
		return;
	if (running->on_rq && !running->is_delayed)
		target->active_ns = rules->now_ns;
	const bool has_yielded = target->yielded.id == running->id;
	const bool is_schedule = rules_knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller);
	struct rule_entity before = rules_known_keys(rules, running->id);
	target->has_other_weight = target->has_other_weight || before.weight != running->weight;
	if (target->has_other_weight)
		before.weight = 0;
	struct invariant_moment moment = {
	    .when = WHEN_PICKED,
	    .task = running,
	    .before = &before,
	    .has_stayed = queues_home(&rules->queues, running->id) == pick->queue,
	    .pick = pick,
	    .is_schedule = is_schedule,
	    .is_repeated = cpu->chain_is_repeated,
	    .yielded = has_yielded ? &target->yielded : NULL,
	    .has_yielded = target->has_yielded_since,
	    .since_ns = rules->now_ns - find_known_since(rules, target, running),
	    .gives_way = is_schedule && target->gives_way == running->id && !runs_anew &&
				 queues_home(&rules->queues, target->gives_way_to) == pick->queue
			     ? target->gives_way_weight
			     : 0,
	    .is_asked_anew = target->is_asked_anew,
	    /* If tasks of higher classes wait, the fair server asks too, and so does a quota that is used up. A task
	     * that is alone on all of its queues may have been asked for one that was pulled since. */
	    .is_tick = is_schedule && target->is_proven && target->has_cause && target->is_of_tick &&
		       target->has_rival && !target->has_lost && pick->queue != target->root_queue &&
		       !target->has_higher && !queues_has_quota(&rules->queues, pick->queue) &&
		       !rules_urgent_waits(rules, cpu->chain_cpu),
	    .has_used = target->has_used};
	check_invariants(rules, &moment, cpu->chain_cpu, rules_pid_of(rules, running->id));
	if (has_yielded)
		target->yielded.id = 0;
	if (is_schedule) {
		target->gives_way = 0;
		target->unasked.is_pending = false;
	}
}

/* Time that a running task does not have for itself: that of interrupts. */
#define INTERRUPTS_PART   8
#define INTERRUPTS_MIN_NS UINT64_C(20000)

void moments_yield(const struct rules *rules, struct rules_cpu *cpu)
{
	const uint64_t ran = cpu->began.id == cpu->yielded.id ? rules->now_ns - cpu->began_ns : 0;
	const uint64_t spent = ran / INTERRUPTS_PART + INTERRUPTS_MIN_NS;

	/* With another weight since it began, as when tasks of its group come or leave, it has got other keys. */
	if (!cpu->began.weight || ran <= spent || cpu->began.deadline != cpu->yielded.deadline)
		return;
	const uint64_t vruntime = cpu->began.vruntime + cpu_to_virtual(ran - spent, cpu->began.weight);
	if (rule_difference(vruntime, cpu->yielded.vruntime) > 0)
		cpu->yielded.vruntime = vruntime;
}

void moments_yielded(struct rules *rules, struct rules_cpu *cpu, const struct key_event *keys)
{
	struct invariant_moment moment = {
	    .when = WHEN_YIELDED, .yield_before = &cpu->yields, .yield_after = &keys->yielded};

	if (!cpu->yields.charged_ns)
		return;
	check_invariants(rules, &moment, keys->cpu, rules_pid_of(rules, cpu->yielded.id));
	cpu->yielded.id = cpu->yields.charged_ns = 0;
}

void moments_woken(struct rules *rules, const struct task_states *states, const struct rules_cpu *cpu,
		   struct rules_cpu *target)
{
	struct invariant_moment moment = {.when = WHEN_WOKEN,
					  .task = &cpu->enqueued.entities[0],
					  .running = &cpu->enqueued_beside,
					  .is_same_queue = cpu->is_same_queue,
					  .was_asked = cpu->was_asked,
					  .is_asked = cpu->is_asked,
					  .is_tested = cpu->is_tested};

	if (!cpu->has_enqueue || !cpu->is_closed)
		return;
	urgent_woken(rules, states, cpu);
	if (!cpu->enqueued.depth)
		return;
	moment.traits = &rules->traits;
	moment.mark = &rules->mark;
	if (invariant_gives_way(&moment) && cpu->is_asked) {
		target->gives_way = cpu->enqueued_beside.id;
		target->gives_way_weight = cpu->enqueued_beside.weight;
		target->gives_way_to = cpu->enqueued.entities[0].id;
		target->is_asked_anew = false;
	}
	check_invariants(rules, &moment, cpu->last_cpu, cpu->enqueued_pid);
	if (!cpu->is_asked && !cpu->is_tested && !cpu->was_asked && !target->unasked.is_pending) {
		target->unasked.is_pending = true;
		target->unasked.is_same_queue = cpu->is_same_queue;
		target->unasked.task = cpu->enqueued.entities[0];
		target->unasked.running = cpu->enqueued_beside;
		target->unasked.pid = cpu->enqueued_pid;
		target->unasked.since_ns = rules->now_ns;
	}
}

/* A CPU that runs fair tasks all the time has a tick in each period; so many are missing only if it stops. */
#define TICKS_MISSED_MIN 2

void moments_tick(struct rules *rules, struct rules_cpu *cpu, uint32_t number)
{
	const uint64_t since_ns = cpu->tick_ns > cpu->fair_from_ns ? cpu->tick_ns : cpu->fair_from_ns;
	const bool is_isolated = rules->mark.isolated >> (number & 63) & 1;

	if (rules->mark.hz && cpu->is_fair && !is_isolated && !rules->lacks_events &&
	    rules->now_ns - since_ns > (TICKS_MISSED_MIN + 1) * UINT64_C(1000000000) / rules->mark.hz)
		rules_note_stop(rules, STOPS_LONG);
	cpu->tick_ns = rules->now_ns;
}

void moments_still_runs(struct rules *rules, struct rules_cpu *cpu, uint32_t number)
{
	struct invariant_moment moment = {.when = WHEN_STILL_RUNS,
					  .task = &cpu->unasked.task,
					  .running = &cpu->unasked.running,
					  .is_same_queue = cpu->unasked.is_same_queue};

	if (!cpu->unasked.is_pending)
		return;
	cpu->unasked.is_pending = false;
	rules_check(rules, &moment, cpu->unasked.since_ns, number, cpu->unasked.pid);
}

/* --- A switch --- */

void moments_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		    const struct rule_entity known[2], bool has_waited)
{
	const struct key_path *next = &cpu->keys.switched.next;

	switch_check_out(rules, states, cpu, &known[0]);
	cpu->running_queue = next->depth ? next->queues[0] : 0;
	if (next->depth > 1)
		cpu->last_in_group = *next;
	switch_check_in(rules, states, cpu, &known[1], has_waited);
	if (!next->depth && rule_class_of(&cpu->event.switched.next) != CLASS_STOP) {
		cpu->load = cpu->movable = 0;
		check_balance(rules);
	}
	cpu->lone.group = switch_find_lone(cpu);
	cpu->lone.cpus = cpu->keys.switched.next_cpus;
	cpu->lone.task_weight = next->entities[0].weight;
	cpu->since_ns = cpu->event.ts_ns;
	cpu->began = next->depth ? next->entities[0] : (struct rule_entity){0};
	cpu->was_woken = cpu->next_was_woken;
	if (!cpu->is_fair)
		cpu->fair_from_ns = rules->now_ns;
	cpu->is_fair = next->depth;
	cpu->began_ns = cpu->active_ns = rules->now_ns;
	forget_groups(cpu);
	cpu->policy = next->entities[0].policy;
	cpu->has_other_weight = false;
	cpu->has_yielded_since = cpu->has_higher = cpu->unasked.is_pending = false;
	cpu->gives_way = cpu->yielded.id = cpu->latest = 0;
}

void moments_move(struct rules *rules, int32_t pid, uint32_t cpu)
{
	struct rules_pid *row = rules_row_of(rules, pid);

	/* Balancing may move delayed sleepers. */
	if (!row || rules_known_keys(rules, row->entity).is_delayed)
		return;
	struct invariant_moment moment = {.when = WHEN_MOVED_ASLEEP, .has_moved = row->has_moved};
	check_invariants(rules, &moment, cpu, pid);
	row->has_moved = true;
}
