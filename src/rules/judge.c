/* SPDX-License-Identifier: MIT */
#include "rules/judge.h"

#include "rules/fair.h"
#include "rules/virtual_time.h"

static struct sched_task task_seen(const struct task_states *states, uint32_t task)
{
	return (struct sched_task){
	    .comm = *task_comm(states, task), .pid = states->tasks[task].pid, .prio = states->tasks[task].prio};
}

/* Both are deadline tasks, and both deadlines are known. */
static bool has_earlier_deadline(const struct rules *rules, const struct task_states *states,
				 const struct urgent_task *waiting, const struct sched_task *next)
{
	if (rule_class_of(next) != CLASS_DEADLINE || !waiting->deadline_ns || states->tasks[waiting->task].prio >= 0)
		return false;
	for (size_t i = 0; i < rules->urgent_count; i++)
		if (states->tasks[rules->urgent[i].task].pid == next->pid)
			return rule_difference(waiting->deadline_ns, rules->urgent[i].deadline_ns) < 0 &&
			       rules->urgent[i].deadline_ns;
	return false;
}

/* The task that waits on the CPU and comes before next, or NULL. */
static const struct urgent_task *find_before(const struct rules *rules, const struct task_states *states, uint32_t cpu,
					     const struct sched_task *next)
{
	if (rules->urgent_count > URGENT_MAX)
		return NULL;
	for (size_t i = 0; i < rules->urgent_count; i++) {
		if (rules->urgent[i].cpu != cpu)
			continue;
		const struct sched_task waiting = task_seen(states, rules->urgent[i].task);
		if (rule_class_is_before(&waiting, next) ||
		    has_earlier_deadline(rules, states, &rules->urgent[i], next))
			return &rules->urgent[i];
	}
	return NULL;
}

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

static bool has_older_keys(const struct pick_level *pick, uint32_t entity)
{
	return entity != RULE_NONE && pick->level.entities[entity].is_stale;
}

/* Its keys are older, and the choice may depend on its deadline. */
static bool needs_deadline(const struct pick_level *pick, uint32_t entity)
{
	return entity != pick->proven && has_older_keys(pick, entity);
}

/* One level: what was picked is an index, or RULE_NONE if it is unknown. */
static void judge_level(const struct rules *rules, struct rule_decision *decision, uint32_t i, uint64_t picked)
{
	const struct pick_level *pick = &decision->levels[i];

	decision->picked[i] = pick_level_find(pick, picked);
	decision->choices[i] = pick_level_choice(&rules->traits, pick, picked);
	if (decision->verdict != VERDICT_EXPLAINED)
		return;
	const uint32_t choice = decision->choices[i].entity;
	const bool agrees =
	    pick->gap == PICK_COMPLETE && decision->picked[i] != RULE_NONE && choice == decision->picked[i];
	/* A level without a choice does not say why the task was picked if one above it had a choice. */
	if (agrees && i > 0 && decision->choices[i].reason == RULE_ONLY)
		return;
	decision->level = i;
	decision->reason = decision->choices[i].reason;
	if (pick->gap != PICK_COMPLETE)
		not_judged(decision, gap_of(rules, pick->gap));
	else if (decision->picked[i] == RULE_NONE)
		not_judged(decision, GAP_NOT_FOUND);
	else if (agrees)
		return;
	/* A delayed sleeper, or what the sums alone show and may be one, was picked and taken out, and a buddy then
	 * picked without a recorded pick. */
	else if (!key_events_pick_buddies(&rules->keys) && choice != RULE_NONE &&
		 (pick->level.entities[choice].is_delayed || choice == pick->derived))
		not_judged(decision, GAP_NO_PICK);
	/* The sums prove no deadlines, nor that a group ran before and is protected. */
	else if (lacks_field(rules, pick, decision->picked[i]) || has_older_keys(pick, decision->picked[i]) ||
		 needs_deadline(pick, choice))
		not_judged(decision, GAP_FIELD);
	else
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

	if (rules->lacks_events)
		not_judged(&decision, GAP_LOST);
	else if (rules->has_extension)
		not_judged(&decision, GAP_EXTENSION);
	return decision;
}

static void hand_on(const struct rules *rules, const struct task_states *states, const struct rule_decision *decision)
{
	rules->consumer->decide(rules->consumer->context, states, decision);
}

