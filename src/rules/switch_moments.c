/* SPDX-License-Identifier: MIT */
#include "rules/switch_moments.h"

#include "rules/class.h"
#include "rules/virtual_time.h"

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

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
	rules_check(rules, &moment, rules->now_ns, cpu->event.cpu, pid);
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

void switch_check_out(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
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
	rules_check(rules, &moment, rules->now_ns, cpu->event.cpu, out->pid);
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

void switch_check_in(struct rules *rules, const struct task_states *states, struct rules_cpu *cpu,
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
	rules_check(rules, &moment, rules->now_ns, cpu->event.cpu, in->pid);
	if (!is_urgent || !cpu->higher_since_ns)
		cpu->higher_since_ns = is_urgent ? now_ns : 0;
	if (is_urgent || !cpu->lower_since_ns)
		cpu->lower_since_ns = is_urgent ? 0 : now_ns;
}

struct rule_entity switch_find_lone(const struct rules_cpu *cpu)
{
	const struct key_path *prev = &cpu->keys.switched.prev, *next = &cpu->keys.switched.next;
	struct rule_entity group = {0};
	bool is_lone = false;

	for (uint32_t i = 0; i < cpu->chain_count && next->depth > 1; i++) {
		const struct pick_level *pick = &cpu->chain[i];
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
		group = (struct rule_entity){.id = next->entities[1].id, .weight = cpu->lone.weight};
	return is_lone && !group.is_stale ? group : (struct rule_entity){0};
}
