/* SPDX-License-Identifier: MIT */
#include "rules/moments.h"

#include "rules/class.h"
#include "rules/fair.h"
#include "rules/replay.h"
#include "rules/virtual_time.h"

void moments_check(struct rules *rules, struct invariant_moment *moment, uint64_t since_ns, uint32_t cpu, int32_t pid)
{
	const struct invariant_place place = {since_ns, cpu, rules->run, pid};

	moment->traits = &rules->traits;
	moment->mark = &rules->mark;
	moment->slice_max = rules->slice_max;
	moment->has_shares = rules->has_shares;
	moment->stops = rules->stops;
	moment->cpu = cpu;
	/* Under a scheduler of sched_ext the keys of tasks are those of before. */
	if (moment->task && rules->has_extension)
		return;
	if (rules->consumer->invariants && !rules->lacks_events && cpu_mask_has(rules->wanted_cpus, cpu))
		invariants_check(rules->consumer->invariants, moment, &place);
}

void moments_note_stop(struct rules *rules, enum clock_stops stops)
{
	if (stops <= rules->stops)
		return;
	rules->stops = stops;
	rules->placement_count = 0;
	if (rules->consumer->invariants)
		invariants_restore_timed(rules->consumer->invariants, &rules->before, stops);
}

static void check_invariants(struct rules *rules, struct invariant_moment *moment, uint32_t cpu, int32_t pid)
{
	moments_check(rules, moment, rules->now_ns, cpu, pid);
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
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
	cpu->is_same_queue = path->depth && path->queues[0] == target->running_queue;
	cpu->enqueued_beside = find_running(rules, states, keys);
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

	return row ? max(cpu->began_ns, row->enqueued_ns) : cpu->began_ns;
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
	    /* If tasks of higher classes wait, the fair server asks too. */
	    .is_tick = is_schedule && target->is_proven && target->has_cause && target->is_of_tick &&
		       !target->has_lost && pick->queue != target->root_queue && !target->has_higher &&
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

void moments_woken(struct rules *rules, const struct rules_cpu *cpu, struct rules_cpu *target)
{
	struct invariant_moment moment = {.when = WHEN_WOKEN,
					  .task = &cpu->enqueued.entities[0],
					  .running = &cpu->enqueued_beside,
					  .is_same_queue = cpu->is_same_queue,
					  .was_asked = cpu->was_asked,
					  .is_asked = cpu->is_asked,
					  .is_tested = cpu->is_tested};

	if (!cpu->has_enqueue || !cpu->is_closed || !cpu->enqueued.depth)
		return;
	moment.traits = &rules->traits;
	moment.mark = &rules->mark;
	if (invariant_gives_way(&moment) && cpu->is_asked) {
		target->gives_way = cpu->enqueued_beside.id;
		target->gives_way_weight = cpu->enqueued_beside.weight;
		target->gives_way_to = cpu->enqueued.entities[0].id;
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
	const uint64_t since_ns = max(cpu->tick_ns, cpu->fair_from_ns);
	const bool is_isolated = rules->mark.isolated >> (number & 63) & 1;

	if (rules->mark.hz && cpu->is_fair && !is_isolated && !rules->lacks_events &&
	    rules->now_ns - since_ns > (TICKS_MISSED_MIN + 1) * UINT64_C(1000000000) / rules->mark.hz)
		moments_note_stop(rules, STOPS_LONG);
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
	moments_check(rules, &moment, cpu->unasked.since_ns, number, cpu->unasked.pid);
}

/* --- A switch --- */

/* The longest time that a task of the same real-time priority has waited for the CPU. */
static uint64_t find_equal_wait(const struct rules *rules, const struct task_states *states, uint32_t cpu,
				const struct sched_task *out, uint64_t now_ns)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < rules->urgent_count; i++) {
		const struct task *task = &states->tasks[rules->urgent[i].task];
		if (rules->urgent[i].cpu == cpu && task->prio == out->prio && task->pid != out->pid &&
		    task->state == TASK_RUNNABLE && now_ns - task->since_ns > longest)
			longest = now_ns - task->since_ns;
	}
	return longest;
}

/* Since when the CPU runs lower classes, or this one task of lower priority; 0: it does not. */
static uint64_t find_lower_since(const struct rules *rules, const struct task_states *states, uint32_t cpu,
				 int32_t prio)
{
	const struct task_cpu *state = &states->cpus[cpu];
	const bool is_lower = cpu < states->cpu_count && state->current != TASK_NONE &&
			      states->tasks[state->current].prio > prio && rules->cpus[cpu].since_ns;

	return rules->cpus[cpu].lower_since_ns || !is_lower ? rules->cpus[cpu].lower_since_ns
							    : rules->cpus[cpu].since_ns;
}

