/* SPDX-License-Identifier: MIT */
#include "rules/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/fair.h"
#include "rules/virtual_time.h"
#include "trace/scheduler_mark.h"

/* A CPU that ran tasks above the fair class for so long may throttle them, or let the fair server run. */
#define THROTTLED_AFTER_NS UINT64_C(500000000)
/* More tasks above the fair class than this are not judged by class. */
#define URGENT_MAX 1024u
#define CHAIN_MAX  RULE_DEPTH_MAX

struct urgent_task {
	uint32_t task;
	uint32_t cpu; /* on whose queue it waits, or TASK_NONE */
};

/* What the events of one CPU's buffer have shown, and what is known about that CPU. */
struct rules_cpu {
	/* The picks since the last other event: one per queue, the root's first. */
	struct pick_level chain[CHAIN_MAX];
	uint32_t chain_count;
	uint32_t chain_cpu;
	uint64_t chain_ns, chain_caller;
	bool chain_is_cut;
	/* The enqueue just before the chain. */
	bool has_enqueue, is_resched, is_closed;
	bool was_asked, is_asked, is_tested; /* see struct invariant_moment */
	struct key_path enqueued;
	int32_t enqueued_pid;
	struct rule_entity enqueued_before; /* its keys before */
	struct rule_entity enqueued_beside; /* the fair task that runs on its CPU; weight 0: none */
	bool is_same_queue, is_placed;
	enum key_kind last_kind; /* the last key event but picks and calls to reschedule */
	uint32_t last_cpu;
	/* Halves of a switch. */
	bool has_keys, has_switch;
	struct key_event keys;
	struct sched_event event;
	enum leave_reason out;
	uint32_t prev, next;
	/* As the CPU that is asked to reschedule. */
	enum decision_cause cause;
	bool has_cause, has_yielded;
	bool is_cause_late;     /* asked after the picks that are to be judged */
	uint64_t running_queue; /* on which the running task is; 0: no fair task, or not known */
	/* As the CPU that runs tasks above the fair class. */
	uint64_t urgent_since_ns;
	bool is_throttled;
	uint64_t root_queue; /* 0: not seen yet */
};