/* The picks from first on are those of the lowest levels. */
static bool are_lowest(const struct rules_cpu *cpu, uint32_t first)
{
	const struct key_path *next = &cpu->keys.switched.next;

	for (uint32_t i = first; i < cpu->chain_count; i++)
		if (cpu->chain_count - 1 - i >= next->depth ||
		    cpu->chain[i].queue != next->queues[cpu->chain_count - 1 - i])
			return false;
	return true;
}

/* The levels above the recorded picks stay with the groups of the task in groups that ran last, or go to a group in
 * which a task went to sleep: a group's buddy is picked without asking the function that is recorded. */
static bool stays_in_group(const struct rules *rules, const struct rules_cpu *cpu)
{
	const struct key_path *last = &cpu->last_in_group, *next = &cpu->keys.switched.next;

	if (key_path_is_cut(next) || cpu->chain_is_cut || cpu->chain_count == 0 || cpu->chain_count > next->depth ||
	    !are_lowest(cpu, 0))
		return false;
	for (uint32_t i = cpu->chain_count; i < next->depth; i++) {
		bool is_shared = queues_may_be_buddy(&rules->queues, next->entities[i].id);
		for (uint32_t j = 1; j < last->depth; j++)
			is_shared = is_shared || last->entities[j].id == next->entities[i].id;
		if (!is_shared)
			return false;
	}
	return true;
}

/* The levels of a switch to a task of the fair class: each of its queues must have had a pick. */
static void judge_path(const struct rules *rules, const struct rules_cpu *cpu, struct rule_decision *decision)
{
	const struct key_path *next = &cpu->keys.switched.next;

	if (decision->level_count != next->depth && decision->verdict == VERDICT_EXPLAINED &&
	    !stays_in_group(rules, cpu))
		not_judged(decision, next->levels > RULE_DEPTH_MAX || cpu->chain_is_cut ? GAP_GROUPS
				     : key_path_is_cut(next)                            ? GAP_UNSEEN
											: GAP_NO_PICK);
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
	const struct urgent_task *before = find_before(rules, states, decision->cpu, next);

	if (!before) {
		if (class != CLASS_FAIR)
			decision->reason = class == CLASS_IDLE        ? RULE_IDLE
					   : class == CLASS_REAL_TIME ? RULE_HIGHEST_PRIORITY
					   : class == CLASS_DEADLINE  ? RULE_FIRST_DEADLINE
								      : RULE_HIGHER_CLASS;
		if (class == CLASS_IDLE && cpu->root_queue && queues_has_task(&rules->queues, cpu->root_queue)) {
			decision->verdict = VERDICT_BREAKS;
			decision->reason = RULE_HIGHER_CLASS;
		}
		return;
	}
	const struct sched_task waiting = task_seen(states, before->task);
	const bool is_higher = rule_class_of(&waiting) > class;
	if (before->may_be_throttled) {
		not_judged(decision, GAP_THROTTLED);
		return;
	}
	if (is_higher && !rules_fair_is_served(cpu, decision->ts_ns)) {
		not_judged(decision, GAP_THROTTLED);
		return;
	}
	decision->verdict = VERDICT_BREAKS;
	decision->gap = GAP_NONE;
	decision->level_count = 0;
	decision->reason = is_higher                 ? RULE_HIGHER_CLASS
			   : class == CLASS_DEADLINE ? RULE_FIRST_DEADLINE
						     : RULE_HIGHEST_PRIORITY;
	decision->rule_task = before->task;
}

