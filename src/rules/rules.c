/* SPDX-License-Identifier: MIT */
#include "rules/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/counts.h"
#include "rules/judge.h"
#include "rules/moments.h"
#include "rules/placements.h"
#include "rules/pulls.h"
#include "rules/throttles.h"
#include "rules/virtual_time.h"
#include "trace/scheduler_mark.h"

void rules_begin(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass)
{
	rules_free(rules);
	rules->consumer = consumer;
	if (consumer->invariants)
		rules->before = *consumer->invariants;
	rules->run = pass->run.number;
	rules->wanted_cpus = pass->all_cpus ? NULL : pass->cpu_set;
	key_events_begin(&rules->keys, sched_source_stream(pass->run.source));
	rules->traits = key_events_traits(&rules->keys);
	queues_begin(&rules->queues, &rules->traits);
}

static struct rules_cpu *find_cpu(struct rules *rules, uint32_t cpu)
{
	if (cpu >= TASK_CPUS_MAX)
		cpu = TASK_CPUS_MAX - 1;
	if (cpu >= rules->cpu_count) {
		rules->cpus = array_extend(rules->cpus, rules->cpu_count, cpu + 1, sizeof(*rules->cpus));
		rules->cpu_count = cpu + 1;
	}
	return &rules->cpus[cpu];
}

static struct rules_pid *find_pid(struct rules *rules, int32_t pid)
{
	const uint32_t number = id_map_add(&rules->pid_ids, (uint32_t)pid);

	rules->by_pid = array_reserve(rules->by_pid, &rules->by_pid_count, number + 1, sizeof(*rules->by_pid));
	return &rules->by_pid[number];
}

/* rt_mutex_setprio() changes the priority, not the weight. */
static void step_set_prio(struct rules *rules, const struct sched_event *event)
{
	struct rules_pid *row = find_pid(rules, event->set_prio.task.pid);

	if (!row->own_prio)
		row->own_prio = event->set_prio.old_prio;
	if (event->set_prio.task.prio >= row->own_prio)
		row->own_prio = 0;
	counts_forget_all(rules);
}

static void name_entity(struct rules *rules, uint64_t entity, int32_t pid)
{
	uint32_t number = id_map_add(&rules->task_ids, entity);

	rules->pids = array_grow(rules->pids, &rules->pid_capacity, number + 1, sizeof(*rules->pids));
	rules->pids[number] = pid;
	struct rules_pid *row = find_pid(rules, pid);
	row->entity = entity;
	row->has_moved = false;
}

uint32_t rules_task_of(const struct rules *rules, const struct task_states *states, uint64_t entity)
{
	uint32_t number = id_map_find(&rules->task_ids, entity);

	return number == ID_MAP_NONE ? TASK_NONE : task_states_find(states, rules->pids[number], 0);
}

void rules_label_task(const struct task_states *states, uint32_t task, char label[RULES_LABEL_SIZE])
{
	if (task == TASK_NONE) {
		snprintf(label, RULES_LABEL_SIZE, "?");
		return;
	}
	const struct sched_comm *comm = task_comm(states, task);
	snprintf(label, RULES_LABEL_SIZE, "%.*s-%" PRId32, (int)comm->length, comm->bytes, states->tasks[task].pid);
}

void rules_label_entity(const struct rules *rules, const struct task_states *states, uint64_t entity,
			char label[RULES_LABEL_SIZE])
{
	const uint32_t task = rules_task_of(rules, states, entity);

	if (task == TASK_NONE)
		snprintf(label, RULES_LABEL_SIZE, "group %06" PRIx64, entity & 0xffffff);
	else
		rules_label_task(states, task, label);
}

bool rules_has_task(const struct rules *rules, int32_t pid, uint64_t entity)
{
	struct key_path path = {.depth = 1, .entities = {{.id = rules_entity_of(rules, pid)}}};

	path.queues[0] = queues_home(&rules->queues, path.entities[0].id);
	if (!path.entities[0].id || !path.queues[0])
		return false;
	queues_extend(&rules->queues, &path);
	for (uint32_t i = 0; i < path.depth; i++)
		if (path.entities[i].id == entity)
			return true;
	return false;
}