void rules_begin(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass)
{
	rules_free(rules);
	rules->consumer = consumer;
	rules->run = pass->run.number;
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

static void name_entity(struct rules *rules, uint64_t entity, int32_t pid)
{
	uint32_t number = id_map_add(&rules->task_ids, entity);

	rules->pids = array_grow(rules->pids, &rules->pid_capacity, number + 1, sizeof(*rules->pids));
	rules->pids[number] = pid;
	number = id_map_add(&rules->pid_ids, (uint32_t)pid);
	rules->pid_entities =
	    array_grow(rules->pid_entities, &rules->pid_entity_capacity, number + 1, sizeof(*rules->pid_entities));
	rules->pid_entities[number] = entity;
}

uint32_t rules_task_of(const struct rules *rules, const struct task_states *states, uint64_t entity)
{
	uint32_t number = id_map_find(&rules->task_ids, entity);

	return number == ID_MAP_NONE ? TASK_NONE : task_states_find(states, rules->pids[number], 0);
}

/* The entity of a task, or 0. */
static uint64_t entity_of(const struct rules *rules, int32_t pid)
{
	uint32_t number = id_map_find(&rules->pid_ids, (uint32_t)pid);

	return number == ID_MAP_NONE ? 0 : rules->pid_entities[number];
}

/* Tasks above the fair class. */

static struct urgent_task *find_urgent(struct rules *rules, uint32_t task)
{
	for (size_t i = 0; i < rules->urgent_count; i++)
		if (rules->urgent[i].task == task)
			return &rules->urgent[i];
	return NULL;
}

/* The task waits on the queue of the CPU, or on none (TASK_NONE). */
static void place_urgent(struct rules *rules, const struct task_states *states, uint32_t task, uint32_t cpu)
{
	if (task == TASK_NONE || states->tasks[task].is_idle)
		return;
	struct urgent_task *urgent = find_urgent(rules, task);
	if (!urgent && (cpu == TASK_NONE || states->tasks[task].prio >= 100 || rules->urgent_count > URGENT_MAX))
		return;
	if (!urgent) {
		rules->urgent =
		    array_grow(rules->urgent, &rules->urgent_capacity, rules->urgent_count + 1, sizeof(*rules->urgent));
		urgent = &rules->urgent[rules->urgent_count++];
		urgent->task = task;
	}
	urgent->cpu = states->tasks[task].prio < 100 ? cpu : TASK_NONE;
}

static struct sched_task task_seen(const struct task_states *states, uint32_t task)
{
	return (struct sched_task){
	    .comm = *task_comm(states, task), .pid = states->tasks[task].pid, .prio = states->tasks[task].prio};
}

/* The task that waits on the CPU and comes before next, or TASK_NONE. */
static uint32_t find_before(const struct rules *rules, const struct task_states *states, uint32_t cpu,
			    const struct sched_task *next)
{
	if (rules->urgent_count > URGENT_MAX)
		return TASK_NONE;
	for (size_t i = 0; i < rules->urgent_count; i++) {
		if (rules->urgent[i].cpu != cpu)
			continue;
		const struct sched_task waiting = task_seen(states, rules->urgent[i].task);
		if (rule_class_is_before(&waiting, next))
			return rules->urgent[i].task;
	}
	return TASK_NONE;
}

/* Judging. */

static void not_judged(struct rule_decision *decision, enum decision_gap gap)
{
	decision->verdict = VERDICT_NOT_JUDGED;
	decision->gap = gap;
}

/* Groups whose keys are not recorded are missing among the candidates. */
static enum decision_gap gap_of(const struct rules *rules, enum pick_gap gap)
{
	static const enum decision_gap gaps[PICK_GAPS] = {[PICK_COMPLETE] = GAP_NONE,
							  [PICK_NO_SUMS] = GAP_NO_SUMS,
							  [PICK_UNSEEN] = GAP_UNSEEN,
							  [PICK_SUMS_DIFFER] = GAP_SUMS};

	return rules->has_deep_groups && gap == PICK_SUMS_DIFFER ? GAP_GROUPS : gaps[gap];
}

/* The rule needs what is not recorded: the picked one is not the rule's, and that could be the reason. */
static bool lacks_field(const struct rules *rules, const struct pick_level *pick, uint32_t picked)
{
	if (rules->traits.has_deadline)
		return !rules->traits.has_protect && picked == pick->level.running;
	return !rules->traits.has_buddies ||
	       (rules->traits.wakeup_granularity_ns == 0 &&
		(picked == pick->level.next || picked == pick->level.last || pick->level.skip != RULE_NONE));
}

/* A delayed sleeper was picked and taken out, and a buddy then picked without a recorded pick. */
static bool is_repeated(const struct rules *rules, const struct pick_level *pick, struct rule_choice choice)
{
	return !rules->keys.picks.protect.size && choice.entity != RULE_NONE &&
	       pick->level.entities[choice.entity].is_delayed;
}

/* One level: what was picked is an index, or RULE_NONE if it is unknown. */
static void judge_level(const struct rules *rules, struct rule_decision *decision, uint32_t i, uint64_t picked)
{
	const struct pick_level *pick = &decision->levels[i];

	decision->picked[i] = pick_level_find(pick, picked);
	decision->choices[i] = pick_level_choice(&rules->traits, pick, picked);
	if (decision->verdict != VERDICT_EXPLAINED)
		return;
	decision->level = i;
	decision->reason = decision->choices[i].reason;
	if (pick->gap != PICK_COMPLETE)
		not_judged(decision, gap_of(rules, pick->gap));
	else if (decision->picked[i] == RULE_NONE)
		not_judged(decision, GAP_NOT_FOUND);
	else if (decision->choices[i].entity != decision->picked[i] && is_repeated(rules, pick, decision->choices[i]))
		not_judged(decision, GAP_NO_PICK);
	else if (decision->choices[i].entity != decision->picked[i] && lacks_field(rules, pick, decision->picked[i]))
		not_judged(decision, GAP_FIELD);
	else if (decision->choices[i].entity != decision->picked[i])
		decision->verdict = VERDICT_BREAKS;
}

static struct rule_decision begin_decision(const struct rules *rules, const struct rules_cpu *cpu,
					   enum decision_kind kind, enum decision_cause cause)
{
	struct rule_decision decision = {.kind = kind,
					 .cause = cause,
					 .verdict = VERDICT_EXPLAINED,
					 .ts_ns = cpu->chain_ns,
					 .cpu = cpu->chain_cpu,
					 .prev = TASK_NONE,
					 .next = TASK_NONE,
					 .rule_task = TASK_NONE,
					 .level_count = cpu->chain_count,
					 .levels = cpu->chain};

	if (rules->has_extension)
		not_judged(&decision, GAP_EXTENSION);
	return decision;
}

static void hand_on(const struct rules *rules, const struct task_states *states, const struct rule_decision *decision)
{
	rules->consumer->decide(rules->consumer->context, states, decision);
}

/* The levels above the recorded picks stay with the groups of the task that leaves: a group's buddy is picked without
 * asking the function that is recorded. */
static bool stays_in_group(const struct rules_cpu *cpu)
{
	const struct key_path *prev = &cpu->keys.switched.prev, *next = &cpu->keys.switched.next;

	if (key_path_is_cut(next) || cpu->chain_is_cut || cpu->chain_count == 0 || cpu->chain_count > next->depth ||
	    rule_class_of(&cpu->event.switched.prev) != CLASS_FAIR)
		return false;
	for (uint32_t i = cpu->chain_count; i < next->depth; i++) {
		bool is_shared = false;
		for (uint32_t j = 1; j < prev->depth; j++)
			is_shared = is_shared || prev->entities[j].id == next->entities[i].id;
		if (!is_shared)
			return false;
	}
	return true;
}

/* The levels of a switch to a task of the fair class: each of its queues must have had a pick. */
static void judge_path(const struct rules *rules, const struct rules_cpu *cpu, struct rule_decision *decision)
{
	const struct key_path *next = &cpu->keys.switched.next;

	if (decision->level_count != next->depth && decision->verdict == VERDICT_EXPLAINED && !stays_in_group(cpu))
		not_judged(decision, key_path_is_cut(next) || cpu->chain_is_cut ? GAP_GROUPS : GAP_NO_PICK);
	for (uint32_t i = 0; i < decision->level_count; i++) {
		uint64_t picked = 0;
		for (uint32_t j = 0; j < next->depth; j++)
			if (next->queues[j] == decision->levels[i].queue)
				picked = next->entities[j].id;
		if (!picked && decision->verdict == VERDICT_EXPLAINED)
			not_judged(decision, GAP_NO_PICK);
		judge_level(rules, decision, i, picked);
	}
}

/* The class of next: nothing of a higher one waits on the CPU. */
static void judge_class(const struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
			struct rule_decision *decision)
{
	const struct sched_task *next = &cpu->event.switched.next;
	const enum rule_class class = rule_class_of(next);
	const uint32_t before = find_before(rules, states, decision->cpu, next);

	if (before == TASK_NONE) {
		if (class != CLASS_FAIR)
			decision->reason = class == CLASS_IDLE        ? RULE_IDLE
					   : class == CLASS_REAL_TIME ? RULE_HIGHEST_PRIORITY
								      : RULE_HIGHER_CLASS;
		/* A group may have nothing left but sleepers. */
		if (class == CLASS_IDLE && cpu->root_queue && !rules->keys.has_groups &&
		    queues_waiting(&rules->queues, cpu->root_queue)) {
			decision->verdict = VERDICT_BREAKS;
			decision->reason = RULE_HIGHER_CLASS;
		}
		return;
	}
	const struct sched_task waiting = task_seen(states, before);
	const bool is_higher = rule_class_of(&waiting) > class;
	if (is_higher && (cpu->is_throttled ||
			  (cpu->urgent_since_ns && decision->ts_ns - cpu->urgent_since_ns >= THROTTLED_AFTER_NS))) {
		cpu->is_throttled = true;
		not_judged(decision, GAP_THROTTLED);
		return;
	}
	decision->verdict = VERDICT_BREAKS;
	decision->gap = GAP_NONE;
	decision->level_count = 0;
	decision->reason = is_higher ? RULE_HIGHER_CLASS : RULE_HIGHEST_PRIORITY;
	decision->rule_task = before;
}

static enum decision_cause cause_of(const struct rules_cpu *cpu)
{
	const struct sched_task *prev = &cpu->event.switched.prev;

	if (rule_class_of(prev) != CLASS_FAIR)
		return CAUSE_IDLE;
	if (cpu->out == LEAVE_DEAD)
		return CAUSE_EXIT;
	if (!leave_reason_is_runnable(cpu->out))
		return CAUSE_BLOCK;
	if (cpu->has_yielded)
		return CAUSE_YIELD;
	return cpu->has_cause ? cpu->cause : CAUSE_OTHER;
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
		} else {
			bool has_more =
			    prev->entities[i - 1].on_rq || queues_count(&rules->queues, prev->queues[i - 1]);
			group->on_rq = has_more || (!pick && rules->traits.has_deadline);
			group->is_delayed = !has_more;
		}
	}
}

