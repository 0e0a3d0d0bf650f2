/* SPDX-License-Identifier: MIT
 *
 * Load balancing: that busy CPUs come to have equal numbers of tasks, and that what a CPU pulls can run. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

#include <string.h>

#include "rules/placement.h"

/* Weight of what runs or waits on a CPU, in tasks of nice 0, rounded up; 0: it is idle, or it is not known. How many of
 * these are such tasks that may run on each CPU. Since when no real-time or deadline task has run there; 0: not known.
 */
struct cpu_load {
	uint32_t load, movable;
	uint64_t calm_since_ns;
	/* Since when it idles while a task that may run there waits elsewhere; 0: it does not. */
	uint64_t beside_since_ns;
};

/* Where a task may run, as the latest switch or enqueue has shown it; 0: not known. If it was pulled while it slept:
 * from and to these CPUs (a bit each; 0: it was not), and when. */
struct balanced_task {
	uint64_t allowed;
	uint64_t cpus, since_ns;
	uint32_t to;
	bool is_woken; /* a CPU is chosen for it */
};

struct balance {
	bool has_throttles; /* of groups, so far: their tasks wait on no queue */
	/* Since when a CPU has twice as many equal tasks as another busy one has load, and two more; 0: none has. */
	uint64_t uneven_since_ns;
	uint32_t fullest;
};

/* --- Busy CPUs --- */

/* The kernel balances busy CPUs after at most 0.1 s for each CPU (max_load_balance_interval). It may fail three times:
 * tasks that ran a moment ago, or that could not run yet on the other CPU, are left at first. */
#define BALANCE_NS_PER_CPU UINT64_C(400000000)

static enum invariant_result check_balance(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	const struct balance *balance = state_of_trace(state);

	if (!balance->uneven_since_ns || !machine_tick_ns(sight->machine) || sight->machine->has_hotplug)
		return INVARIANT_NOT_JUDGED;
	evidence->pid = 0;
	evidence->cpu = balance->fullest;
	return expect_max(evidence, "time with twice as many tasks as another busy CPU", UNIT_CPU_NS,
			  (int64_t)(sight->machine->now_ns - balance->uneven_since_ns),
			  with_tick(sight, sight->machine->cpu_count * BALANCE_NS_PER_CPU));
}

static void compare_loads(struct family_state *state, const struct machine *machine)
{
	struct balance *balance = state_of_trace(state);
	uint32_t load_min = UINT32_MAX, movable_max = 0;

	for (uint32_t i = 0; i < machine->cpu_count && i < 64; i++) {
		if (machine_is_isolated(machine, i))
			continue;
		const struct cpu_load *cpu = state_of_cpu(state, i);
		load_min = cpu->load < load_min ? cpu->load : load_min;
		if (cpu->movable > movable_max) {
			movable_max = cpu->movable;
			balance->fullest = i;
		}
	}
	if (!load_min || movable_max < 2 * load_min || movable_max < load_min + 2)
		balance->uneven_since_ns = 0;
	else if (!balance->uneven_since_ns)
		balance->uneven_since_ns = machine->now_ns;
}

static bool is_movable(const struct machine *machine, const struct rule_entity *entity)
{
	const uint64_t all = machine->cpu_count < 64 ? (UINT64_C(1) << machine->cpu_count) - 1 : UINT64_MAX;
	const struct machine_task *task = machine_task_of(machine, machine_pid_of(machine, entity->id));

	return entity->weight == RULE_NICE_0_WEIGHT && task && !(all & ~machine->mark.isolated & ~task->cpus);
}

static void note_pick(struct family_state *state, const struct sight *sight)
{
	const struct pick_level *pick = sight->pick->level;
	struct cpu_load *cpu = state_of_cpu(state, sight->cpu);
	uint64_t weight = 0;

	if (pick->queue != sight_cpu(sight)->root_queue || machine_is_isolated(sight->machine, sight->cpu))
		return;
	cpu->load = cpu->movable = 0;
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (!pick->entities[i].is_delayed) {
			weight += pick->entities[i].weight;
			cpu->movable += is_movable(sight->machine, &pick->entities[i]);
		}
	if (pick->gap == PICK_COMPLETE)
		cpu->load = (uint32_t)((weight + RULE_NICE_0_WEIGHT - 1) / RULE_NICE_0_WEIGHT);
	compare_loads(state, sight->machine);
}

/* --- Idle CPUs --- */

