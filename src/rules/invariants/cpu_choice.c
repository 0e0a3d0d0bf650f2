/* SPDX-License-Identifier: MIT
 *
 * The CPU of a task: the one that a wakeup chooses for it (placement.h), and that it runs where it may. A wakeup is
 * judged when it is known what was on its way: an interrupt from one CPU to another, and a switch that had begun. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

#include <string.h>

#include "rules/placement.h"

#define NS_PER_S          UINT64_C(1000000000)
#define PLACEMENT_WAIT_NS UINT64_C(300000)
/* More at a time are not judged. */
#define PLACEMENTS_MAX 16

/* How often a task had woken another one than before, at its last wakeup; and tasks that it woke since. */
struct waker {
	uint64_t flips_ns; /* 0: not known */
	uint32_t flips, wakes;
	bool has_moved; /* to another CPU, since it sleeps */
};

struct choices {
	struct placement placements[PLACEMENTS_MAX]; /* the oldest first */
	uint32_t count;
	bool is_slow; /* a CPU has not taken a task from another one in time */
};

/* --- Wakeups that wait to be judged --- */

static bool is_due(const struct choices *choices, const struct sight *sight)
{
	return choices->count && choices->placements[0].is_certain &&
	       sight->machine->now_ns - choices->placements[0].since_ns > PLACEMENT_WAIT_NS;
}

static enum invariant_result check_step(const struct sight *sight, const struct family_state *state,
					struct evidence *evidence, enum placement_step wanted)
{
	const struct choices *choices = state_of_trace(state);
	enum placement_step step;

	if (!is_due(choices, sight) || sight->machine->has_hotplug)
		return INVARIANT_NOT_JUDGED;
	const struct placement *placement = &choices->placements[0];
	const uint64_t choice = placement->result == UINT32_MAX ||
					!machine_is_same_since(sight->machine, placement->pid, placement->since_ns)
				    ? 0
				    : placement_choice(placement, &step);
	if (!choice || step != wanted)
		return INVARIANT_NOT_JUDGED;
	evidence->pid = placement->pid;
	evidence->cpu = placement->result;
	evidence->since_ns = placement->since_ns;
	expect(evidence, "CPU of the woken task", UNIT_CPU, placement->result, (int64_t)choice, 0);
	return holds_if(cpu_is_in(choice, placement->result));
}

static enum invariant_result check_previous(const struct sight *sight, const struct family_state *state,
					    struct evidence *evidence)
{
	return check_step(sight, state, evidence, PLACED_ON_PREVIOUS);
}

static enum invariant_result check_hint(const struct sight *sight, const struct family_state *state,
					struct evidence *evidence)
{
	return check_step(sight, state, evidence, PLACED_BY_HINT);
}

static enum invariant_result check_search(const struct sight *sight, const struct family_state *state,
					  struct evidence *evidence)
{
	return check_step(sight, state, evidence, PLACED_BY_SEARCH);
}

static enum invariant_result check_priority(const struct sight *sight, const struct family_state *state,
					    struct evidence *evidence)
{
	return check_step(sight, state, evidence, PLACED_BY_PRIORITY);
}

static enum invariant_result check_new(const struct sight *sight, const struct family_state *state,
				       struct evidence *evidence)
{
	return check_step(sight, state, evidence, PLACED_NEW);
}

/* --- What each CPU runs when one is chosen --- */

enum yes_no { NO, YES, UNKNOWN };

static enum yes_no has_idle_policy(const struct machine *machine, const struct task *task)
{
	const struct rule_entity keys = machine_keys(machine, machine_entity_of(machine, task->pid));

	if (!machine_knows_prio(machine, task))
		return UNKNOWN;
	if (task->prio < 100)
		return NO;
	return !keys.weight || keys.policy == POLICY_UNKNOWN ? UNKNOWN : keys.policy == POLICY_IDLE ? YES : NO;
}

static bool has_delayed(const struct sight *sight, uint32_t cpu)
{
	for (uint32_t i = 0; i < sight->states->task_count; i++) {
		const struct task *task = &sight->states->tasks[i];
		const uint64_t entity = task->cpu == cpu ? machine_entity_of(sight->machine, task->pid) : 0;
		if (entity && queues_waits(&sight->machine->queues, entity) &&
		    machine_last_keys(sight->machine, entity).is_delayed)
			return true;
	}
	return false;
}