/* Callers of picks: what a return address stands for is learned from what follows. */
enum caller { CALLER_SCHEDULE, CALLER_WAKEUP };

static bool knows_caller(const struct rules *rules, enum caller kind, uint64_t caller)
{
	for (size_t i = 0; i < sizeof(rules->callers[kind]) / sizeof(*rules->callers[kind]); i++)
		if (rules->callers[kind][i] == caller)
			return true;
	return false;
}

static void learn_caller(struct rules *rules, enum caller kind, uint64_t caller)
{
	uint64_t *known = rules->callers[kind];

	if (knows_caller(rules, kind, caller))
		return;
	for (size_t i = 0; i < sizeof(rules->callers[kind]) / sizeof(*known); i++)
		if (known[i] == 0) {
			known[i] = caller;
			return;
		}
}

/* Invariants. */

static void check_invariants(struct rules *rules, struct invariant_moment *moment, uint32_t cpu, int32_t pid)
{
	const struct invariant_place place = {rules->now_ns, cpu, rules->run, pid};

	moment->traits = &rules->traits;
	moment->mark = &rules->mark;
	moment->slice_max = rules->slice_max;
	if (rules->consumer->invariants)
		invariants_check(rules->consumer->invariants, moment, &place);
}

static struct rule_entity known_keys(const struct rules *rules, uint64_t id)
{
	const struct rule_entity *known = queues_entity(&rules->queues, id);