/* A CPU that idles looks at others after at most twice its number of CPUs in ms (get_sd_balance_interval()), kicked by
 * the tick of one on which two tasks can run. It may fail a few times, as tasks ran a moment ago: kernels as delivered
 * took 7 ms at most. */
#define IDLE_TRIES      4
#define IDLE_NS_PER_CPU UINT64_C(2000000)

static enum invariant_result check_idle(const struct sight *sight, const struct family_state *state,
					struct evidence *evidence)
{
	const struct balance *balance = state_of_trace(state);
	const struct machine *machine = sight->machine;
	uint64_t longest_ns = 0;

	if (!machine_tick_ns(machine) || machine->has_hotplug || balance->has_throttles)
		return INVARIANT_NOT_JUDGED;
	for (uint32_t i = 0; i < machine->cpu_count; i++) {
		const struct cpu_load *cpu = state_of_cpu(state, i);
		if (!cpu->beside_since_ns || machine->now_ns - cpu->beside_since_ns <= longest_ns)
			continue;
		longest_ns = machine->now_ns - cpu->beside_since_ns;
		evidence->cpu = i;
	}
	evidence->pid = 0;
	return longest_ns ? expect_max(evidence, "time that it idles while a task that may run there waits elsewhere",
				       UNIT_CPU_NS, (int64_t)longest_ns,
				       with_rounding(IDLE_TRIES *
						     (machine_tick_ns(machine) + machine->cpu_count * IDLE_NS_PER_CPU)))
			  : INVARIANT_NOT_JUDGED;
}

static bool is_idle(const struct task_states *states, uint32_t cpu)
{
	const struct task_cpu *known = &states->cpus[cpu];

	return known->seen && known->current != TASK_NONE && states->tasks[known->current].is_idle &&
	       !known->hides_idle_ends && !known->hides_waiting;
}

/* The CPUs to which a fair task that waits on a CPU may be moved, which runs another fair task. */
static uint64_t cpus_for_waiting(const struct family_state *state, const struct sight *sight, uint32_t cpu)
{
	const struct task_states *states = sight->states;
	const struct machine *machine = sight->machine;
	const uint32_t running = states->cpus[cpu].current;
	uint64_t cpus = 0;

	if (running == TASK_NONE || states->tasks[running].is_idle || states->tasks[running].prio < 100)
		return 0;
	for (uint32_t i = states->cpus[cpu].runnable_first; i != TASK_NONE; i = states->tasks[i].next) {
		const struct balanced_task *task = state_of_task(state, machine, states->tasks[i].pid);
		if (task && machine_knows_prio(machine, &states->tasks[i]) && states->tasks[i].prio >= 100)
			cpus |= task->allowed;
	}
	return cpus;
}

static void note_idle(struct family_state *state, const struct sight *sight)
{
	const struct machine *machine = sight->machine;
	const uint32_t count =
	    machine->cpu_count < sight->states->cpu_count ? machine->cpu_count : sight->states->cpu_count;
	uint64_t idle = 0, wanted = 0;

	for (uint32_t i = 0; i < count && i < 64; i++)
		if (is_idle(sight->states, i) && !machine_is_isolated(machine, i))
			idle |= cpu_bit(i);
	for (uint32_t i = 0; idle && i < count && i < 64; i++)
		if (!(idle >> i & 1) && !machine_is_isolated(machine, i))
			wanted |= cpus_for_waiting(state, sight, i);
	for (uint32_t i = 0; i < machine->cpu_count; i++) {
		struct cpu_load *cpu = state_of_cpu(state, i);
		if (i >= 64 || !(idle & wanted & machine->mark.shared_cache & cpu_bit(i)))
			cpu->beside_since_ns = 0;
		else if (!cpu->beside_since_ns)
			cpu->beside_since_ns = machine->now_ns;
	}
}

/* --- What a CPU pulls --- */

static bool is_softirq_thread(const struct sched_comm *comm)
{
	static const char name[] = "ksoftirqd/";

	return comm->length >= sizeof(name) - 1 && memcmp(comm->bytes, name, sizeof(name) - 1) == 0;
}

/* Whether the CPU pulls the task in schedule(), since it has none left (sched_balance_newidle()): where each CPU is a
 * group of its own, that moves tasks, not load. Ticks balance too, in an interrupt, or in a thread of a real-time
 * kernel. */