bool rules_has_candidate(const struct rules *rules, const struct task_states *states,
			 const struct rule_decision *decision, uint32_t task, const char *label)
{
	char text[RULES_LABEL_SIZE];

	for (uint32_t i = 0; i < decision->level_count; i++)
		for (uint32_t j = 0; j < decision->levels[i].level.count; j++) {
			const uint64_t id = decision->levels[i].level.entities[j].id;
			rules_label_entity(rules, states, id, text);
			if (label ? strcmp(text, label) == 0 : rules_task_of(rules, states, id) == task)
				return true;
		}
	return false;
}

/* A task asks for other attributes, and may be refused: its slice is not known until the next event that has it. */
static void step_setattr(struct rules *rules, const struct key_event *keys)
{
	struct rules_pid *row = find_pid(rules, keys->asked.pid);

	row->asked_ns = keys->asked.runtime_ns;
	row->asked_policy = keys->asked.policy;
	row->deadline_ns = 0;
	queues_forget_slice(&rules->queues, row->entity);
	counts_change(rules, keys->asked.pid);
}

/* Tasks above the fair class. */

static struct urgent_task *find_urgent(struct rules *rules, uint32_t task)
{
	for (size_t i = 0; i < rules->urgent_count; i++)
		if (rules->urgent[i].task == task)
			return &rules->urgent[i];
	return NULL;
}

static struct urgent_task *add_urgent(struct rules *rules, uint32_t task)
{
	rules->urgent =
	    array_grow(rules->urgent, &rules->urgent_capacity, rules->urgent_count + 1, sizeof(*rules->urgent));
	rules->urgent[rules->urgent_count] = (struct urgent_task){.task = task};
	return &rules->urgent[rules->urgent_count++];
}

/* The task waits on the queue of the CPU, or on none (TASK_NONE). */
static void place_urgent(struct rules *rules, const struct task_states *states, uint32_t task, uint32_t cpu)
{
	if (task == TASK_NONE || states->tasks[task].is_idle)
		return;
	struct urgent_task *urgent = find_urgent(rules, task);
	if (!urgent && (cpu == TASK_NONE || states->tasks[task].prio >= 100 || rules->urgent_count > URGENT_MAX))
		return;
	if (!urgent)
		urgent = add_urgent(rules, task);
	urgent->cpu = states->tasks[task].prio < 100 ? cpu : TASK_NONE;
}

/* The levels of prev's groups: whether each is still on its queue is known from the picks, or from what is left. */
static void find_groups_of_prev(const struct rules *rules, const struct rules_cpu *cpu, struct key_path *prev)
{
	for (uint32_t i = 1; i < prev->depth; i++) {
		struct rule_entity *group = &prev->entities[i];
		const struct pick_level *pick = NULL;

		for (uint32_t j = 0; j < cpu->chain_count; j++)
			if (cpu->chain[j].queue == prev->queues[i])
				pick = &cpu->chain[j];
		if (pick && pick->level.running != RULE_NONE && pick->entities[pick->level.running].id == group->id) {
			*group = pick->entities[pick->level.running];
			group->is_group = true;
		} else {
			queues_stop_group(&rules->queues, prev, i, pick);
		}
	}
}

static void learn_caller(struct rules *rules, enum caller kind, uint64_t caller)
{
	uint64_t *known = rules->callers[kind];

	if (rules_knows_caller(rules, kind, caller))
		return;
	for (size_t i = 0; i < sizeof(rules->callers[kind]) / sizeof(*known); i++)
		if (known[i] == 0) {
			known[i] = caller;
			return;
		}
}

/* A deadline task without budget is on no queue until its next period. */
static void note_budget(struct rules *rules, const struct rules_cpu *cpu)
{
	struct urgent_task *urgent = find_urgent(rules, cpu->prev);

	if (cpu->prev == TASK_NONE || rule_class_of(&cpu->event.switched.prev) != CLASS_DEADLINE ||
	    (cpu->keys.switched.has_budget && cpu->keys.switched.budget_ns > 0) || rules->urgent_count > URGENT_MAX)
		return;
	if (!urgent)
		urgent = add_urgent(rules, cpu->prev);
	urgent->may_be_throttled = true;
	urgent->deadline_ns = 0;
}