	return known ? *known : (struct rule_entity){.id = id};
}

/* The fair task that runs on the CPU, with its vruntime at the time of the event if that is recorded. */
static struct rule_entity find_running(const struct rules *rules, const struct task_states *states,
				       const struct key_event *keys)
{
	const uint32_t task = keys->cpu < states->cpu_count ? states->cpus[keys->cpu].current : TASK_NONE;

	if (task == TASK_NONE || states->tasks[task].is_idle || states->tasks[task].prio < 100)
		return (struct rule_entity){0};
	struct rule_entity running = known_keys(rules, entity_of(rules, states->tasks[task].pid));
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

static void note_wakeup(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
			const struct key_event *keys)
{
	const struct rules_cpu *target = find_cpu(rules, keys->cpu);
	const struct key_path *woken = &keys->enqueued.task;

	cpu->is_tested = cpu->is_asked = cpu->is_placed = false;
	cpu->was_asked = target->has_cause || !target->running_queue || has_idle_level(woken);
	cpu->is_same_queue = woken->depth && woken->queues[0] == target->running_queue;
	cpu->enqueued_beside = find_running(rules, states, keys);
	if (woken->entities[0].slice > rules->slice_max)
		rules->slice_max = woken->entities[0].slice;
}

static void check_placed(struct rules *rules, struct rules_cpu *cpu, const struct pick_level *pick)
{
	struct invariant_moment moment = {
	    .when = WHEN_PLACED, .task = &cpu->enqueued.entities[0], .before = &cpu->enqueued_before, .pick = pick};

	/* schedule() picks later, when the vruntime of the running task is another one. */
	if (knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller) || !cpu->has_enqueue || cpu->is_placed ||
	    !cpu->enqueued.depth || pick->queue != cpu->enqueued.queues[0])
		return;
	cpu->is_placed = true;
	check_invariants(rules, &moment, cpu->chain_cpu, cpu->enqueued_pid);
}