static bool is_pulled_to_idle(const struct sight *sight)
{
	const struct task_step *step = sight->step;
	const struct machine *machine = sight->machine;
	const struct task_states *states = sight->states;
	const uint32_t from = step->migration.from_cpu, to = step->migration.to_cpu;
	const uint32_t others = step->migration.state == TASK_RUNNABLE;
	const uint64_t cpus = from < 64 && to < 64 ? cpu_bit(from) | cpu_bit(to) : 0;
	const uint32_t running = to < states->cpu_count ? states->cpus[to].current : TASK_NONE;

	return sight->event_cpu == to && sight->event->context == SCHED_CONTEXT_TASK && cpus &&
	       (cpus & ~(machine->mark.shared_cache & ~machine->mark.isolated)) == 0 && to < machine->cpu_count &&
	       !machine->cpus[to].has_arrival && running != TASK_NONE && !states->tasks[running].is_idle &&
	       states->cpus[to].runnable == others && !is_softirq_thread(task_comm(states, running));
}

/* From a CPU of which real-time and deadline tasks take more than a seventh (check_cpu_capacity()) load is moved,
 * delayed sleepers too (61b82dfb6b7e, can_migrate_task()). After three half-lives of the kernel's average, of 32 ms, an
 * eighth is left; a busy CPU looks at it when it balances, after 32 ms for each CPU at the latest
 * (get_sd_balance_interval()). Until then nothing is judged, however short such a task ran. */
#define CAPACITY_NS     UINT64_C(96000000)
#define CAPACITY_CPU_NS UINT64_C(32000000)

static bool has_its_capacity(const struct family_state *state, const struct sight *sight, uint32_t number)
{
	const struct machine *machine = sight->machine;

	if (number >= machine->cpu_count)
		return false;
	const struct cpu_load *cpu = state_of_cpu(state, number);
	return cpu->calm_since_ns && !rule_class_is_urgent(machine->cpus[number].class) &&
	       machine->now_ns - cpu->calm_since_ns > CAPACITY_NS + machine->cpu_count * CAPACITY_CPU_NS;
}

/* The keys of the task that is pulled by a CPU without others; weight 0: it is not, or they are not known. */
static struct rule_entity find_pulled(const struct family_state *state, const struct sight *sight, int32_t *pid)
{
	*pid = sight->states->tasks[sight->step->migration.task].pid;
	const struct balanced_task *task = state_of_task(state, sight->machine, *pid);
	const struct rule_entity keys = machine_keys(sight->machine, machine_entity_of(sight->machine, *pid));

	return (task && task->is_woken) || !is_pulled_to_idle(sight) ||
		       !has_its_capacity(state, sight, sight->step->migration.from_cpu)
		   ? (struct rule_entity){0}
		   : keys;
}

/* One that was pulled asleep is judged at its next wakeup, as its affinity is known then: it was moved as it was pulled
 * if it may run where it was. */
static enum invariant_result check_pulled(const struct sight *sight, const struct family_state *state,
					  struct evidence *evidence)
{
	int32_t pid;

	/* Kernels with vprot have 61b82dfb6b7e too. */
	if (!sight->machine->traits.has_vprot)
		return INVARIANT_NOT_JUDGED;
	if (sight->kind == SEEN_MIGRATION) {
		const struct rule_entity keys = find_pulled(state, sight, &pid);
		return keys.weight && !keys.is_delayed ? INVARIANT_HOLDS : INVARIANT_NOT_JUDGED;
	}
	pid = sight->wakeup->event.enqueued.pid;
	const struct balanced_task *task = state_of_task(state, sight->machine, pid);
	if (!task || !task->cpus || (task->cpus & ~sight->wakeup->event.enqueued.cpus) ||
	    !machine_is_same_since(sight->machine, pid, task->since_ns))
		return INVARIANT_NOT_JUDGED;
	evidence->cpu = task->to;
	evidence->since_ns = task->since_ns;
	return INVARIANT_BROKEN;
}

static void note_migration(struct family_state *state, const struct sight *sight)
{
	struct balance *balance = state_of_trace(state);
	int32_t pid;
	const struct rule_entity keys = find_pulled(state, sight, &pid);
	struct balanced_task *task = state_of_task(state, sight->machine, pid);

	if (sight->step->migration.state == TASK_RUNNABLE)
		balance->uneven_since_ns = 0;
	if (!task || !keys.weight || !keys.is_delayed)
		return;
	task->cpus = cpu_bit(sight->step->migration.from_cpu) | cpu_bit(sight->step->migration.to_cpu);
	task->to = sight->step->migration.to_cpu;
	task->since_ns = sight->machine->now_ns;
}