/* The longest time that another CPU on which the task may run has run lower ones since then. The kernel pulls no task
 * that waits for deadline tasks alone, it pushes one that is woken while they run. */
static uint64_t find_lower_elsewhere(const struct rules *rules, const struct task_states *states,
				     const struct rules_cpu *cpu, uint64_t since_ns)
{
	const uint64_t cpus = cpu->keys.switched.next_cpus & ~rules->mark.isolated;
	const bool is_pulled = cpu->deadline_ns < since_ns;
	const bool is_pushed = cpu->next_was_woken && cpu->deadline_from_ns && cpu->deadline_from_ns < since_ns;
	uint64_t longest = 0;

	for (uint32_t i = 0; i < rules->cpu_count && i < 64; i++) {
		const uint64_t lower_ns = find_lower_since(rules, states, i, cpu->event.switched.next.prio);
		const uint64_t from_ns = lower_ns > since_ns ? lower_ns : since_ns;
		if (i != cpu->event.cpu && (cpus >> i & 1) && lower_ns &&
		    (is_pulled || (is_pushed && lower_ns < since_ns)) && cpu->event.ts_ns - from_ns > longest)
			longest = cpu->event.ts_ns - from_ns;
	}
	return longest;
}

/* Its last task leaves the group. Whether the task has changed its affinity, which gives the group another weight,
 * shows at its next wakeup. */
static void note_emptied(struct rules *rules, const struct rules_cpu *cpu)
{
	struct rules_pid *row = rules_row_of(rules, cpu->event.switched.prev.pid);

	row->emptied[0] = cpu->lone.group;
	row->emptied[1] = (struct rule_entity){.id = cpu->lone.group.id, .weight = cpu->lone.weight};
	row->emptied_cpus = cpu->lone.cpus;
}

/* 0: not known, as it has inherited one. */
static int32_t prio_of_weight(struct rules *rules, const struct sched_task *task)
{
	return rules_row_of(rules, task->pid)->own_prio ? 0 : task->prio;
}

/* For so long a task runs until what it was charged with is looked at. */
#define SERVICE_NS UINT64_C(20000000)
/* A task may be charged with the end of the one before, as after a yield, which counts in a shorter time. */
#define SERVICE_PART_NS UINT64_C(1000000)

/* The fair task stops to run: adds the time and the way of its vruntime, and looks at both when it has run for long. */
static void check_service(struct rules *rules, const struct rules_cpu *cpu)
{
	const struct rule_entity *task = &cpu->keys.switched.prev.entities[0];
	const int32_t pid = cpu->event.switched.prev.pid;
	struct rules_pid *row = rules_row_of(rules, pid);

	/* At its exit, or if it yields, its vruntime is set. Weights that are shares change while a task runs. */
	if (!cpu->began.weight || cpu->began.id != task->id || cpu->began.weight != task->weight || !cpu->since_ns ||
	    cpu->keys.switched.prev.queues[0] != cpu->running_queue || cpu->has_yielded_since ||
	    cpu->out == LEAVE_DEAD || rules->has_shares || cpu->event.ts_ns - cpu->since_ns < SERVICE_PART_NS)
		return;
	row->served_ns += cpu->event.ts_ns - cpu->since_ns;
	row->charged_ns += (uint64_t)virtual_to_cpu(rule_difference(task->vruntime, cpu->began.vruntime), task->weight);
	if (row->served_ns < SERVICE_NS)
		return;
	struct invariant_moment moment = {
	    .when = WHEN_SERVED, .served_ns = row->served_ns, .charged_ns = (int64_t)row->charged_ns};
	check_invariants(rules, &moment, cpu->event.cpu, pid);
	row->served_ns = row->charged_ns = 0;
}

/* The pick of the queue that the task has left, if no task can have come in between: a CPU that has no other one lets
 * go of its queue to look for some. Another one was there while this one was still active. */
static const struct pick_level *find_pick_after(struct rules *rules, const struct rules_cpu *cpu, uint64_t queue)
{
	const struct pick_level *pick = NULL;

	for (uint32_t i = 0; i < cpu->chain_count && !cpu->chain_is_repeated; i++)
		if (cpu->chain[i].queue == queue)
			pick = &cpu->chain[i];
	for (uint32_t i = 0; pick && i < pick->level.count; i++) {
		const int32_t pid = rules_pid_of(rules, pick->entities[i].id);
		if (pid && rules_row_of(rules, pid)->enqueued_ns &&
		    rules_row_of(rules, pid)->enqueued_ns <= cpu->active_ns)
			return pick;
	}
	return NULL;
}