static void check_woken(struct rules *rules, const struct rules_cpu *cpu)
{
	struct invariant_moment moment = {.when = WHEN_WOKEN,
					  .task = &cpu->enqueued.entities[0],
					  .running = &cpu->enqueued_beside,
					  .is_same_queue = cpu->is_same_queue,
					  .was_asked = cpu->was_asked,
					  .is_asked = cpu->is_asked,
					  .is_tested = cpu->is_tested};

	if (cpu->has_enqueue && cpu->is_closed && cpu->enqueued.depth)
		check_invariants(rules, &moment, cpu->last_cpu, cpu->enqueued_pid);
}

/* known: the keys of prev and next before the switch. */
static void check_switch(struct rules *rules, struct rules_cpu *cpu, const struct rule_entity known[2], bool has_waited)
{
	const struct key_path *prev = &cpu->keys.switched.prev, *next = &cpu->keys.switched.next;
	const struct sched_task *out = &cpu->event.switched.prev, *in = &cpu->event.switched.next;

	if (prev->depth) {
		struct invariant_moment moment = {.when = WHEN_SWITCHED_OUT,
						  .task = &prev->entities[0],
						  .before = &known[0],
						  .has_stayed = prev->queues[0] == cpu->running_queue,
						  .prio = out->prio};
		check_invariants(rules, &moment, cpu->event.cpu, out->pid);
	}
	cpu->running_queue = next->depth ? next->queues[0] : 0;
	if (next->depth) {
		const struct rule_entity keys = known_keys(rules, next->entities[0].id);
		struct invariant_moment moment = {.when = WHEN_SWITCHED_IN,
						  .task = &keys,
						  .before = &known[1],
						  .has_stayed = has_waited,
						  .prio = in->prio};
		check_invariants(rules, &moment, cpu->event.cpu, in->pid);
	}
}

static void move_classes(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	const bool is_urgent = rule_class_is_urgent(rule_class_of(&cpu->event.switched.next));

	if (leave_reason_is_runnable(cpu->out) && cpu->event.switched.prev.prio < 100)
		place_urgent(rules, states, cpu->prev, cpu->event.cpu);
	else
		place_urgent(rules, states, cpu->prev, TASK_NONE);
	place_urgent(rules, states, cpu->next, TASK_NONE);
	if (!is_urgent && !cpu->is_throttled)
		cpu->urgent_since_ns = 0;
	if (is_urgent && !cpu->urgent_since_ns)
		cpu->urgent_since_ns = cpu->event.ts_ns;
	if (is_urgent)
		cpu->is_throttled = false;
}

static void move_queues(struct rules *rules, struct rules_cpu *cpu)
{
	struct key_path *prev = &cpu->keys.switched.prev, *next = &cpu->keys.switched.next;

	name_entity(rules, prev->entities[0].id, cpu->event.switched.prev.pid);
	name_entity(rules, next->entities[0].id, cpu->event.switched.next.pid);
	const struct rule_entity known[] = {known_keys(rules, prev->entities[0].id),
					    known_keys(rules, next->entities[0].id)};
	const bool has_waited = queues_waits(&rules->queues, next->entities[0].id);
	prev->entities[0].slice = known[0].slice;
	prev->entities[0].policy = known[0].policy;
	find_groups_of_prev(rules, cpu, prev);
	if (rule_class_of(&cpu->event.switched.prev) != CLASS_FAIR)
		prev->depth = 0;
	if (next->depth && !key_path_is_cut(next))
		cpu->root_queue = next->queues[next->depth - 1];
	queues_switch(&rules->queues, prev, next);
	check_switch(rules, cpu, known, has_waited);
	if (rule_class_of(&cpu->event.switched.next) == CLASS_IDLE && cpu->root_queue)
		queues_empty(&rules->queues, cpu->root_queue);
}