static void move_classes(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	const bool is_throttled = cpu->keys.switched.has_budget && cpu->keys.switched.budget_ns <= 0 &&
				  rule_class_of(&cpu->event.switched.prev) == CLASS_DEADLINE;
	if (leave_reason_is_runnable(cpu->out) && cpu->event.switched.prev.prio < 100 && !is_throttled)
		place_urgent(rules, states, cpu->prev, cpu->event.cpu);
	else
		place_urgent(rules, states, cpu->prev, TASK_NONE);
	note_budget(rules, cpu);
	place_urgent(rules, states, cpu->next, TASK_NONE);
}

static void move_queues(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	struct key_path *prev = &cpu->keys.switched.prev, *next = &cpu->keys.switched.next;

	name_entity(rules, prev->entities[0].id, cpu->event.switched.prev.pid);
	name_entity(rules, next->entities[0].id, cpu->event.switched.next.pid);
	const struct rule_entity known[] = {rules_known_keys(rules, prev->entities[0].id),
					    rules_known_keys(rules, next->entities[0].id)};
	const bool has_waited = queues_waits(&rules->queues, next->entities[0].id) &&
				queues_home(&rules->queues, next->entities[0].id) == next->queues[0];
	prev->entities[0].slice = known[0].slice;
	prev->entities[0].policy = known[0].policy;
	cpu->lone.weight = prev->entities[1].weight;
	find_groups_of_prev(rules, cpu, prev);
	if (rule_class_of(&cpu->event.switched.prev) != CLASS_FAIR)
		prev->depth = 0;
	if (next->depth && !key_path_is_cut(next))
		cpu->root_queue = next->queues[next->depth - 1];
	if (rule_class_of(&cpu->event.switched.next) == CLASS_IDLE)
		throttles_idle(rules, cpu->event.cpu);
	throttles_use(rules, next);
	queues_switch(&rules->queues, prev, next);
	moments_switch(rules, states, cpu, known, has_waited);
	/* Throttled: it comes back without a wakeup. */
	if (leave_reason_is_runnable(cpu->out) && !cpu->keys.switched.prev.entities[0].on_rq)
		queues_forget_task(&rules->queues, prev->entities[0].id);
	if (rule_class_of(&cpu->event.switched.next) == CLASS_IDLE && cpu->root_queue)
		queues_empty(&rules->queues, cpu->root_queue);
}

/* Both halves of a switch are there. */
static void take_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	struct key_path *next = &cpu->keys.switched.next;

	queues_extend(&rules->queues, next);
	cpu->has_leaf_pick = false;
	for (uint32_t i = 0; i < cpu->chain_count; i++)
		cpu->has_leaf_pick = cpu->has_leaf_pick || cpu->chain[i].queue == next->queues[0];
	if (rule_class_of(&cpu->event.switched.prev) == CLASS_FAIR && cpu->since_ns)
		rules_add_fair_time(&cpu->fair_time, cpu->since_ns, cpu->event.ts_ns);
	cpu->chain_ns = cpu->event.ts_ns;
	cpu->chain_cpu = cpu->event.cpu;
	if (rule_class_of(&cpu->event.switched.next) != CLASS_FAIR)
		next->depth = 0;
	name_entity(rules, next->entities[0].id, cpu->event.switched.next.pid);
	judge_switch(rules, states, cpu);
	counts_switch(rules, cpu);
	move_queues(rules, states, cpu);
	move_classes(rules, states, cpu);
	cpu->has_keys = cpu->has_cause = cpu->has_yielded = false;
}

/* Another event than a switch follows the picks; NULL: a pick of another caller. */
static void end_chain(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		      const struct sched_event *event)
{
	/* The wakeup's own event is recorded after its test, but for a fork. Without it, something else may have asked
	 * to reschedule: then who called shows it, as soon as one test is known. */
	cpu->is_closed = event && event->kind == SCHED_WAKEUP && event->wakeup.task.pid == cpu->enqueued_pid;
	if (cpu->is_closed && cpu->is_resched)
		learn_caller(rules, CALLER_RESULT, cpu->resched_caller);
	cpu->has_result = cpu->is_closed || rules->callers[CALLER_RESULT][0];
	cpu->is_resched =
	    cpu->is_resched && (!cpu->has_result || rules_knows_caller(rules, CALLER_RESULT, cpu->resched_caller));
	if (cpu->has_enqueue)
		moments_woken(rules, states, cpu, find_cpu(rules, cpu->last_cpu));
	if (cpu->chain_count) {
		if (rules_knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller)) {
			judge_stay(rules, states, cpu);
		} else if (cpu->has_enqueue && cpu->enqueued.depth) {
			if (cpu->is_closed)
				learn_caller(rules, CALLER_WAKEUP, cpu->chain_caller);
			if (rules_knows_caller(rules, CALLER_WAKEUP, cpu->chain_caller))
				judge_wakeup(rules, states, cpu);
		}
	}
	cpu->chain_count = 0;
	cpu->chain_is_cut = cpu->chain_is_repeated = false;
}