/* So much less is charged at most, as the clock is read before and after a run. */
#define SLOW_MIN_NS INT64_C(200000)
#define PERIODS_MIN 3

/* The budget with which the deadline task that stops to run began, at most: what was left, or a whole one. One whose
 * deadline passes while it runs gets the next one at once: not within a period of its last run. */
static uint64_t find_budget(struct rules *rules, const struct rules_cpu *cpu, uint64_t ran_ns)
{
	struct rules_pid *row = rules_row_of(rules, cpu->event.switched.prev.pid);
	const int64_t left_ns = cpu->keys.switched.budget_ns, was_left_ns = row->left_ns;
	const uint64_t since_ns = cpu->event.ts_ns - row->left_at_ns;

	row->left_ns = left_ns;
	row->left_at_ns = cpu->event.ts_ns;
	if (cpu->was_woken && ran_ns && left_ns + (int64_t)ran_ns > (int64_t)row->budget_ns)
		row->budget_ns = (uint64_t)left_ns + ran_ns;
	if (cpu->was_woken || !ran_ns || !was_left_ns)
		return 0;
	if (was_left_ns > 0 && was_left_ns - left_ns < (int64_t)(ran_ns - ran_ns / 4) - SLOW_MIN_NS)
		rules->has_slow_budgets = true;
	if (rules->has_slow_budgets || !row->budget_ns || row->periods < PERIODS_MIN || since_ns >= row->period_ns)
		return 0;
	return was_left_ns > 0 ? (uint64_t)was_left_ns : row->budget_ns;
}

static void check_out(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		      const struct rule_entity *known)
{
	const struct key_path *prev = &cpu->keys.switched.prev;
	const struct sched_task *out = &cpu->event.switched.prev;
	const uint64_t now_ns = cpu->event.ts_ns;
	struct invariant_moment moment = {.when = prev->depth ? WHEN_SWITCHED_OUT : 0,
					  .task = &prev->entities[0],
					  .before = known,
					  .has_stayed = prev->queues[0] == cpu->running_queue,
					  .has_yielded = cpu->has_yielded_since,
					  .prio = prio_of_weight(rules, out),
					  .out = cpu->out,
					  .ran_ns = cpu->since_ns ? now_ns - cpu->since_ns : 0,
					  .pick = find_pick_after(rules, cpu, prev->queues[0]),
					  .policy = cpu->policy};

	if (prev->depth > 1 && prev->entities[1].id == cpu->lone.group.id && !prev->entities[0].on_rq &&
	    prev->entities[0].weight == cpu->lone.task_weight &&
	    (cpu->out == LEAVE_SLEEPING || cpu->out == LEAVE_UNINTERRUPTIBLE))
		note_emptied(rules, cpu);
	if (rule_class_of(out) == CLASS_REAL_TIME && cpu->since_ns && cpu->policy == POLICY_RR) {
		cpu->turn_ns = moment.ran_ns += cpu->turn_pid == out->pid ? cpu->turn_ns : 0;
		cpu->turn_pid = leave_reason_is_runnable(cpu->out) ? out->pid : 0;
		moment.when = WHEN_TURN_ENDS;
		moment.waited_ns = find_equal_wait(rules, states, cpu->event.cpu, out, now_ns);
	}
	if (prev->depth)
		check_service(rules, cpu);
	if (rule_class_of(out) == CLASS_DEADLINE) {
		cpu->deadline_from_ns = cpu->since_ns;
		cpu->deadline_ns = now_ns;
	}
	if (rule_class_of(out) == CLASS_DEADLINE && cpu->keys.switched.has_budget) {
		moment.when = WHEN_BUDGET_KNOWN;
		moment.budget_ns = cpu->keys.switched.budget_ns;
		moment.asked_ns = rules_asked(rules, out->pid, POLICY_DEADLINE);
		moment.begun_ns = find_budget(rules, cpu, moment.ran_ns);
	}
	check_invariants(rules, &moment, cpu->event.cpu, out->pid);
}

/* Fair tasks wait on the CPU, or sleepers that its queue still has. */
static bool may_have_fair(const struct rules *rules, const struct task_states *states, const struct rules_cpu *cpu)
{
	const uint32_t first =
	    cpu->event.cpu < states->cpu_count ? states->cpus[cpu->event.cpu].runnable_first : TASK_NONE;

	for (uint32_t task = first; task != TASK_NONE; task = states->tasks[task].next)
		if (states->tasks[task].prio >= 100)
			return true;
	return !cpu->root_queue || queues_count(&rules->queues, cpu->root_queue);
}