/* Both halves of a switch are there. */
static void judge_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	struct key_path *next = &cpu->keys.switched.next;

	queues_extend(&rules->queues, next);
	cpu->chain_ns = cpu->event.ts_ns;
	cpu->chain_cpu = cpu->event.cpu;
	struct rule_decision decision = begin_decision(rules, cpu, DECISION_SWITCH, cause_of(cpu));
	if (rule_class_of(&cpu->event.switched.next) != CLASS_FAIR)
		next->depth = decision.level_count = 0;
	decision.switch_number = rules->switches;
	decision.prev = cpu->prev;
	decision.next = cpu->next;
	name_entity(rules, next->entities[0].id, cpu->event.switched.next.pid);
	judge_path(rules, cpu, &decision);
	if (decision.gap != GAP_EXTENSION)
		judge_class(rules, states, cpu, &decision);
	hand_on(rules, states, &decision);
	move_queues(rules, cpu);
	move_classes(rules, states, cpu);
	cpu->has_keys = cpu->has_switch = cpu->has_cause = cpu->has_yielded = false;
}

/* The picks of schedule() were for the task that runs. */
static void judge_stay(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	struct rule_decision decision = begin_decision(rules, cpu, DECISION_STAY, CAUSE_STAY);

	decision.prev = decision.next =
	    cpu->chain_cpu < states->cpu_count ? states->cpus[cpu->chain_cpu].current : TASK_NONE;
	for (uint32_t i = 0; i < decision.level_count; i++) {
		const struct rule_level *level = &decision.levels[i].level;
		judge_level(rules, &decision, i, level->running == RULE_NONE ? 0 : level->entities[level->running].id);
	}
	hand_on(rules, states, &decision);
	cpu->has_cause = cpu->has_cause && cpu->is_cause_late;
	cpu->is_cause_late = cpu->has_yielded = false;
}

/* The rule picks the woken one; or its slice is shorter than that of the running one (the test is unprotected) and it
 * is eligible: it becomes the next buddy, if there are such. */
static bool should_preempt(const struct rules *rules, const struct pick_level *pick, struct rule_decision *decision)
{
	const uint32_t woken = decision->picked[0];

	if (decision->choices[0].entity == woken)
		return true;
	if (!pick->level.is_unprotected || !rules->traits.pick_buddy)
		return false;
	const struct virtual_time time = virtual_time_of(&rules->traits, &pick->level);
	if (!virtual_time_eligible(&time, pick->level.entities[woken].vruntime))
		return false;
	decision->choices[0] = (struct rule_choice){woken, RULE_NEXT_BUDDY};
	decision->reason = RULE_NEXT_BUDDY;
	return true;
}

/* Another candidate has the same keys as the woken one, and the kernel may pick it as well. */
static bool is_tie(const struct rules *rules, const struct pick_level *pick, uint32_t woken)
{
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (i != woken && rule_fair(&rules->traits, &pick->level, i).entity == i)
			return true;
	return false;
}

static void judge_result(const struct rules *rules, const struct rules_cpu *cpu, const struct pick_level *pick,
			 struct rule_decision *decision)
{
	const bool should = should_preempt(rules, pick, decision);

	if (should == cpu->is_resched || (should && is_tie(rules, pick, decision->picked[0])))
		decision->verdict = VERDICT_EXPLAINED;
	else if (cpu->is_resched && !cpu->is_closed)
		not_judged(decision, GAP_NO_RESULT);
	else
		decision->verdict = VERDICT_BREAKS;
}

/* The test of a wakeup: it asks to reschedule if the rule picks the woken task. Only the last pick counts. */
static void judge_wakeup(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	struct rule_decision decision = begin_decision(rules, cpu, DECISION_WAKEUP, CAUSE_TEST);
	const struct pick_level *pick = &cpu->chain[cpu->chain_count - 1];
	uint64_t woken = 0;

	for (uint32_t i = 0; i < cpu->enqueued.depth; i++)
		if (cpu->enqueued.queues[i] == pick->queue)
			woken = cpu->enqueued.entities[i].id;
	decision.level_count = 1;
	decision.levels = pick;
	decision.prev = cpu->chain_cpu < states->cpu_count ? states->cpus[cpu->chain_cpu].current : TASK_NONE;
	decision.next = task_states_find(states, cpu->enqueued_pid, cpu->chain_cpu);
	decision.preempts = cpu->is_resched;
	judge_level(rules, &decision, 0, woken);
	if (pick->gap == PICK_COMPLETE && decision.picked[0] != RULE_NONE && decision.gap != GAP_EXTENSION &&
	    decision.gap != GAP_FIELD)
		judge_result(rules, cpu, pick, &decision);
	hand_on(rules, states, &decision);
}