/* Events. */

/* The picks of one schedule() can have several callers: of a function that is inlined twice. */
static bool continues_chain(struct rules *rules, const struct rules_cpu *cpu, uint64_t caller)
{
	if (cpu->chain_caller == caller)
		return true;
	const bool is_known = rules_knows_caller(rules, CALLER_SCHEDULE, caller);
	if (cpu->has_enqueue && !(is_known && rules_knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller)))
		return false;
	if (is_known)
		learn_caller(rules, CALLER_SCHEDULE, cpu->chain_caller);
	return true;
}

static void step_pick(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		      const struct sched_event *event, const struct key_event *keys)
{
	if (cpu->chain_count && !continues_chain(rules, cpu, keys->caller)) {
		end_chain(rules, states, cpu, NULL);
		cpu->has_enqueue = false;
	}
	cpu->is_resched = false; /* the end of a slice, found on the way to the test, is not its result */
	judge_repeat(rules, cpu, keys->pick.queue);
	if (cpu->chain_count == CHAIN_MAX) {
		cpu->chain_is_cut = true;
		cpu->chain_count--;
	}
	cpu->chain_ns = event->ts_ns;
	cpu->chain_cpu = keys->cpu;
	cpu->chain_caller = keys->caller;
	queues_pick(&rules->queues, &keys->pick, &cpu->chain[cpu->chain_count]);
	throttles_pick(rules, cpu->chain_cpu, &cpu->chain[cpu->chain_count]);
	moments_pick(rules, cpu, find_cpu(rules, cpu->chain_cpu), &cpu->chain[cpu->chain_count++]);
	cpu->is_tested = true;
}

static void step_enqueue(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
			 const struct sched_event *event, const struct key_event *keys)
{
	const uint64_t entity = keys->enqueued.task.entities[0].id;
	const uint32_t task = task_states_find(states, keys->enqueued.pid, keys->cpu);

	placements_enqueue(rules, states, event, keys);
	find_cpu(rules, keys->cpu)->has_arrival = true;
	name_entity(rules, entity, keys->enqueued.pid);
	counts_enqueue(rules, states, event, keys);
	throttles_use(rules, &keys->enqueued.task);
	if (task != TASK_NONE && states->tasks[task].state != TASK_RUNNING)
		place_urgent(rules, states, task, keys->cpu);
	struct urgent_task *urgent = find_urgent(rules, task);
	if (urgent) {
		urgent->cpus = keys->enqueued.cpus;
		urgent->deadline_ns = keys->enqueued.deadline_ns;
	}
	moments_enqueue(rules, states, cpu, find_cpu(rules, keys->cpu), keys);
	if (keys->enqueued.task.depth)
		queues_enqueue(&rules->queues, &keys->enqueued.task);
	if (keys->enqueued.task.depth && keys->enqueued.is_throttled)
		queues_forget_group_slices(&rules->queues, keys->enqueued.task.queues[0]);
	if (!keys->enqueued.task.depth)
		queues_forget_task(&rules->queues, entity);
	rules->has_deep_groups = rules->has_deep_groups || key_path_is_cut(&keys->enqueued.task);
	/* The path of a task of a throttled group ends in the queue of that group. */
	if (keys->enqueued.task.depth && !keys->enqueued.is_throttled && !key_path_is_cut(&keys->enqueued.task))
		find_cpu(rules, keys->cpu)->root_queue = keys->enqueued.task.queues[keys->enqueued.task.depth - 1];
	cpu = find_cpu(rules, event->cpu);
	cpu->has_enqueue = true;
	cpu->is_resched = false;
	cpu->enqueued = keys->enqueued.task;
	cpu->enqueued_event = *keys;
	cpu->enqueued_pid = keys->enqueued.pid;
}

