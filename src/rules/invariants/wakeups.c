/* SPDX-License-Identifier: MIT
 *
 * Whether a wakeup preempts what runs, and what the tick and a shorter slice end: the requests to reschedule that the
 * fair class makes, and those that it must make. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

/* A wakeup of a fair task while another one runs. */
struct test {
	struct rule_entity task, running;
	int32_t pid;
	uint64_t since_ns;
	bool is_same_queue, was_asked, is_asked, is_tested;
};

struct wakeups_cpu {
	/* The latest wakeup has asked nothing. The kernel tests nothing if a reschedule is pending, and not all
	 * requests are recorded (RCU's are not): it is judged when the task still runs at the next request or tick. */
	bool is_pending;
	struct test pending;
	/* The entity of SCHED_IDLE that a wakeup preempts, until the next pick of schedule(); 0: none. */
	uint64_t gives_way, gives_way_weight, gives_way_to;
	bool is_asked_anew; /* its CPU has been asked to reschedule since, by neither a wakeup nor the tick */
	uint64_t latest;    /* the entity that was put on its queue last since the running task began */
	/* The request to reschedule is of the tick; and what the picks have shown since then. */
	bool is_of_tick;
	bool is_proven, has_rival, has_used, has_lost;
};

static const struct wakeups_cpu *cpu_of(const struct family_state *state, const struct sight *sight)
{
	return state_of_cpu(state, sight->cpu);
}

static struct test test_of(const struct wakeup *wakeup, uint64_t now_ns)
{
	return (struct test){.task = wakeup->event.enqueued.task.entities[0],
			     .running = wakeup->running,
			     .pid = wakeup->event.enqueued.pid,
			     .since_ns = now_ns,
			     .is_same_queue = wakeup->is_same_queue,
			     .was_asked = wakeup->was_asked,
			     .is_asked = wakeup->is_asked,
			     .is_tested = wakeup->is_tested};
}

/* The wakeup that is judged now; false if there is none. */
static bool find_test(const struct sight *sight, const struct family_state *state, struct test *test,
		      struct evidence *evidence)
{
	if (sight->kind == SEEN_WOKEN) {
		*test = test_of(sight->wakeup, sight->machine->now_ns);
		return sight->wakeup->event.enqueued.task.depth;
	}
	if (!cpu_of(state, sight)->is_pending)
		return false;
	*test = cpu_of(state, sight)->pending;
	evidence->pid = test->pid;
	evidence->since_ns = test->since_ns;
	return true;
}

/* A normal task is woken while another fair one runs that was not asked to reschedule yet. */
static bool needs_test(const struct sight *sight, const struct test *test)
{
	return has_keys(&test->running) && test->running.id != test->task.id && !test->was_asked &&
	       test->task.policy == POLICY_NORMAL && !may_be_idle_policy(test->running.policy) &&
	       !lacks_feature(sight, FEATURE_WAKEUP_PREEMPTION);
}

/* A request that is missing may have been pending: judge it later. */
static bool is_certain(const struct sight *sight, const struct test *test, bool holds)
{
	return holds || test->is_asked || sight->kind != SEEN_WOKEN;
}

static enum invariant_result check_tested(const struct sight *sight, const struct family_state *state,
					  struct evidence *evidence)
{
	struct test test;

	if (!is_eevdf(sight) || !find_test(sight, state, &test, evidence) || !needs_test(sight, &test))
		return INVARIANT_NOT_JUDGED;
	/* Without NEXT_BUDDY a request needs the test too, except that of a group of SCHED_IDLE to give way. */
	if (test.is_asked && !test.is_tested && (!has_feature(sight, FEATURE_NO_NEXT_BUDDY) || !test.is_same_queue))
		return INVARIANT_HOLDS;
	return is_certain(sight, &test, test.is_tested) ? holds_if(test.is_tested) : INVARIANT_NOT_JUDGED;
}

static enum invariant_result check_preempts(const struct sight *sight, const struct family_state *state,
					    struct evidence *evidence)
{
	const uint64_t granularity_ns = sight->machine->mark.wakeup_granularity_ns;
	struct test test;

