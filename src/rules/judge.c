/* SPDX-License-Identifier: MIT */
#include "rules/judge.h"

#include "rules/fair.h"
#include "rules/virtual_time.h"

static void not_judged(struct rule_decision *decision, enum decision_gap gap)
{
	decision->verdict = VERDICT_NOT_JUDGED;
	decision->gap = gap;
}

/* Groups whose keys are not recorded are missing among the candidates. */
static enum decision_gap gap_of(const struct judgement *judgement, enum pick_gap gap)
{
	static const enum decision_gap gaps[PICK_GAPS] = {[PICK_COMPLETE] = GAP_NONE,
							  [PICK_NO_SUMS] = GAP_NO_SUMS,
							  [PICK_UNSEEN] = GAP_UNSEEN,
							  [PICK_SUMS_DIFFER] = GAP_SUMS};

	return judgement->machine->has_deep_groups && gap == PICK_SUMS_DIFFER ? GAP_GROUPS : gaps[gap];
}

/* The rule needs what is not recorded: the picked one is not the rule's, and that could be the reason. */
static bool lacks_field(const struct judgement *judgement, const struct pick_level *pick, uint32_t picked)
{
	if (judgement->machine->traits.has_deadline)
		return !judgement->machine->traits.has_protect && picked == pick->level.running;
	return !judgement->machine->traits.has_buddies ||
	       (judgement->machine->traits.wakeup_granularity_ns == 0 &&
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
static void judge_level(const struct judgement *judgement, struct rule_decision *decision, uint32_t i, uint64_t picked)
{
	const struct pick_level *pick = &decision->levels[i];

	decision->picked[i] = pick_level_find(pick, picked);
	decision->choices[i] = pick_level_choice(&judgement->machine->traits, pick, picked);
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
		not_judged(decision, gap_of(judgement, pick->gap));
	else if (decision->picked[i] == RULE_NONE)
		not_judged(decision, GAP_NOT_FOUND);
	else if (agrees)
		return;
	/* A delayed sleeper, or what the sums alone show and may be one, was picked and taken out, and a buddy then
	 * picked without a recorded pick. */
	else if (!key_events_pick_buddies(judgement->machine->keys) && choice != RULE_NONE &&
		 (pick->level.entities[choice].is_delayed || choice == pick->derived))
		not_judged(decision, GAP_NO_PICK);
	/* The sums prove no deadlines, nor that a group ran before and is protected. */
	else if (lacks_field(judgement, pick, decision->picked[i]) || has_older_keys(pick, decision->picked[i]) ||
		 needs_deadline(pick, choice))
		not_judged(decision, GAP_FIELD);
	else
		decision->verdict = VERDICT_BREAKS;
}

static struct rule_decision begin_decision(const struct judgement *judgement, const struct pick_chain *chain,
					   enum decision_kind kind, enum decision_cause cause)
{
	struct rule_decision decision = {.kind = kind,
					 .cause = cause,
					 .verdict = VERDICT_EXPLAINED,
					 .ts_ns = chain->ts_ns,
					 .cpu = chain->cpu,
					 .prev = TASK_NONE,
					 .next = TASK_NONE,
					 .rule_task = TASK_NONE,
					 .level_count = chain->count,
					 .levels = chain->levels};

	if (judgement->lacks_events)
		not_judged(&decision, GAP_LOST);
	else if (judgement->machine->has_extension)
		not_judged(&decision, GAP_EXTENSION);
	return decision;
}

static void hand_on(const struct judgement *judgement, const struct rule_decision *decision)
{
	judgement->consumer->decide(judgement->consumer->context, judgement->states, decision);
}

/* The picks from first on are those of the lowest levels. */
static bool are_lowest(const struct pick_chain *chain, const struct key_path *next, uint32_t first)
{
	for (uint32_t i = first; i < chain->count; i++)
		if (chain->count - 1 - i >= next->depth || chain->levels[i].queue != next->queues[chain->count - 1 - i])
			return false;
	return true;
}

/* The levels above the recorded picks stay with the groups of the task in groups that ran last, or go to a group in
 * which a task went to sleep: a group's buddy is picked without asking the function that is recorded. */
static bool stays_in_group(const struct judgement *judgement, const struct pick_chain *chain,
			   const struct key_path *next)
{
	const struct key_path *last = judgement->last_in_group;

	if (key_path_is_cut(next) || chain->is_cut || chain->count == 0 || chain->count > next->depth ||
	    !are_lowest(chain, next, 0))
		return false;
	for (uint32_t i = chain->count; i < next->depth; i++) {
		bool is_shared = queues_may_be_buddy(&judgement->machine->queues, next->entities[i].id);
		for (uint32_t j = 1; j < last->depth; j++)
			is_shared = is_shared || last->entities[j].id == next->entities[i].id;
		if (!is_shared)
			return false;
	}
	return true;
}

/* The levels of a switch to a task of the fair class: each of its queues must have had a pick. */
static void judge_path(const struct judgement *judgement, const struct pick_chain *chain, const struct key_path *next,
		       struct rule_decision *decision)
{
	if (decision->level_count != next->depth && decision->verdict == VERDICT_EXPLAINED &&
	    !stays_in_group(judgement, chain, next))
		not_judged(decision, next->levels > RULE_DEPTH_MAX || chain->is_cut ? GAP_GROUPS
				     : key_path_is_cut(next)                        ? GAP_UNSEEN
										    : GAP_NO_PICK);
	for (uint32_t i = 0; i < decision->level_count; i++) {
		uint64_t picked = 0;
		for (uint32_t j = 0; j < next->depth; j++)
			if (next->queues[j] == decision->levels[i].queue)
				picked = next->entities[j].id;
		if (!picked && decision->verdict == VERDICT_EXPLAINED)
			not_judged(decision, GAP_NO_PICK);
		judge_level(judgement, decision, i, picked);
	}
}

/* --- Classes --- */

/* Servers of the deadline class are counted with its tasks: one for the fair class, one for sched_ext. */
#define SERVERS_MAX 2
/* A server can only be on the queue when the tasks that it serves have waited for nearly a second. */
#define SERVER_WAITS_NS UINT64_C(500000000)

/* The task of this class that waits on the CPU and comes before next, or TASK_NONE; and how many of the class wait. */
static uint32_t find_before(const struct judgement *judgement, uint32_t cpu, const struct switch_sight *sight,
			    enum rule_class class, uint32_t *waiting)
{
	const struct sched_task *next = &sight->event->switched.next;
	const struct machine_task *own = machine_task_of(judgement->machine, next->pid);
	uint32_t found = TASK_NONE;

	*waiting = 0;
	for (uint32_t i = cpu < judgement->states->cpu_count ? judgement->states->cpus[cpu].runnable_first : TASK_NONE;
	     i != TASK_NONE; i = judgement->states->tasks[i].next) {
		const struct task *task = &judgement->states->tasks[i];
		const struct machine_task *known = machine_task_of(judgement->machine, task->pid);
		const struct sched_task text = {*task_comm(judgement->states, i), task->pid, task->prio};
		if (task->pid == next->pid || rule_class_of(&text) != class)
			continue;
		++*waiting;
		/* The deadline of one that has just run may be another one. */
		const bool has_run = class == CLASS_DEADLINE && task->pid == sight->event->switched.prev.pid;
		if (!known || has_run || !machine_knows_prio(judgement->machine, task))
			continue;
		if (class == CLASS_REAL_TIME ? task->prio < next->prio
					     : own && own->deadline_ns && known->deadline_ns &&
						   rule_difference(known->deadline_ns, own->deadline_ns) < 0)
			found = i;
	}
	return found;
}

static bool may_be_served(const struct machine_cpu *cpu, const struct key_event *keys, uint64_t now_ns)
{
	return keys->switched.has_server && cpu->higher_since_ns && now_ns - cpu->higher_since_ns > SERVER_WAITS_NS;
}

/* The reason why another class, or another task of the class, comes first; RULE_EMPTY if none is known to. */
static enum rule_reason find_higher(const struct judgement *judgement, uint32_t cpu, const struct switch_sight *sight,
				    uint32_t *task)
{
	const struct sched_task *next = &sight->event->switched.next;
	const struct key_event *keys = &sight->keys;
	const enum rule_class class = rule_class_of(next);
	const uint32_t servers = keys->switched.has_server ? SERVERS_MAX : 0;
	uint32_t waiting;

	*task = TASK_NONE;
	if (!keys->switched.has_class_counts || class == CLASS_STOP || keys->switched.is_served)
		return RULE_EMPTY;
	if (class < CLASS_DEADLINE && keys->switched.deadline_count > servers)
		return RULE_HIGHER_CLASS;
	if (class < CLASS_REAL_TIME)
		return keys->switched.real_time_count && !keys->switched.is_real_time_throttled ? RULE_HIGHER_CLASS
												: RULE_EMPTY;
	const uint32_t count =
	    class == CLASS_REAL_TIME ? keys->switched.real_time_count : keys->switched.deadline_count;
	*task = find_before(judgement, cpu, sight, class, &waiting);
	/* All of them are on the queue: none is throttled. */
	if (*task == TASK_NONE || count < waiting + 1 ||
	    (class == CLASS_DEADLINE &&
	     may_be_served(&judgement->machine->cpus[cpu], keys, judgement->machine->now_ns)))
		return RULE_EMPTY;
	return class == CLASS_REAL_TIME ? RULE_HIGHEST_PRIORITY : RULE_FIRST_DEADLINE;
}

static void judge_class(const struct judgement *judgement, const struct switch_sight *sight,
			struct rule_decision *decision)
{
	static const enum rule_reason reasons[CLASSES] = {[CLASS_IDLE] = RULE_IDLE,
							  [CLASS_REAL_TIME] = RULE_HIGHEST_PRIORITY,
							  [CLASS_DEADLINE] = RULE_FIRST_DEADLINE,
							  [CLASS_STOP] = RULE_HIGHER_CLASS};
	const enum rule_class class = rule_class_of(&sight->event->switched.next);
	const enum rule_reason higher = find_higher(judgement, decision->cpu, sight, &decision->rule_task);

	decision->is_idle = class == CLASS_IDLE;
	if (class != CLASS_FAIR)
		decision->reason = reasons[class];
	/* It idles, and the kernel itself counts tasks on its queues. */
	if (higher == RULE_EMPTY &&
	    !(class == CLASS_IDLE && sight->keys.switched.has_count && sight->keys.switched.count))
		return;
	decision->is_idle = higher == RULE_EMPTY;
	decision->verdict = VERDICT_BREAKS;
	decision->gap = GAP_NONE;
	decision->level_count = 0;
	decision->reason = higher == RULE_EMPTY ? RULE_HIGHER_CLASS : higher;
}

/* --- Switches --- */

/* The one that the sums alone show is that of this task, which is on the queue. */
static void name_derived(const struct judgement *judgement, struct pick_chain *chain, const struct key_path *task,
			 bool is_older)
{
	for (uint32_t i = 0; i < chain->count; i++)
		for (uint32_t j = 0; j < task->depth; j++)
			if (chain->levels[i].derived != RULE_NONE && task->queues[j] == chain->levels[i].queue &&
			    pick_level_find(&chain->levels[i], task->entities[j].id) == RULE_NONE)
				pick_level_name(&judgement->machine->traits, &chain->levels[i], &task->entities[j],
						is_older && j > 0);
}

static enum decision_cause cause_of(const struct machine_cpu *cpu, const struct switch_sight *sight)
{
	if (rule_class_of(&sight->event->switched.prev) != CLASS_FAIR)
		return CAUSE_IDLE;
	if (sight->out == LEAVE_DEAD)
		return CAUSE_EXIT;
	if (!leave_reason_is_runnable(sight->out))
		return CAUSE_BLOCK;
	if (cpu->is_yielding)
		return CAUSE_YIELD;
	return cpu->is_asked ? cpu->cause : CAUSE_OTHER;
}

/* A pick in which the task that now leaves could still stay was an earlier one, with which it stayed. */
static bool is_stale(const struct switch_sight *sight, const struct pick_level *pick)
{
	const struct rule_entity *prev = &sight->keys.switched.prev.entities[0];

	return pick->level.running != RULE_NONE && pick->entities[pick->level.running].id == prev->id && !prev->on_rq;
}

/* Picks before the first of the lowest levels were repeated without being recorded: a group had nothing left to pick,
 * and then a buddy was picked. */
static uint32_t count_repeated(const struct judgement *judgement, const struct pick_chain *chain,
			       const struct key_path *next)
{
	/* All levels of the task that is switched in are known, up to the root's queue. */
	const bool is_whole = next->depth && !key_path_is_cut(next) &&
			      next->queues[next->depth - 1] == judgement->machine->cpus[chain->cpu].root_queue;
	uint32_t first = 0;

	while ((chain->count < next->depth || is_whole) && first < chain->count && !are_lowest(chain, next, first))
		first++;
	return first < chain->count ? first : 0;
}

/* Keeps a pick: levels own memory, so that they are exchanged. */
static void keep_pick(struct pick_chain *chain, uint32_t at, uint32_t *kept)
{
	const struct pick_level pick = chain->levels[at];

	chain->levels[at] = chain->levels[*kept];
	chain->levels[(*kept)++] = pick;
}

static void drop_stale(const struct judgement *judgement, struct pick_chain *chain, const struct switch_sight *sight)
{
	const uint32_t first = count_repeated(judgement, chain, &sight->keys.switched.next);
	uint32_t kept = 0;

	for (uint32_t i = first; i < chain->count; i++)
		if (!is_stale(sight, &chain->levels[i]))
			keep_pick(chain, i, &kept);
	chain->count = kept;
}

void judge_switch(const struct judgement *judgement, struct pick_chain *chain, const struct switch_sight *sight)
{
	const struct key_path *next = &sight->keys.switched.next;

	drop_stale(judgement, chain, sight);
	struct rule_decision decision =
	    begin_decision(judgement, chain, DECISION_SWITCH, cause_of(&judgement->machine->cpus[chain->cpu], sight));

	if (rule_class_of(&sight->event->switched.next) != CLASS_FAIR)
		decision.level_count = 0;
	decision.switch_number = judgement->switches;
	decision.prev = sight->prev;
	decision.next = sight->next;
	name_derived(judgement, chain, next, true);
	judge_path(judgement, chain, next, &decision);
	if (decision_has_rule(&decision))
		judge_class(judgement, sight, &decision);
	hand_on(judgement, &decision);
}

static uint32_t running_on(const struct task_states *states, uint32_t cpu)
{
	return cpu < states->cpu_count ? states->cpus[cpu].current : TASK_NONE;
}

/* If the same task goes on, one runs on each of its queues: picks without one were repeated. */
static void drop_repeated(struct pick_chain *chain)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < chain->count; i++)
		if (chain->levels[i].level.running != RULE_NONE)
			keep_pick(chain, i, &kept);
	chain->count = kept;
}