/* The running task of the CPU gives way to others. */
static void step_yield(struct rules *rules, const struct task_states *states, const struct key_event *keys)
{
	struct rules_cpu *cpu = find_cpu(rules, keys->cpu);
	const uint32_t task = keys->cpu < states->cpu_count ? states->cpus[keys->cpu].current : TASK_NONE;

	cpu->has_yielded = cpu->has_yielded_since = true;
	cpu->yielded = keys->yielded.task;
	cpu->yields = keys->yielded;
	cpu->yielded.id = task == TASK_NONE ? 0 : rules_entity_of(rules, states->tasks[task].pid);
	moments_yield(rules, cpu);
}

/* A tick asks within this time. */
#define TICK_NS_MAX UINT64_C(50000)

static void step_resched(struct rules *rules, struct rules_cpu *cpu, const struct key_event *keys)
{
	const enum key_kind kind = cpu->last_kind;
	const uint32_t last_cpu = cpu->last_cpu;
	const bool is_of_wakeup = cpu->has_enqueue && keys->cpu == last_cpu;

	cpu->is_asked = cpu->is_asked || keys->cpu == cpu->last_cpu;
	if (cpu->has_enqueue && cpu->chain_count && keys->cpu == cpu->last_cpu && !cpu->is_resched) {
		cpu->is_resched = true;
		cpu->resched_caller = keys->caller;
	}
	cpu = find_cpu(rules, keys->cpu);
	const bool is_of_tick = kind == KEY_TICK && rules->now_ns - cpu->tick_ns < TICK_NS_MAX;
	moments_still_runs(rules, cpu, keys->cpu);
	cpu->is_cause_late = cpu->chain_count > 0;
	cpu->is_asked_anew = cpu->is_asked_anew || (!is_of_wakeup && !is_of_tick);
	if (cpu->has_cause)
		return;
	cpu->has_cause = true;
	cpu->has_lost = cpu->has_used = cpu->has_rival = false;
	cpu->is_proven = true;
	cpu->is_of_tick = is_of_tick;
	cpu->cause = last_cpu != keys->cpu ? CAUSE_OTHER
		     : kind == KEY_ENQUEUE ? CAUSE_WAKEUP
		     : kind == KEY_TICK    ? CAUSE_TICK
					   : CAUSE_OTHER;
}

static void step_keys(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		      const struct sched_event *event, const struct key_event *keys)
{
	if (keys->kind == KEY_PICK) {
		step_pick(rules, states, cpu, event, keys);
		return;
	}
	if (keys->kind == KEY_RESCHED || keys->kind == KEY_RESCHED_LAZY) {
		step_resched(rules, cpu, keys);
		return;
	}
	if (keys->kind == KEY_PLACE) {
		find_pid(rules, keys->place.pid)->is_woken = true;
		placements_begin(rules, states, event, keys);
		return;
	}
	if (keys->kind == KEY_SWITCH) {
		cpu->keys = *keys;
		cpu->has_keys = true;
		return;
	}
	end_chain(rules, states, cpu, event);
	cpu->has_enqueue = false;
	if (keys->kind == KEY_YIELDED)
		moments_yielded(rules, find_cpu(rules, keys->cpu), keys);
	if (keys->kind == KEY_UNTHROTTLE) {
		rules->has_throttles = true;
		counts_forget(find_cpu(rules, keys->cpu));
		throttles_end(rules, find_cpu(rules, keys->cpu), keys);
	}
	if (keys->kind == KEY_YIELDED || keys->kind == KEY_UNTHROTTLE)
		return;
	cpu->last_kind = keys->kind;
	cpu->last_cpu = keys->cpu;
	if (keys->kind == KEY_ENQUEUE)
		step_enqueue(rules, states, cpu, event, keys);
	if (keys->kind == KEY_TICK) {
		moments_tick(rules, find_cpu(rules, keys->cpu), keys->cpu);
		find_cpu(rules, keys->cpu)->lone.group.id = 0; /* it gives groups other weights */
		moments_still_runs(rules, find_cpu(rules, keys->cpu), keys->cpu);
	}
	if (keys->kind == KEY_YIELD)
		step_yield(rules, states, keys);
	if (keys->kind == KEY_SETATTR)
		step_setattr(rules, keys);
}

void rules_apply_mark(struct rules *rules, const struct key_mark *mark)
{
	rules->mark = *mark;
	rules->base_slice_ns = mark->base_slice_ns;
	rules->former_base_ns = 0;
	key_events_apply_mark(mark, &rules->traits);
}