/* Whether all tasks that wait are of SCHED_IDLE, as those before are. */
static enum yes_no wait_with_idle_policy(const struct sight *sight, uint32_t cpu, enum yes_no all)
{
	const struct task_states *states = sight->states;

	for (uint32_t task = states->cpus[cpu].runnable_first; task != TASK_NONE && all != NO;
	     task = states->tasks[task].next) {
		const enum yes_no one = has_idle_policy(sight->machine, &states->tasks[task]);
		all = one == YES ? all : one;
	}
	return all == YES && has_delayed(sight, cpu) ? UNKNOWN : all;
}

/* Whether the CPU, which is not idle, has tasks of SCHED_IDLE alone. */
static enum yes_no runs_idle_policy(const struct sight *sight, uint32_t cpu)
{
	const struct task_states *states = sight->states;
	const enum yes_no current = has_idle_policy(sight->machine, &states->tasks[states->cpus[cpu].current]);

	if (current != NO)
		return wait_with_idle_policy(sight, cpu, current);
	/* The running task may have left the queue already, and the CPU has pulled the waiting ones. */
	return sight->machine->cpus[cpu].has_arrival && wait_with_idle_policy(sight, cpu, YES) != NO ? UNKNOWN : NO;
}

static void add_cpu(const struct sight *sight, uint32_t number, struct placement *placement, bool is_normal)
{
	const struct task_cpu *cpu = &sight->states->cpus[number];
	const struct machine_cpu *known = &sight->machine->cpus[number];

	if (number >= sight->states->cpu_count || number >= sight->machine->cpu_count || cpu->current == TASK_NONE ||
	    cpu->hides_waiting || cpu->hides_idle_ends) {
		placement->unknown |= cpu_bit(number);
	} else if (sight->states->tasks[cpu->current].is_idle) {
		if (cpu->runnable || known->has_arrival)
			placement->unknown |= cpu_bit(number);
		else
			placement->idle |= cpu_bit(number);
	} else {
		const enum yes_no gives_way = runs_idle_policy(sight, number);
		if (gives_way == YES && is_normal && !known->has_arrival)
			placement->gives_way |= cpu_bit(number);
		else if (gives_way != NO)
			placement->unknown |= cpu_bit(number);
	}
}

static void add_placement(struct choices *choices, const struct placement *placement)
{
	if (choices->count == PLACEMENTS_MAX)
		memmove(choices->placements, choices->placements + 1, --choices->count * sizeof(*placement));
	choices->placements[choices->count++] = *placement;
}

static bool is_one_bit(uint64_t set)
{
	return set && !(set & (set - 1));
}

/* wake_wide(): both wake others so often, and one of them so much more often, that loads decide about the previous CPU
 * alone. What the waker has counted is known since it was woken itself; a second halves it. */
static bool may_be_wide(struct family_state *state, const struct sight *sight, const struct placement *placement)
{
	const struct machine *machine = sight->machine;
	const uint32_t size = (uint32_t)__builtin_popcountll(machine->mark.shared_cache & ~machine->mark.isolated);
	const uint32_t flips = sight->keys->place.flips;
	uint32_t min = 0, max = UINT32_MAX;
	struct waker *waker = state_of_task(state, machine, placement->waker);

	if (waker) {
		waker->wakes++;
		if (waker->flips_ns && machine->now_ns - waker->flips_ns < NS_PER_S) {
			min = waker->flips / 2;
			max = waker->flips + waker->wakes;
		}
	}
	struct waker *own = state_of_task(state, machine, placement->pid);
	if (own) {
		own->flips = flips;
		own->flips_ns = machine->now_ns;
		own->wakes = 0;
	}
	return flips >= size && (max / size >= flips || (max >= size && min <= flips / size));
}

/* Balancing on another CPU may change how far the search goes, after it was recorded: it is right if it is the same at
 * the next wakeup. */
static void confirm_scan(struct choices *choices, uint32_t scan)
{
	for (uint32_t i = 0; i < choices->count; i++) {
		struct placement *placement = &choices->placements[i];
		if (!placement->is_certain && placement->scan != scan)
			placement->unknown = UINT64_MAX;
		placement->is_certain = true;
	}
}