static void check_in(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		     const struct rule_entity *known, bool has_waited)
{
	const struct key_path *next = &cpu->keys.switched.next;
	const struct sched_task *in = &cpu->event.switched.next;
	const uint64_t now_ns = cpu->event.ts_ns;
	const bool is_urgent = rule_class_is_urgent(rule_class_of(in));
	const struct rule_entity keys = rules_known_keys(rules, next->entities[0].id);
	struct invariant_moment moment = {.when = WHEN_RUNS | (next->depth ? WHEN_SWITCHED_IN : 0),
					  .task = &keys,
					  .before = known,
					  .has_stayed = has_waited,
					  .prio = prio_of_weight(rules, in),
					  .may_be_buddy = cpu->since_ns && next->entities[0].id == cpu->latest &&
							  rules->callers[CALLER_SCHEDULE][0] && !rules->has_extension &&
							  !key_events_pick_buddies(&rules->keys),
					  .is_picked = cpu->has_leaf_pick,
					  .own_weight = cpu->keys.switched.next_load,
					  .cpus_before = rules_row_of(rules, in->pid)->cpus,
					  .cpus = rule_class_of(in) == CLASS_IDLE ? 0 : cpu->keys.switched.next_cpus};

	if (rule_class_of(in) == CLASS_REAL_TIME && rules->stops == STOPS_NONE && cpu->next_waits_since_ns &&
	    cpu->higher_since_ns && !(rules->mark.isolated >> (cpu->event.cpu & 63) & 1))
		moment.waited_ns =
		    find_lower_elsewhere(rules, states, cpu, max(cpu->higher_since_ns, cpu->next_waits_since_ns));
	if (rule_class_of(in) == CLASS_FAIR && cpu->higher_since_ns && cpu->next_waits_since_ns)
		moment.starved_ns = now_ns - max(cpu->higher_since_ns, cpu->next_waits_since_ns);
	if (next->depth)
		rules->has_shares = rules->has_shares || (rules->traits.has_sum_shift &&
							  keys.weight != invariant_weight(in->prio, keys.policy));
	const struct fair_server_switch at = {.out = rule_class_of(&cpu->event.switched.prev),
					      .in = rule_class_of(in),
					      .is_runnable = leave_reason_is_runnable(cpu->out),
					      .has_fair = may_have_fair(rules, states, cpu),
					      .now_ns = rules->now_ns};
	moment.deferred_ns = rules->has_extension ? 0 : fair_server_step(&cpu->fair_server, &at);
	check_invariants(rules, &moment, cpu->event.cpu, in->pid);
	if (!is_urgent || !cpu->higher_since_ns)
		cpu->higher_since_ns = is_urgent ? now_ns : 0;
	if (is_urgent || !cpu->lower_since_ns)
		cpu->lower_since_ns = is_urgent ? 0 : now_ns;
}

/* The group of the task that begins to run, if it has no other. */
static struct rule_entity find_lone(const struct rules_cpu *cpu)
{
	const struct key_path *prev = &cpu->keys.switched.prev, *next = &cpu->keys.switched.next;
	struct rule_entity group = {0};
	bool is_lone = false;

	for (uint32_t i = 0; i < cpu->chain_count && next->depth > 1; i++) {
		const struct pick_level *pick = &cpu->chain[i];
		const uint32_t at = pick_level_find(pick, next->entities[1].id);
		/* A delayed sleeper that leaves gives the group another weight. */
		if (pick->gap != PICK_COMPLETE || pick->repaired)
			continue;
		is_lone = is_lone || (pick->queue == next->queues[0] && pick->level.count == 1);
		if (at != RULE_NONE)
			group = pick->entities[at];
	}
	/* Without a pick of its queue the group goes on running. */
	if (prev->depth > 1 && prev->entities[1].id == next->entities[1].id)
		group = (struct rule_entity){.id = next->entities[1].id, .weight = cpu->lone.weight};
	return is_lone && !group.is_stale ? group : (struct rule_entity){0};
}

void moments_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		    const struct rule_entity known[2], bool has_waited)
{
	const struct key_path *next = &cpu->keys.switched.next;

	check_out(rules, states, cpu, &known[0]);
	cpu->running_queue = next->depth ? next->queues[0] : 0;
	if (next->depth > 1)
		cpu->last_in_group = *next;
	check_in(rules, states, cpu, &known[1], has_waited);
	if (!next->depth && rule_class_of(&cpu->event.switched.next) != CLASS_STOP) {
		cpu->load = cpu->movable = 0;
		check_balance(rules);
	}
	cpu->lone.group = find_lone(cpu);
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