/* Another event than a switch follows the picks; NULL: a pick of another caller. */
static void end_chain(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		      const struct sched_event *event)
{
	/* The wakeup's own event is recorded after its test. Without it, an interrupt may have asked to reschedule. */
	cpu->is_closed = event && event->kind == SCHED_WAKEUP && event->wakeup.task.pid == cpu->enqueued_pid;
	check_woken(rules, cpu);
	if (cpu->chain_count) {
		if (knows_caller(rules, CALLER_SCHEDULE, cpu->chain_caller)) {
			judge_stay(rules, states, cpu);
		} else if (cpu->has_enqueue && cpu->enqueued.depth) {
			learn_caller(rules, CALLER_WAKEUP, cpu->chain_caller);
			judge_wakeup(rules, states, cpu);
		}
	}
	cpu->chain_count = 0;
	cpu->chain_is_cut = false;
}

/* Events. */

static void step_pick(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
		      const struct sched_event *event, const struct key_event *keys)
{
	if (cpu->chain_count && cpu->chain_caller != keys->picks.caller)
		end_chain(rules, states, cpu, NULL);
	cpu->is_resched = false; /* the end of a slice, found on the way to the test, is not its result */
	for (uint32_t i = 0; i < cpu->chain_count; i++)
		if (cpu->chain[i].queue == keys->picks.pick.queue)
			cpu->chain_count = i; /* from the start again: a delayed sleeper was picked, and taken out */
	if (cpu->chain_count == CHAIN_MAX) {
		cpu->chain_is_cut = true;
		cpu->chain_count--;
	}
	cpu->chain_ns = event->ts_ns;
	cpu->chain_cpu = keys->cpu;
	cpu->chain_caller = keys->picks.caller;
	queues_pick(&rules->queues, &keys->picks.pick, &cpu->chain[cpu->chain_count]);
	check_placed(rules, cpu, &cpu->chain[cpu->chain_count++]);
	cpu->is_tested = true;
}

static void step_enqueue(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
			 const struct sched_event *event, const struct key_event *keys)
{
	const uint64_t entity = keys->enqueued.task.entities[0].id;
	const uint32_t task = task_states_find(states, keys->enqueued.pid, keys->cpu);

	name_entity(rules, entity, keys->enqueued.pid);
	if (task != TASK_NONE && states->tasks[task].state != TASK_RUNNING)
		place_urgent(rules, states, task, keys->cpu);
	cpu->enqueued_before = known_keys(rules, entity);
	queues_enqueue(&rules->queues, &keys->enqueued.task);
	rules->has_deep_groups = rules->has_deep_groups || key_path_is_cut(&keys->enqueued.task);
	if (keys->enqueued.task.depth && !key_path_is_cut(&keys->enqueued.task))
		find_cpu(rules, keys->cpu)->root_queue = keys->enqueued.task.queues[keys->enqueued.task.depth - 1];
	cpu = find_cpu(rules, event->cpu);
	cpu->has_enqueue = true;
	cpu->is_resched = false;
	cpu->enqueued = keys->enqueued.task;
	cpu->enqueued_pid = keys->enqueued.pid;
	note_wakeup(rules, states, cpu, keys);
}