static void note_place(struct family_state *state, const struct sight *sight)
{
	struct choices *choices = state_of_trace(state);
	const struct key_mark *mark = &sight->machine->mark;
	const struct machine_cpu *cpu = sight_cpu(sight);
	const struct key_event *keys = sight->keys;
	const uint64_t cpus = keys->place.cpus & mark->shared_cache & ~mark->isolated;
	struct placement placement = {.pid = keys->place.pid,
				      .waker = sight->event->common_pid,
				      .since_ns = sight->machine->now_ns,
				      .cpu = sight->cpu,
				      .previous = keys->place.previous,
				      .recent = keys->place.recent,
				      .scan = keys->place.scan,
				      .result = UINT32_MAX,
				      .cpus = cpus,
				      .has_hint = keys->place.flags & WAKEUP_WITH_HINT,
				      .may_stack = sight->event->context <= SCHED_CONTEXT_TASK &&
						   sight->cpu == keys->place.previous &&
						   (!cpu->began_ns || is_one_bit(cpu->cpus))};

	placement.is_new = keys->place.flags & WAKEUP_OF_FORK;
	placement.is_certain = placement.is_new;
	confirm_scan(choices, keys->place.scan);
	if (!(keys->place.flags & (WAKEUP_OF_SLEEPER | WAKEUP_OF_FORK)) || keys->place.flags & WAKEUP_HERE || !cpus ||
	    sight->cpu >= sight->states->cpu_count || sight->machine->has_idle_groups ||
	    sight->machine->stops != STOPS_NONE || !machine_shows_feature(sight->machine, FEATURE_SIS_UTIL) ||
	    machine_shows_feature(sight->machine, FEATURE_SIS_PROP) ||
	    !machine_shows_feature(sight->machine, FEATURE_WA_IDLE))
		return;
	const uint32_t task = task_states_find(sight->states, placement.pid, sight->cpu);
	const bool is_normal = task != TASK_NONE && has_idle_policy(sight->machine, &sight->states->tasks[task]) == NO;
	placement.may_be_wide = may_be_wide(state, sight, &placement);
	placement.is_lone = !sight->states->cpus[sight->cpu].runnable && !cpu->has_arrival;
	for (uint32_t i = 0; i < 64; i++)
		if ((cpus | cpu_bit(sight->cpu)) & cpu_bit(i))
			add_cpu(sight, i, &placement, is_normal);
	/* Those on their way to a CPU. */
	for (uint32_t i = 0; i < choices->count; i++)
		if (choices->placements[i].result == UINT32_MAX) {
			placement.unknown |= choices->placements[i].cpus;
			choices->placements[i].unknown |= cpus;
		}
	add_placement(choices, &placement);
}

/* A woken real-time task is put on a queue. */
static void add_real_time(struct choices *choices, const struct sight *sight)
{
	const struct task_states *states = sight->states;
	const struct key_event *keys = &sight->wakeup->event;
	const uint32_t cpu = sight->cpu, current = cpu < states->cpu_count ? states->cpus[cpu].current : TASK_NONE;
	const uint32_t task = task_states_find(states, keys->enqueued.pid, cpu);
	const uint64_t isolated = sight->machine->mark.isolated;
	struct placement placement = {.pid = keys->enqueued.pid,
				      .since_ns = sight->machine->now_ns,
				      .cpu = sight->event_cpu,
				      .result = cpu,
				      .cpus = keys->enqueued.cpus & ~isolated,
				      .is_real_time = true,
				      .is_certain = true};

	if (current == TASK_NONE || task == TASK_NONE || !(keys->enqueued.flags & WAKEUP_OF_SLEEPER) ||
	    states->tasks[task].prio < 0 || states->tasks[task].prio >= 100 || isolated & cpu_bit(cpu) ||
	    !machine_knows_prio(sight->machine, &states->tasks[task]) || sight->machine->stops != STOPS_NONE)
		return;
	for (uint32_t i = 0; i < states->cpu_count && i < 64; i++) {
		const uint32_t other = states->cpus[i].current;
		if (other == TASK_NONE ||
		    (!states->tasks[other].is_idle && !machine_knows_prio(sight->machine, &states->tasks[other])))
			placement.unknown |= cpu_bit(i);
		else if (states->tasks[other].prio >= 100 && !machine_urgent_waits(sight->machine, states, i))
			placement.idle |= cpu_bit(i);
	}
	/* A deadline task or a stopper does not make it leave, and a lower one gives way. */
	const struct sched_task running = {*task_comm(states, current), states->tasks[current].pid,
					   states->tasks[current].prio};
	if (placement.idle & cpu_bit(cpu) ||
	    (rule_class_of(&running) <= CLASS_REAL_TIME && states->tasks[current].prio <= states->tasks[task].prio))
		add_placement(choices, &placement);
}