static void step_mark(struct rules *rules, const struct sched_event *event)
{
	struct scheduler_mark mark;

	struct key_mark keys;
	if (key_mark_read(event->mark.text, event->mark.length, &keys))
		rules_apply_mark(rules, &keys);
	if (scheduler_mark_read(event->mark.text, event->mark.length, &mark))
		rules->has_extension = mark.is_enabled;
}

static void step_loss(struct rules *rules)
{
	queues_forget(&rules->queues);
	rules->urgent_count = 0;
	for (uint32_t i = 0; i < rules->by_pid_count; i++) {
		rules->by_pid[i].has_moved = rules->by_pid[i].is_moving = rules->by_pid[i].is_off_queue = false;
		rules->by_pid[i].is_woken = false;
		rules->by_pid[i].pulled_cpus = 0;
		rules->by_pid[i].emptied_cpus = 0;
		rules->by_pid[i].left_ns = 0;
	}
	rules->uneven_since_ns = 0;
	rules->placement_count = 0;
	counts_forget_all(rules);
	rules->freed_count = 0;
	for (uint32_t i = 0; i < rules->cpu_count; i++) {
		rules->cpus[i].chain_count = 0;
		rules->cpus[i].running_queue = rules->cpus[i].since_ns = rules->cpus[i].higher_since_ns = 0;
		rules->cpus[i].began.weight = rules->cpus[i].yields.charged_ns = 0;
		rules->cpus[i].fair_server = (struct fair_server){0};
		rules->cpus[i].lower_since_ns = rules->cpus[i].lone.group.id = 0;
		rules->cpus[i].last_in_group.depth = 0;
		for (int j = 0; j < CHAIN_MAX; j++)
			rules->cpus[i].running_groups[j].keys.weight = 0;
		rules->cpus[i].has_keys = rules->cpus[i].has_enqueue = false;
		rules->cpus[i].keys.kind = KEY_NONE;
	}
}

static void step_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
			const struct sched_event *event, const struct task_step *step)
{
	rules->switches++;
	cpu->event = *event;
	cpu->next = task_states_find(states, event->switched.next.pid, event->cpu);
	cpu->prev = task_states_find(states, event->switched.prev.pid, event->cpu);
	cpu->out = step->slice_count ? step->slices[step->slice_count - 1].out : LEAVE_UNKNOWN;
	placements_leave(rules, event, cpu->out);
	cpu->next_waits_since_ns = step->changes & STEP_WAIT ? step->wait.since_ns : 0;
	cpu->next_was_woken = step->changes & STEP_WAIT && step->wait.cause == WAIT_WAKEUP;
}

/* The picks before a switch can be those of the test of a wakeup: by who calls, or, while that is not known, if no fair
 * task is switched to. */
static bool is_test(const struct rules *rules, const struct rules_cpu *cpu)
{
	return cpu->has_enqueue && !rules_knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller) &&
	       (rules_knows_caller(rules, CALLER_WAKEUP, cpu->chain_caller) ||
		rule_class_of(&cpu->event.switched.next) != CLASS_FAIR);
}

/* The task goes to the queue of another CPU. */
static void step_migration(struct rules *rules, const struct task_states *states, const struct sched_event *event,
			   const struct task_step *step)
{
	const uint32_t task = step->migration.task, from = step->migration.from_cpu, to = step->migration.to_cpu;
	const int32_t pid = states->tasks[task].pid;

	place_urgent(rules, states, task, TASK_NONE);
	find_cpu(rules, from)->has_lost = true;
	find_cpu(rules, from)->yielded.id = 0;
	if (step->migration.state == TASK_RUNNABLE) {
		rules->uneven_since_ns = 0;
		placements_change(rules, from, TASK_NONE, pid);
		placements_change(rules, to, TASK_NONE, pid);
		find_cpu(rules, to); /* may make room */
		throttles_leave(rules, from);
		counts_migrate(rules, pid, find_cpu(rules, from), find_cpu(rules, to));
	}
	pulls_move(rules, states, event, step);
	if (step->migration.state == TASK_SLEEPING)
		moments_move(rules, pid, to);
	queues_leave(&rules->queues, rules_entity_of(rules, pid));
}