/* The one that the sums alone show is that of this task, which is on the queue. */
static void name_derived(const struct rules *rules, struct rules_cpu *cpu, const struct key_path *task, bool is_older)
{
	for (uint32_t i = 0; i < cpu->chain_count; i++)
		for (uint32_t j = 0; j < task->depth; j++)
			if (cpu->chain[i].derived != RULE_NONE && task->queues[j] == cpu->chain[i].queue &&
			    pick_level_find(&cpu->chain[i], task->entities[j].id) == RULE_NONE)
				pick_level_name(&rules->traits, &cpu->chain[i], &task->entities[j], is_older && j > 0);
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

/* A pick in which the task that now leaves could still stay was an earlier one, with which it stayed. */
static bool is_stale(const struct rules_cpu *cpu, const struct pick_level *pick)
{
	const struct rule_entity *prev = &cpu->keys.switched.prev.entities[0];

	return pick->level.running != RULE_NONE && pick->entities[pick->level.running].id == prev->id && !prev->on_rq;
}

/* All levels of the task that is switched in are known, up to the root's queue. */
static bool is_path_whole(const struct rules_cpu *cpu)
{
	const struct key_path *next = &cpu->keys.switched.next;

	return next->depth && !key_path_is_cut(next) && next->queues[next->depth - 1] == cpu->root_queue;
}

/* Picks before the first of the lowest levels were repeated without being recorded: a group had nothing left to pick,
 * and then a buddy was picked. */
static uint32_t count_repeated(const struct rules_cpu *cpu)
{
	const bool is_short = cpu->chain_count < cpu->keys.switched.next.depth;
	uint32_t first = 0;

	while ((is_short || is_path_whole(cpu)) && first < cpu->chain_count && !are_lowest(cpu, first))
		first++;
	return first < cpu->chain_count ? first : 0;
}

static void drop_stale(struct rules_cpu *cpu)
{
	const uint32_t first = count_repeated(cpu);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < cpu->chain_count; i++) {
		if (i < first || is_stale(cpu, &cpu->chain[i]))
			continue;
		const struct pick_level pick = cpu->chain[i];
		cpu->chain[i] = cpu->chain[kept];
		cpu->chain[kept++] = pick;
	}
	cpu->chain_count = kept;
}

void judge_switch(const struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	drop_stale(cpu);
	struct rule_decision decision = begin_decision(rules, cpu, DECISION_SWITCH, cause_of(cpu));

	if (rule_class_of(&cpu->event.switched.next) != CLASS_FAIR)
		decision.level_count = 0;
	decision.switch_number = rules->switches;
	decision.prev = cpu->prev;
	decision.next = cpu->next;
	name_derived(rules, cpu, &cpu->keys.switched.next, true);
	judge_path(rules, cpu, &decision);
	if (decision_has_rule(&decision))
		judge_class(rules, states, cpu, &decision);
	hand_on(rules, states, &decision);
}

/* If the same task goes on, one runs on each of its queues: picks without one were repeated. Returns how many are left.
 */
static uint32_t drop_repeated(struct rules_cpu *cpu)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < cpu->chain_count; i++)
		if (cpu->chain[i].level.running != RULE_NONE) {
			const struct pick_level pick = cpu->chain[i];
			cpu->chain[i] = cpu->chain[kept];
			cpu->chain[kept++] = pick;
		}
	return cpu->chain_count = kept;
}

void judge_stay(const struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	/* None: it sleeps, and a delayed sleeper was picked and taken out before others were looked for. */
	if (!drop_repeated(cpu))
		return;
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
	const uint32_t woken = decision->picked[0];

	decision->choices[0] = rule_wakeup(&rules->traits, &pick->level, woken);
	decision->reason = decision->choices[0].reason;
	const bool should = decision->choices[0].entity == woken;
	if (should == cpu->is_resched || (should && decision->reason != RULE_NEXT_BUDDY && is_tie(rules, pick, woken)))
		decision->verdict = VERDICT_EXPLAINED;
	else if (cpu->is_resched && !cpu->has_result)
		not_judged(decision, GAP_NO_RESULT);
	else
		decision->verdict = VERDICT_BREAKS;
}

void judge_wakeup(const struct rules *rules, const struct task_states *states, struct rules_cpu *cpu)
{
	name_derived(rules, cpu, &cpu->enqueued, false);
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
	if (pick->gap == PICK_COMPLETE && decision.picked[0] != RULE_NONE && decision_has_rule(&decision) &&
	    decision.gap != GAP_FIELD)
		judge_result(rules, cpu, pick, &decision);
	hand_on(rules, states, &decision);
}

/* Nothing runs on the level, or what runs sleeps. */
static bool is_left(const struct pick_level *pick)
{
	return pick->level.running == RULE_NONE || pick->entities[pick->level.running].is_delayed;
}

void judge_repeat(const struct rules *rules, struct rules_cpu *cpu, uint64_t queue)
{
	uint32_t first = 0;

	while (first < cpu->chain_count && cpu->chain[first].queue != queue)
		first++;
	if (first < cpu->chain_count)
		cpu->chain_is_repeated = false;
	for (uint32_t i = 0; i < cpu->chain_count; i++) {
		if (i >= first || queues_is_inside(&rules->queues, cpu->chain[i].queue, queue))
			cpu->chain_is_repeated = cpu->chain_is_repeated || is_left(&cpu->chain[i]);
		cpu->chain[i].is_outdated = cpu->chain[i].is_outdated || first < cpu->chain_count;
	}
	cpu->chain_count = first;
}