static void note_enqueue(struct family_state *state, const struct sight *sight)
{
	struct choices *choices = state_of_trace(state);
	struct waker *task = state_of_task(state, sight->machine, sight->wakeup->event.enqueued.pid);
	const int32_t pid = sight->wakeup->event.enqueued.pid;
	bool was_chosen = false;

	for (uint32_t i = choices->count; i-- > 0;) {
		struct placement *placement = &choices->placements[i];
		if (placement->pid == pid && placement->result == UINT32_MAX) {
			placement->result = sight->cpu;
			was_chosen = true;
		} else if (!was_chosen || placement->result == UINT32_MAX) {
			placement->unknown |= cpu_bit(sight->cpu); /* perhaps it was on its way before */
		}
	}
	if (!sight->wakeup->event.enqueued.task.depth)
		add_real_time(choices, sight);
	task->has_moved = false;
}

/* A task begins or ceases to count on this CPU, by an event of the other. */
static void change_cpu(struct choices *choices, uint32_t cpu, uint32_t event_cpu, int32_t pid)
{
	for (uint32_t i = 0; i < choices->count; i++) {
		struct placement *placement = &choices->placements[i];
		/* A CPU knows its own tasks. */
		if (placement->pid != pid && !(placement->cpu == cpu && cpu == event_cpu))
			placement->unknown |= cpu_bit(cpu);
	}
}

static void note_switch(struct family_state *state, const struct sight *sight)
{
	struct choices *choices = state_of_trace(state);
	const struct sched_event *event = sight->switched->event;
	const int32_t pid = event->switched.prev.pid;
	struct waker *next = state_of_task(state, sight->machine, event->switched.next.pid);

	next->has_moved = false;
	/* A task whose group is throttled leaves the CPU idle although it is runnable. */
	if (pid && (!leave_reason_is_runnable(sight->switched->out) || !event->switched.next.pid))
		change_cpu(choices, sight->cpu, sight->cpu, pid);
	for (uint32_t i = 0; i < choices->count; i++)
		if (choices->placements[i].cpu == sight->cpu && choices->placements[i].waker == pid)
			choices->placements[i].sleeps = is_asleep(sight->switched->out);
}

static bool is_moved_asleep(const struct sight *sight, int32_t *pid)
{
	*pid = sight->states->tasks[sight->step->migration.task].pid;
	/* Balancing may move delayed sleepers. */
	return sight->step->migration.state == TASK_SLEEPING &&
	       !machine_last_keys(sight->machine, machine_entity_of(sight->machine, *pid)).is_delayed;
}

static void note_migration(struct family_state *state, const struct sight *sight)
{
	struct choices *choices = state_of_trace(state);
	int32_t pid;
	const bool is_asleep_now = is_moved_asleep(sight, &pid);

	if (sight->step->migration.state == TASK_RUNNABLE) {
		change_cpu(choices, sight->step->migration.from_cpu, TASK_NONE, pid);
		change_cpu(choices, sight->step->migration.to_cpu, TASK_NONE, pid);
	}
	struct waker *task = state_of_task(state, sight->machine, pid);
	if (task && is_asleep_now)
		task->has_moved = true;
}

static void note_time(struct choices *choices, const struct sight *sight)
{
	choices->is_slow = choices->count && choices->placements[0].result == UINT32_MAX &&
			   sight->machine->now_ns - choices->placements[0].since_ns > PLACEMENT_WAIT_NS;
	if (choices->is_slow)
		choices->count = 0;
	else if (is_due(choices, sight))
		memmove(choices->placements, choices->placements + 1, --choices->count * sizeof(*choices->placements));
}

static void note(struct family_state *state, const struct sight *sight)
{
	if (sight->kind == SEEN_TIME)
		note_time(state_of_trace(state), sight);
	else if (sight->kind == SEEN_PLACE)
		note_place(state, sight);
	else if (sight->kind == SEEN_ENQUEUE)
		note_enqueue(state, sight);
	else if (sight->kind == SEEN_SWITCH)
		note_switch(state, sight);
	else if (sight->kind == SEEN_MIGRATION)
		note_migration(state, sight);
}