static void step_other(struct rules *rules, const struct task_states *states, const struct sched_event *event,
		       const struct task_step *step)
{
	struct rules_cpu *cpu = find_cpu(rules, event->cpu);

	end_chain(rules, states, cpu, event);
	cpu->has_enqueue = false;
	if (event->kind == SCHED_MARK)
		step_mark(rules, event);
	else if (event->kind == SCHED_PI_SETPRIO)
		step_set_prio(rules, event);
	if (step->changes & STEP_MIGRATION)
		step_migration(rules, states, event, step);
}

/* A switch is judged when both of its events are there: that of the keys, and that of the scheduler just after it. */
static void judge_whole_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	if (!cpu->has_keys)
		return;
	if (cpu->chain_count && is_test(rules, cpu))
		end_chain(rules, states, cpu, NULL);
	if (cpu->chain_count)
		learn_caller(rules, CALLER_SCHEDULE, cpu->chain_caller);
	take_switch(rules, states, cpu);
	cpu->chain_count = 0;
	cpu->chain_is_repeated = false;
	cpu->has_enqueue = false;
	if (!cpu->lacks_switch)
		return;
	cpu->lacks_switch = false;
	rules->cpus_lacking_switch--;
	step_loss(rules);
}

/* A switch is missing, or half of one: until the next whole one of the CPU it is not known what runs and waits there.
 */
static void note_missing_switch(struct rules *rules, struct rules_cpu *cpu)
{
	rules->cpus_lacking_switch += !cpu->lacks_switch;
	cpu->lacks_switch = rules->lacks_events = true;
}

/* Something else is done with the queue of the CPU, which a switch locks from before its keys until after it. */
static void end_keys(struct rules *rules, struct rules_cpu *cpu)
{
	if (cpu->has_keys)
		note_missing_switch(rules, cpu);
	cpu->has_keys = false;
}

static void find_missing_switch(struct rules *rules, const struct sched_event *event, const struct task_step *step)
{
	struct rules_cpu *cpu = find_cpu(rules, event->cpu);
	const bool is_switch = event->kind == SCHED_SWITCH;

	if (!is_switch ||
	    (rules->keys.switched.next_pid.size && cpu->keys.switched.next_pid != event->switched.next.pid))
		end_keys(rules, cpu);
	/* The first one may be without keys, at the beginning of the recording or after a loss. */
	if ((is_switch && !cpu->has_keys && cpu->keys.kind == KEY_SWITCH) ||
	    step->changes & (STEP_FROM_OTHER | STEP_SWITCH_MISSING))
		note_missing_switch(rules, cpu);
}

enum status rules_step(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		       const struct task_step *step, struct error *err)
{
	const struct task_states *states = &pass->states;
	struct key_event keys;

	if (!rules->keys.is_known)
		return key_events_check(&rules->keys, pass->run.path, err);
	rules->now_ns = pass_since_start(pass, event->ts_ns);
	rules->lacks_events = states->open_gaps > 0 || rules->cpus_lacking_switch > 0;
	if (!sched_event_is_loss(event))
		find_missing_switch(rules, event, step);
	placements_settle(rules);
	if (sched_event_is_loss(event)) {
		step_loss(rules);
		return STATUS_OK;
	}
	if (event->kind == SCHED_OTHER_EVENT &&
	    key_events_read(&rules->keys, sched_stream_record(sched_source_stream(pass->run.source)), event->cpu,
			    &keys) != KEY_NONE) {
		end_keys(rules, find_cpu(rules, keys.cpu)); /* may make room, as the other one */
		step_keys(rules, states, find_cpu(rules, event->cpu), event, &keys);
	} else if (event->kind == SCHED_SWITCH) {
		step_switch(rules, states, find_cpu(rules, event->cpu), event, step);
		judge_whole_switch(rules, states, find_cpu(rules, event->cpu));
	} else {
		step_other(rules, states, event, step);
	}
	return key_events_check(&rules->keys, pass->run.path, err);
}

void rules_free(struct rules *rules)
{
	for (uint32_t i = 0; i < rules->cpu_count; i++)
		for (int j = 0; j < CHAIN_MAX; j++)
			pick_level_free(&rules->cpus[i].chain[j]);
	free(rules->cpus);
	free(rules->pids);
	free(rules->by_pid);
	id_map_free(&rules->pid_ids);
	free(rules->urgent);
	id_map_free(&rules->task_ids);
	queues_free(&rules->queues);
	*rules = (struct rules){0};
}