void judge_stay(const struct judgement *judgement, struct pick_chain *chain)
{
	drop_repeated(chain);
	/* It sleeps, and a delayed sleeper was picked and taken out before others were looked for. */
	if (!chain->count)
		return;
	struct rule_decision decision = begin_decision(judgement, chain, DECISION_STAY, CAUSE_STAY);

	decision.prev = decision.next = running_on(judgement->states, chain->cpu);
	for (uint32_t i = 0; i < decision.level_count; i++) {
		const struct rule_level *level = &decision.levels[i].level;
		judge_level(judgement, &decision, i, level->entities[level->running].id);
	}
	hand_on(judgement, &decision);
}

/* --- Tests of wakeups --- */

/* Another candidate has the same keys as the woken one, and the kernel may pick it as well. */
static bool is_tie(const struct judgement *judgement, const struct pick_level *pick, uint32_t woken)
{
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (i != woken && rule_fair(&judgement->machine->traits, &pick->level, i).entity == i)
			return true;
	return false;
}

static bool has_any_older_keys(const struct pick_level *pick)
{
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (pick->level.entities[i].is_stale)
			return true;
	return false;
}

static void judge_result(const struct judgement *judgement, const struct wakeup *wakeup, const struct pick_level *pick,
			 struct rule_decision *decision)
{
	const uint32_t woken = decision->picked[0];