static void note_enqueue(struct family_state *state, const struct sight *sight)
{
	struct balanced_task *task = state_of_task(state, sight->machine, sight->wakeup->event.enqueued.pid);
	struct cpu_load *cpu = state_of_cpu(state, sight->cpu);

	*task = (struct balanced_task){.allowed = sight->wakeup->event.enqueued.cpus};
	if (!sight->wakeup->event.enqueued.task.depth || !cpu->load)
		return;
	cpu->load++;
	compare_loads(state, sight->machine);
}

static void note_switch(struct family_state *state, const struct sight *sight)
{
	struct cpu_load *cpu = state_of_cpu(state, sight->cpu);
	const enum rule_class class = rule_class_of(&sight->switched->event->switched.prev);
	struct balanced_task *next = state_of_task(state, sight->machine, sight->switched->event->switched.next.pid);

	if (next)
		next->allowed = sight->switched->keys.switched.next_cpus;
	if (!cpu->calm_since_ns || class == CLASS_REAL_TIME || class == CLASS_DEADLINE)
		cpu->calm_since_ns = sight->machine->now_ns;
	if (sight->switched->keys.switched.next.depth ||
	    rule_class_of(&sight->switched->event->switched.next) == CLASS_STOP)
		return;
	cpu->load = cpu->movable = 0;
	compare_loads(state, sight->machine);
}

static void note_change(struct family_state *state, const struct sight *sight)
{
	struct balance *balance = state_of_trace(state);
	const struct key_event *keys = sight->keys;
	struct balanced_task *task = keys && keys->kind == KEY_CHANGE && keys->change.what == CHANGE_AFFINITY
					 ? state_of_task(state, sight->machine, keys->change.pid)
					 : NULL;

	balance->uneven_since_ns = 0;
	balance->has_throttles = balance->has_throttles || (keys && keys->kind == KEY_THROTTLE);
	if (task)
		task->allowed = 0;
}

static void note(struct family_state *state, const struct sight *sight)
{
	struct balance *balance = state_of_trace(state);
	struct balanced_task *placed =
	    sight->kind == SEEN_PLACE ? state_of_task(state, sight->machine, sight->keys->place.pid) : NULL;

	balance->has_throttles = balance->has_throttles || sight->kind == SEEN_UNTHROTTLE;
	if (placed)
		placed->is_woken = true;
	else if (sight->kind == SEEN_PICK)
		note_pick(state, sight);
	else if (sight->kind == SEEN_ENQUEUE)
		note_enqueue(state, sight);
	else if (sight->kind == SEEN_MIGRATION)
		note_migration(state, sight);
	else if (sight->kind == SEEN_SWITCH)
		note_switch(state, sight);
	else if (sight->kind == SEEN_CHANGE)
		note_change(state, sight);
	if (sight->kind == SEEN_SWITCH || sight->kind == SEEN_ENQUEUE || sight->kind == SEEN_MIGRATION)
		note_idle(state, sight);
}

static const struct invariant_row rows[] = {
    {"busy_cpus_balance", "no CPU keeps twice as many equal tasks as another busy one, and two more, for 0.4 s per CPU",
     "balance of busy CPUs", FAIR_C "sched_balance_rq", "CFS, EEVDF, tasks of nice 0 without groups",
     NEEDS_EQUAL_CPUS " keys_enqueue.cpus keys_affinity", SEEN_PICK | SEEN_IN | SEEN_ENQUEUE, STOPS_LONG,
     check_balance},
    {"idle_pulls",
     "no CPU idles for 4 ticks, and 8 ms for each CPU, while a task that it may run waits on a CPU that runs another",
     "idle beside waiting tasks", FAIR_C "nohz_balancer_kick, sched_balance_newidle, sched_balance_rq",
     "CFS, EEVDF, equal cores with one cache, without cpu.max",
     NEEDS_EQUAL_CPUS " keys_enqueue.cpus keys_affinity keys_throttle.cfs", SEEN_IN | SEEN_ENQUEUE, STOPS_SHORT,
     check_idle},
    {"pulls_waiting", "a CPU that becomes idle pulls waiting tasks, not delayed sleepers", "sleeping tasks pulled",
     FAIR_C "can_migrate_task", "Linux 6.17 and later, equal cores with one cache",
     NEEDS_EQUAL_CPUS " keys_switch.prev_delayed keys_pick.curr_vprot keys_affinity", SEEN_MIGRATION | SEEN_ENQUEUE,
     STOPS_NONE, check_pulled},
};

const struct invariant_family balance_family = {ROWS_OF(rows), sizeof(struct balance), sizeof(struct cpu_load),
						sizeof(struct balanced_task), .note = note};