	if (is_eevdf(sight) || !granularity_ns || !find_test(sight, state, &test, evidence) || !test.is_same_queue ||
	    !needs_test(sight, &test))
		return INVARIANT_NOT_JUDGED;
	const int64_t behind = rule_difference(test.running.vruntime, test.task.vruntime);
	const int64_t granularity = (int64_t)virtual_granularity(granularity_ns, test.task.weight);
	const bool should = behind > granularity;
	if (is_within(behind, granularity, ROUNDING_NS - 1) || !is_certain(sight, &test, test.is_asked == should))
		return INVARIANT_NOT_JUDGED;
	const char *what = test.is_asked ? "vruntime of the running task, preempted, after that of the woken one"
					 : "vruntime of the running task, not preempted, after that of the woken one";
	return test.is_asked ? expect_min(evidence, what, UNIT_VIRTUAL_NS, behind, granularity)
			     : expect_max(evidence, what, UNIT_VIRTUAL_NS, behind, granularity);
}

static enum invariant_result check_buddy(const struct sight *sight, const struct family_state *state,
					 struct evidence *evidence)
{
	const struct switch_sight *at = sight->switched;

	(void)evidence;
	if (!at->keys.switched.next.depth || at->keys.switched.next.entities[0].id != cpu_of(state, sight)->latest ||
	    !sight_cpu(sight)->began_ns || !at->knows_schedule || key_events_pick_buddies(sight->machine->keys) ||
	    !has_feature(sight, FEATURE_NO_NEXT_BUDDY))
		return INVARIANT_NOT_JUDGED;
	return holds_if(at->has_leaf_pick);
}

static enum invariant_result check_short_slice(const struct sight *sight, const struct family_state *state,
					       struct evidence *evidence)
{
	const struct pick_level *pick = sight->pick->level;

	(void)state;
	(void)evidence;
	if (!sight->pick->is_placed || !has_feature(sight, FEATURE_PREEMPT_SHORT) || pick->gap != PICK_COMPLETE)
		return INVARIANT_NOT_JUDGED;
	const uint32_t placed = pick_level_find(pick, enqueued_task(sight)->id), at = pick->level.running;
	if (placed == RULE_NONE || at == RULE_NONE || placed == at)
		return INVARIANT_NOT_JUDGED;
	const struct rule_entity *woken = &pick->level.entities[placed], *running = &pick->level.entities[at];
	const struct virtual_time time = virtual_time_of(&sight->machine->traits, &pick->level);
	if (!running->slice || !woken->slice || woken->slice >= running->slice || woken->policy != POLICY_NORMAL ||
	    may_be_idle_policy(running->policy) || !virtual_time_eligible(&time, woken->vruntime) ||
	    (rule_difference(woken->deadline, running->deadline) >= 0 &&
	     virtual_time_eligible(&time, running->vruntime)) ||
	    !has_keys(&sight->pick->running_before))
		return INVARIANT_NOT_JUDGED;
	return holds_if(pick->level.is_unprotected || !rule_is_protected(&sight->machine->traits, running));
}

/* The running task of SCHED_IDLE must give way to the woken one. */
static bool must_give_way(const struct sight *sight, const struct test *test)
{
	return has_keys(&test->running) && test->is_same_queue && !test->was_asked &&
	       test->running.policy == POLICY_IDLE && test->task.policy != POLICY_IDLE &&
	       !lacks_feature(sight, FEATURE_WAKEUP_PREEMPTION);
}

static enum invariant_result check_gives_way(const struct sight *sight, const struct family_state *state,
					     struct evidence *evidence)
{
	const struct wakeups_cpu *cpu = cpu_of(state, sight);
	struct test test;