	decision->choices[0] = rule_wakeup(&judgement->machine->traits, &pick->level, woken);
	decision->reason = decision->choices[0].reason;
	const bool should = decision->choices[0].entity == woken;
	if (should == wakeup->is_resched ||
	    (should && decision->reason != RULE_NEXT_BUDDY && is_tie(judgement, pick, woken)))
		decision->verdict = VERDICT_EXPLAINED;
	else if (wakeup->is_resched && !wakeup->has_result)
		not_judged(decision, GAP_NO_RESULT);
	else if (pick->level.entities[woken].is_delayed) /* moved: kernels take it from its queue, or preempt for it */
		not_judged(decision, GAP_NO_RESULT);
	else if (has_any_older_keys(pick))
		not_judged(decision, GAP_FIELD);
	else
		decision->verdict = VERDICT_BREAKS;
}

void judge_wakeup(const struct judgement *judgement, struct pick_chain *chain, const struct wakeup *wakeup)
{
	const struct key_path *task = &wakeup->event.enqueued.task;
	const struct pick_level *pick = &chain->levels[chain->count - 1];
	uint64_t woken = 0;

	name_derived(judgement, chain, task, false);
	struct rule_decision decision = begin_decision(judgement, chain, DECISION_WAKEUP, CAUSE_TEST);
	for (uint32_t i = 0; i < task->depth; i++)
		if (task->queues[i] == pick->queue)
			woken = task->entities[i].id;
	decision.level_count = 1;
	decision.levels = pick;
	decision.prev = running_on(judgement->states, chain->cpu);
	decision.next = task_states_find(judgement->states, wakeup->event.enqueued.pid, chain->cpu);
	decision.preempts = wakeup->is_resched;
	judge_level(judgement, &decision, 0, woken);
	if (pick->gap == PICK_COMPLETE && decision.picked[0] != RULE_NONE && decision_has_rule(&decision) &&
	    decision.gap != GAP_FIELD)
		judge_result(judgement, wakeup, pick, &decision);
	hand_on(judgement, &decision);
}

/* Nothing runs on the level, or what runs sleeps. */
static bool is_left(const struct pick_level *pick)
{
	return pick->level.running == RULE_NONE || pick->entities[pick->level.running].is_delayed;
}

/* A group on the way was throttled, so that others were looked for from the root on: perhaps buddies, whose picks are
 * not recorded. */
static bool begins_anew(const struct pick_chain *chain, uint64_t queue)
{
	return chain->throttled && chain->throttled != queue;
}

void judge_repeat(const struct queues *queues, struct pick_chain *chain, uint64_t queue)
{
	uint32_t first = 0;

	while (!begins_anew(chain, queue) && first < chain->count && chain->levels[first].queue != queue)
		first++;
	chain->throttled = 0;
	if (first < chain->count)
		chain->is_repeated = false;
	for (uint32_t i = 0; i < chain->count; i++) {
		if (i >= first || queues_is_inside(queues, chain->levels[i].queue, queue))
			chain->is_repeated = chain->is_repeated || is_left(&chain->levels[i]);
		chain->levels[i].is_outdated = chain->levels[i].is_outdated || first < chain->count;
	}
	chain->count = first;
}