static enum clock_stops find_stops(const struct family_state *state)
{
	const struct choices *choices = state_of_trace(state);

	return choices->is_slow ? STOPS_SHORT : STOPS_NONE;
}

/* --- Where a task may run --- */

static enum invariant_result check_allowed(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	const uint64_t isolated = sight->machine->mark.isolated;

	(void)state;
	if (sight->cpu >= 64)
		return INVARIANT_NOT_JUDGED;
	if (sight->kind == SEEN_IN) {
		const uint64_t cpus = sight->switched->keys.switched.next_cpus;
		const struct sched_task *next = &sight->switched->event->switched.next;
		if (!cpus || rule_class_of(next) == CLASS_IDLE || machine_may_be_outside(sight->machine, next->pid))
			return INVARIANT_NOT_JUDGED;
		expect(evidence, "CPU", UNIT_CPU, sight->cpu, (int64_t)cpus, 0);
		return holds_if(cpu_is_in(cpus, sight->cpu));
	}
	const struct key_event *keys = &sight->wakeup->event;
	const uint64_t home = queues_home(&sight->machine->queues, enqueued_task(sight)->id);
	/* A wakeup moves a task to an isolated CPU only if it may run on no other. */
	if (!keys->enqueued.task.depth || !(keys->enqueued.flags & WAKEUP_OF_SLEEPER) || !home ||
	    home == keys->enqueued.task.queues[0] || !(keys->enqueued.cpus & ~isolated))
		return INVARIANT_NOT_JUDGED;
	expect(evidence, "CPU", UNIT_CPU, sight->cpu, (int64_t)(keys->enqueued.cpus & ~isolated), 0);
	return holds_if(!cpu_is_in(isolated, sight->cpu));
}

static enum invariant_result check_sleeper(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	int32_t pid;

	(void)evidence;
	if (!is_moved_asleep(sight, &pid))
		return INVARIANT_NOT_JUDGED;
	const struct waker *task = state_of_task(state, sight->machine, pid);
	return task ? holds_if(!task->has_moved) : INVARIANT_NOT_JUDGED;
}

#define ONE_CACHE "Linux 6.1 and later, equal cores with one cache"
#define PLACE     NEEDS_EQUAL_CPUS " keys_place.scan keys_place.flips keys_place.cpus"

static const struct invariant_row rows[] = {
    {"cpu_allowed", "a task runs in its affinity, and is not woken on an isolated CPU", "affinity",
     CORE_C "is_cpu_allowed", "all classes", "keys_switch.next_cpus keys_enqueue.cpus", SEEN_IN | SEEN_ENQUEUE,
     STOPS_NONE, check_allowed},
    {"sleeper_stays", "a sleeping task is moved to another CPU by its wakeup only", "sleeping tasks moved",
     CORE_C "try_to_wake_up", "all classes", "", SEEN_MIGRATION, STOPS_NONE, check_sleeper},
    {"woken_on_idle_previous", "a task is woken on its previous CPU if that is idle", "idle previous CPU",
     FAIR_C "select_idle_sibling", ONE_CACHE, PLACE, SEEN_TIME, STOPS_SHORT, check_previous},
    {"woken_beside_waker", "a task woken by a lone one that will sleep shares its CPU if no other is idle",
     "hint of the waker", FAIR_C "wake_affine_idle", ONE_CACHE, PLACE, SEEN_TIME, STOPS_SHORT, check_hint},
    {"woken_on_idle", "a woken task gets the idle CPU that the kernel's search finds, or stays near",
     "search for an idle CPU", FAIR_C "select_idle_cpu", ONE_CACHE, PLACE, SEEN_TIME, STOPS_SHORT, check_search},
    {"rt_woken", "a woken real-time task does not wait for another if a CPU runs lower classes",
     "wakeup of real-time tasks", RT_C "select_task_rq_rt", "real time", NEEDS_EQUAL_CPUS " keys_enqueue.cpus",
     SEEN_TIME, STOPS_SHORT, check_priority},
    {"new_on_idle", "a new task is put on an idle CPU if there is one", "CPU of new tasks",
     FAIR_C "sched_balance_find_dst_group", ONE_CACHE, PLACE, SEEN_TIME, STOPS_SHORT, check_new},
};

const struct invariant_family cpu_choice_family = {ROWS_OF(rows), .trace_size = sizeof(struct choices),
						   .task_size = sizeof(struct waker), .note = note,
						   .stops = find_stops};