	if (sight->kind == SEEN_WOKEN)
		return find_test(sight, state, &test, evidence) && must_give_way(sight, &test) ? holds_if(test.is_asked)
											       : INVARIANT_NOT_JUDGED;
	const struct rule_entity *running = sight->pick->running;
	/* With its share of its group the protection changes too. */
	if (!running || !is_eevdf(sight) || !sight->pick->is_schedule || cpu->gives_way != running->id ||
	    cpu->gives_way_weight != running->weight || sight->pick->runs_anew ||
	    queues_home(&sight->machine->queues, cpu->gives_way_to) != sight->pick->level->queue ||
	    !has_keys(&sight->pick->running_before))
		return INVARIANT_NOT_JUDGED;
	const bool is_protected = rule_is_protected(&sight->machine->traits, running);
	/* A change of a running task, as at its exit (sched_move_task()), takes it from its queue and sets it to run
	 * again. Kernels without bcd74b2ffdd0 protect it anew by that. update_curr() or the change itself asks then. */
	return is_protected && cpu->is_asked_anew ? INVARIANT_NOT_JUDGED : holds_if(!is_protected);
}

/* The picks since the request, with this one. */
static struct wakeups_cpu with_pick(const struct wakeups_cpu *before, const struct sight *sight)
{
	const struct pick_level *pick = sight->pick->level;
	const struct rule_entity *running = sight->pick->running;
	struct wakeups_cpu cpu = *before;

	cpu.is_proven = cpu.is_proven && pick->gap == PICK_COMPLETE && running;
	if (running && pick->level.count > 1) {
		cpu.has_rival = true;
		cpu.has_used =
		    cpu.has_used || sight->pick->runs_anew || !rule_is_protected(&sight->machine->traits, running);
	}
	return cpu;
}

static enum invariant_result check_tick(const struct sight *sight, const struct family_state *state,
					struct evidence *evidence)
{
	const struct machine *machine = sight->machine;
	const struct rule_entity *running = sight->pick->running;

	(void)evidence;
	/* HRTICK is a tick as well. */
	if (!running || !sight->pick->is_schedule || machine->traits.has_vprot ||
	    !has_feature(sight, FEATURE_NO_HRTICK))
		return INVARIANT_NOT_JUDGED;
	const struct wakeups_cpu cpu = with_pick(cpu_of(state, sight), sight);
	const uint64_t queue = sight->pick->level->queue;
	/* If tasks of higher classes wait, the fair server asks too, and so does a quota that is used up. A task that
	 * is alone on all of its queues may have been asked for one that was pulled since. */
	if (!machine_pid_of(machine, running->id) || !cpu.is_proven || !sight_cpu(sight)->is_asked || !cpu.is_of_tick ||
	    !cpu.has_rival || cpu.has_lost || queue == sight_cpu(sight)->root_queue || sight_cpu(sight)->has_higher ||
	    queues_has_quota(&machine->queues, queue) || machine_urgent_waits(machine, sight->states, sight->cpu) ||
	    !machine_is_same_since(machine, sight_cpu(sight)->pid, sight_cpu(sight)->began_ns))
		return INVARIANT_NOT_JUDGED;
	return holds_if(cpu.has_used);
}

static enum invariant_result check_woken(const struct sight *sight, const struct family_state *state,
					 struct evidence *evidence)
{
	const struct rule_entity *before = &sight->switched->next_before;

	(void)state;
	(void)evidence;
	if (!sight->switched->keys.switched.next.depth || !has_keys(before))
		return INVARIANT_NOT_JUDGED;
	return holds_if(before->on_rq && !before->is_delayed);
}

/* --- What is followed --- */

static void note_woken(struct wakeups_cpu *cpu, const struct sight *sight)
{
	const struct test test = test_of(sight->wakeup, sight->machine->now_ns);

	if (!sight->wakeup->event.enqueued.task.depth)
		return;
	if (must_give_way(sight, &test) && test.is_asked) {
		cpu->gives_way = test.running.id;
		cpu->gives_way_weight = test.running.weight;
		cpu->gives_way_to = test.task.id;
		cpu->is_asked_anew = false;
	}
	if (!test.is_asked && !test.is_tested && !test.was_asked && !cpu->is_pending) {
		cpu->is_pending = true;
		cpu->pending = test;
	}
}

static void note_asked(struct wakeups_cpu *cpu, const struct sight *sight)
{
	const bool is_of_tick = sight->cause == CAUSE_TICK;
	const bool is_of_wakeup = sight->wakeup && sight->wakeup->event.cpu == sight->cpu;

	cpu->is_pending = false;
	cpu->is_asked_anew = cpu->is_asked_anew || (!is_of_wakeup && !is_of_tick);
	if (sight_cpu(sight)->is_asked)
		return;
	cpu->is_of_tick = is_of_tick;
	cpu->is_proven = true;
	cpu->has_rival = cpu->has_used = cpu->has_lost = false;
}