static void step_resched(struct rules *rules, struct rules_cpu *cpu, const struct key_event *keys)
{
	const enum key_kind kind = cpu->last_kind;
	const uint32_t last_cpu = cpu->last_cpu;

	cpu->is_asked = cpu->is_asked || keys->cpu == cpu->last_cpu;
	cpu->is_resched = cpu->is_resched || (cpu->has_enqueue && cpu->chain_count && keys->cpu == cpu->last_cpu);
	cpu = find_cpu(rules, keys->cpu);
	cpu->is_cause_late = cpu->chain_count > 0;
	if (cpu->has_cause)
		return;
	cpu->has_cause = true;
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
	if (keys->kind == KEY_SWITCH) {
		cpu->keys = *keys;
		cpu->has_keys = true;
		return;
	}
	end_chain(rules, states, cpu, event);
	cpu->has_enqueue = false;
	cpu->last_kind = keys->kind;
	cpu->last_cpu = keys->cpu;
	if (keys->kind == KEY_ENQUEUE)
		step_enqueue(rules, states, cpu, event, keys);
	if (keys->kind == KEY_YIELD)
		find_cpu(rules, keys->cpu)->has_yielded = true;
}

void rules_apply_mark(struct rules *rules, const struct key_mark *mark)
{
	rules->mark = *mark;
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

static void step_migration(struct rules *rules, const struct task_states *states, const struct task_step *step)
{
	if (!(step->changes & STEP_MIGRATION))
		return;
	place_urgent(rules, states, step->migration.task, TASK_NONE);
	queues_leave(&rules->queues, entity_of(rules, states->tasks[step->migration.task].pid));
}

static void step_loss(struct rules *rules)
{
	queues_forget(&rules->queues);
	rules->urgent_count = 0;
	for (uint32_t i = 0; i < rules->cpu_count; i++) {
		rules->cpus[i].chain_count = 0;
		rules->cpus[i].running_queue = 0;
		rules->cpus[i].has_keys = rules->cpus[i].has_switch = rules->cpus[i].has_enqueue = false;
	}
}

static void step_switch(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
			const struct sched_event *event, const struct task_step *step)
{
	rules->switches++;
	cpu->has_switch = true;
	cpu->event = *event;
	cpu->next = task_states_find(states, event->switched.next.pid, event->cpu);
	cpu->prev = task_states_find(states, event->switched.prev.pid, event->cpu);
	cpu->out = step->slice_count ? step->slices[step->slice_count - 1].out : LEAVE_UNKNOWN;
}

void rules_step(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		const struct task_step *step)
{
	const struct task_states *states = &pass->states;
	struct rules_cpu *cpu;
	struct key_event keys;

	if (!rules->keys.is_known)
		return;
	rules->now_ns = pass_since_start(pass, event->ts_ns);
	if (sched_event_is_loss(event)) {
		step_loss(rules);
		return;
	}
	/* Both may make room for CPUs. */
	cpu = find_cpu(rules, event->cpu);
	if (event->kind == SCHED_OTHER_EVENT &&
	    key_events_read(&rules->keys, sched_stream_record(sched_source_stream(pass->run.source)), event->cpu,
			    &keys) != KEY_NONE) {
		find_cpu(rules, keys.cpu);
		cpu = find_cpu(rules, event->cpu);
		step_keys(rules, states, cpu, event, &keys);
		cpu = find_cpu(rules, event->cpu);
	} else if (event->kind == SCHED_SWITCH) {
		step_switch(rules, states, cpu, event, step);
	} else {
		end_chain(rules, states, cpu, event);
		cpu->has_enqueue = false;
		if (event->kind == SCHED_MARK)
			step_mark(rules, event);
		step_migration(rules, states, step);
	}
	if (cpu->has_keys && cpu->has_switch) {
		if (cpu->chain_count)
			learn_caller(rules, CALLER_SCHEDULE, cpu->chain_caller);
		judge_switch(rules, states, cpu);
		cpu->chain_count = 0;
		cpu->has_enqueue = false;
	}
}

void rules_free(struct rules *rules)
{
	for (uint32_t i = 0; i < rules->cpu_count; i++)
		for (int j = 0; j < CHAIN_MAX; j++)
			pick_level_free(&rules->cpus[i].chain[j]);
	free(rules->cpus);
	free(rules->pids);
	free(rules->pid_entities);
	id_map_free(&rules->pid_ids);
	free(rules->urgent);
	id_map_free(&rules->task_ids);
	queues_free(&rules->queues);
	*rules = (struct rules){0};
}