static void note_pick(struct wakeups_cpu *cpu, const struct sight *sight)
{
	*cpu = with_pick(cpu, sight);
	if (!sight->pick->is_schedule || !sight->pick->running ||
	    !machine_pid_of(sight->machine, sight->pick->running->id))
		return;
	cpu->gives_way = 0;
	cpu->is_pending = false;
}

static void note(struct family_state *state, const struct sight *sight)
{
	struct wakeups_cpu *cpu = state_of_cpu(state, sight->cpu), *other;

	if (sight->kind == SEEN_SWITCH)
		*cpu = (struct wakeups_cpu){.latest = 0};
	else if (sight->kind == SEEN_ENQUEUE && sight->wakeup->event.enqueued.task.depth)
		cpu->latest = enqueued_task(sight)->id;
	else if (sight->kind == SEEN_WOKEN)
		note_woken(cpu, sight);
	else if (sight->kind == SEEN_ASKED)
		note_asked(cpu, sight);
	else if (sight->kind == SEEN_TICK)
		cpu->is_pending = false;
	else if (sight->kind == SEEN_PICK)
		note_pick(cpu, sight);

	for (uint32_t i = 0; i < sight->machine->cpu_count; i++) {
		other = state_of_cpu(state, i);
		if (sight->kind == SEEN_MIGRATION && sight->step->migration.from_cpu == i)
			other->has_lost = true;
		if (sight->kind == SEEN_CHANGE) /* of the task that runs there, perhaps */
			other->gives_way = other->is_pending = 0;
	}
}

static const struct invariant_row rows[] = {
    {"wakeup_tested", "a wakeup asks whether it preempts", "test at wakeup", FAIR_C "check_preempt_wakeup_fair",
     "EEVDF", "keys_enqueue.prio keys_resched.cpu", SEEN_WOKEN | SEEN_ASKED | SEEN_TICK, STOPS_NONE, check_tested},
    {"wakeup_preempts", "a wakeup preempts beyond the granularity, and only then", "preemption at wakeup",
     "kernel/sched/fair.c before 6.6, wakeup_preempt_entity", "CFS", "keys_enqueue.curr_vruntime keys_resched.cpu",
     SEEN_WOKEN | SEEN_ASKED | SEEN_TICK, STOPS_NONE, check_preempts},
    {"buddy_asked", "a woken task is picked by its keys, not as a buddy", "buddies", FAIR_C "pick_next_entity",
     "EEVDF to 6.18 without NEXT_BUDDY", "", SEEN_IN, STOPS_NONE, check_buddy},
    {"short_slice_preempts", "a woken task with a shorter slice ends the protection", "short slices",
     FAIR_C "do_preempt_short", "EEVDF with PREEMPT_SHORT", "keys_enqueue.slice", SEEN_PICK, STOPS_NONE,
     check_short_slice},
    {"idle_policy_gives_way", "a task of SCHED_IDLE gives way to a woken one of another policy", "SCHED_IDLE gives way",
     FAIR_C "check_preempt_wakeup_fair", "CFS, EEVDF", "keys_enqueue.policy keys_switch.next_policy keys_resched.cpu",
     SEEN_WOKEN | SEEN_PICK, STOPS_NONE, check_gives_way},
    {"tick_ends_slice", "the tick preempts a task that has used its slice and shares its queue",
     "preemption by the tick", FAIR_C "update_curr", "EEVDF to 6.16 with a queue per group",
     "keys_tick.cpu keys_resched.cpu keys_pick.curr_vlag", SEEN_PICK, STOPS_NONE, check_tick},
    {"woken_before_run", "a task that slept was woken before it runs", "woken before run", CORE_C "try_to_wake_up",
     "CFS, EEVDF", "keys_switch.prev_on_rq", SEEN_IN, STOPS_NONE, check_woken},
};

const struct invariant_family wakeups_family = {ROWS_OF(rows), .cpu_size = sizeof(struct wakeups_cpu), .note = note};
