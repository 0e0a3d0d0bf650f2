/* SPDX-License-Identifier: MIT */
#include "rules/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/pass.h"

/* For so long the write of an attribute of a group may take: it goes from CPU to CPU, and may be preempted. */
#define GROUP_CHANGE_NS UINT64_C(1000000000)

void machine_begin(struct machine *machine, const struct key_events *keys, uint32_t cpu_count, const struct pass *pass)
{
	machine->keys = keys;
	machine->pass = pass;
	machine->traits = key_events_traits(keys);
	machine->run = pass->run.number;
	machine->cpu_count = cpu_count;
	machine->cpus = xcalloc(cpu_count, sizeof(*machine->cpus));
	queues_begin(&machine->queues, &machine->traits);
}

#define FEATURE_WORD(word) #word,
static const char *const feature_words[] = {MACHINE_FEATURE_WORDS(FEATURE_WORD)};

void machine_apply_mark(struct machine *machine, const struct key_mark *mark)
{
	machine->mark = *mark;
	machine->features = 0;
	for (unsigned int i = 0; i < MACHINE_FEATURES; i++)
		machine->features |= key_mark_has(mark, feature_words[i]) ? 1u << i : 0;
	key_events_apply_mark(mark, &machine->traits);
}

void machine_free(struct machine *machine)
{
	free(machine->cpus);
	free(machine->pids);
	free(machine->tasks);
	id_map_free(&machine->pid_ids);
	id_map_free(&machine->entity_ids);
	queues_free(&machine->queues);
	*machine = (struct machine){0};
}

/* --- What is known --- */

uint32_t machine_task_number(const struct machine *machine, int32_t pid)
{
	return id_map_find(&machine->pid_ids, (uint32_t)pid);
}

const struct machine_task *machine_task_of(const struct machine *machine, int32_t pid)
{
	const uint32_t number = machine_task_number(machine, pid);

	return number == ID_MAP_NONE ? NULL : &machine->tasks[number];
}

uint64_t machine_entity_of(const struct machine *machine, int32_t pid)
{
	const struct machine_task *task = machine_task_of(machine, pid);

	return task ? task->entity : 0;
}

int32_t machine_pid_of(const struct machine *machine, uint64_t entity)
{
	const uint32_t number = id_map_find(&machine->entity_ids, entity);

	return number == ID_MAP_NONE ? 0 : machine->pids[number];
}

struct rule_entity machine_last_keys(const struct machine *machine, uint64_t entity)
{
	const struct rule_entity *known = queues_entity(&machine->queues, entity);

	return known ? *known : (struct rule_entity){.id = entity};
}

bool machine_groups_change(const struct machine *machine)
{
	return machine->groups_changed_ns && machine->now_ns - machine->groups_changed_ns < GROUP_CHANGE_NS;
}

struct rule_entity machine_keys(const struct machine *machine, uint64_t entity)
{
	const struct rule_entity keys = machine_last_keys(machine, entity);

	return keys.is_stale || (keys.is_group && machine_groups_change(machine)) ? (struct rule_entity){.id = entity}
										  : keys;
}

bool machine_is_same_since(const struct machine *machine, int32_t pid, uint64_t since_ns)
{
	const struct machine_task *task = machine_task_of(machine, pid);

	return !task || (!task->open_changes && (!task->changed_ns || task->changed_ns < since_ns));
}

uint64_t machine_since_start(const struct machine *machine, uint64_t ts_ns)
{
	return ts_ns > machine->first_ns ? ts_ns - machine->first_ns : 0;
}

bool machine_knows_prio(const struct machine *machine, const struct task *task)
{
	const struct machine_task *known = machine_task_of(machine, task->pid);

	return known && task->prio != TASK_PRIO_UNKNOWN && !known->own_prio &&
	       machine_is_same_since(machine, task->pid, machine_since_start(machine, task->prio_seen_ns));
}

bool machine_urgent_waits(const struct machine *machine, const struct task_states *states, uint32_t cpu)
{
	for (uint32_t task = cpu < states->cpu_count ? states->cpus[cpu].runnable_first : TASK_NONE; task != TASK_NONE;
	     task = states->tasks[task].next) {
		const struct task *row = &states->tasks[task];
		if (row->prio < 100 ||
		    !machine_is_same_since(machine, row->pid, machine_since_start(machine, row->prio_seen_ns)))
			return true;
	}
	return false;
}

bool machine_shows_feature(const struct machine *machine, enum machine_feature feature)
{
	return machine->features >> feature & 1;
}

bool machine_has_feature(const struct machine *machine, enum machine_feature feature)
{
	return machine->traits.has_deadline && machine_shows_feature(machine, feature);
}

bool machine_lacks_feature(const struct machine *machine, enum machine_feature feature)
{
	return machine->mark.features[0] && !machine_shows_feature(machine, feature);
}

uint64_t machine_tick_ns(const struct machine *machine)
{
	return machine->mark.hz ? UINT64_C(1000000000) / machine->mark.hz : 0;
}

bool machine_is_isolated(const struct machine *machine, uint32_t cpu)
{
	return machine->mark.isolated >> (cpu & 63) & 1;
}

/* The task and its groups, as far as they are known. */
static struct key_path find_path(const struct machine *machine, int32_t pid)
{
	struct key_path path = {.depth = 1, .entities = {{.id = machine_entity_of(machine, pid)}}};

	path.queues[0] = queues_home(&machine->queues, path.entities[0].id);
	if (!path.entities[0].id || !path.queues[0])
		return (struct key_path){.depth = 0};
	queues_extend(&machine->queues, &path);
	return path;
}

bool machine_has_task(const struct machine *machine, int32_t pid, uint64_t entity)
{
	const struct key_path path = find_path(machine, pid);

	for (uint32_t i = 0; i < path.depth; i++)
		if (path.entities[i].id == entity)
			return true;
	return false;
}

uint32_t machine_task_state(const struct machine *machine, const struct task_states *states, uint64_t entity)
{
	const uint32_t number = id_map_find(&machine->entity_ids, entity);

	return number == ID_MAP_NONE ? TASK_NONE : task_states_find(states, machine->pids[number], 0);
}

void machine_label_task(const struct task_states *states, uint32_t task, char label[RULES_LABEL_SIZE])
{
	if (task == TASK_NONE) {
		snprintf(label, RULES_LABEL_SIZE, "?");
		return;
	}
	const struct sched_comm *comm = task_comm(states, task);
	snprintf(label, RULES_LABEL_SIZE, "%.*s-%" PRId32, (int)comm->length, comm->bytes, states->tasks[task].pid);
}

/* The task of the group with the lowest PID; 0: none is known. */
static int32_t find_member(const struct machine *machine, uint64_t group)
{
	int32_t lowest = 0;

	for (uint32_t i = 0; i < machine->entity_ids.count; i++)
		if (machine->pids[i] > 0 && (!lowest || machine->pids[i] < lowest) &&
		    machine_has_task(machine, machine->pids[i], group))
			lowest = machine->pids[i];
	return lowest;
}

/* The cgroup of a group with this member, if the member is of a role of a mix; length 0: unknown. Before the member has
 * entered its cgroup, it is in that of the run, above those of the mix. */
static struct text_span find_cgroup(const struct machine *machine, const struct task_states *states, int32_t member,
				    uint64_t group)
{
	const struct key_path path = find_path(machine, member);
	const struct run *run = pass_described(machine->pass);
	const uint32_t task = task_states_find(states, member, 0);
	const struct sched_comm *comm = run && task != TASK_NONE ? task_comm(states, task) : NULL;
	const struct run_role *role =
	    comm ? run_role_of(run->metadata.work.roles, run->metadata.work.role_count, comm->bytes, comm->length)
		 : NULL;
	struct text_span cgroup = {.text = role ? role->cgroup : NULL};
	uint32_t names = 1;

	for (const char *at = cgroup.text; at && *at; at++)
		names += *at == '/';
	if (!cgroup.text || path.depth - 1 <= names)
		return (struct text_span){.length = 0};
	cgroup.length = strlen(cgroup.text);
	for (uint32_t i = 1; i < path.depth && path.entities[i].id != group; i++)
		while (cgroup.length && cgroup.text[--cgroup.length] != '/')
			;
	return cgroup;
}

void machine_label_entity(const struct machine *machine, const struct task_states *states, uint64_t entity,
			  char label[RULES_LABEL_SIZE])
{
	const uint32_t task = machine_task_state(machine, states, entity);
	const int32_t member = task == TASK_NONE ? find_member(machine, entity) : 0;
	const struct text_span cgroup =
	    member ? find_cgroup(machine, states, member, entity) : (struct text_span){.length = 0};
	char name[RULES_LABEL_SIZE];

	if (task != TASK_NONE) {
		machine_label_task(states, task, label);
	} else if (cgroup.length) {
		snprintf(label, RULES_LABEL_SIZE, "cgroup %.*s", (int)cgroup.length, cgroup.text);
	} else if (member) {
		machine_label_task(states, task_states_find(states, member, 0), name);
		snprintf(label, RULES_LABEL_SIZE, "group of %.*s", RULES_LABEL_SIZE - 10, name);
	} else {
		snprintf(label, RULES_LABEL_SIZE, "group %06" PRIx64, entity & 0xffffff);
	}
}

/* --- What happens --- */

static struct machine_task *find_task(struct machine *machine, int32_t pid)
{
	const uint32_t number = id_map_add(&machine->pid_ids, (uint32_t)pid);

	machine->tasks = array_reserve(machine->tasks, &machine->task_capacity, number + 1, sizeof(*machine->tasks));
	machine->tasks[number].pid = pid;
	return &machine->tasks[number];
}

void machine_name_entity(struct machine *machine, uint64_t entity, int32_t pid)
{
	const uint32_t number = id_map_add(&machine->entity_ids, entity);

	machine->pids = array_grow(machine->pids, &machine->pid_capacity, number + 1, sizeof(*machine->pids));
	machine->pids[number] = pid;
	find_task(machine, pid)->entity = entity;
}

/* Keys that an event has just shown are not known for long while a call changes them. */
static void keep_unknown(struct machine *machine, int32_t pid)
{
	const struct machine_task *task = machine_task_of(machine, pid);

	if (task && task->open_changes)
		queues_change(&machine->queues, task->entity, true);
}

static void move_queues(struct machine *machine, struct machine_cpu *cpu, const struct switch_sight *sight)
{
	const struct key_path *prev = &sight->keys.switched.prev, *next = &sight->keys.switched.next;
	const bool is_idle = rule_class_of(&sight->event->switched.next) == CLASS_IDLE;

	if (next->depth && !key_path_is_cut(next))
		cpu->root_queue = next->queues[next->depth - 1];
	queues_switch(&machine->queues, prev, next);
	/* Throttled: it comes back without a wakeup. */
	if (leave_reason_is_runnable(sight->out) && !prev->entities[0].on_rq)
		queues_forget_task(&machine->queues, prev->entities[0].id);
	if (is_idle && cpu->root_queue)
		queues_empty(&machine->queues, cpu->root_queue);
	keep_unknown(machine, sight->event->switched.prev.pid);
	keep_unknown(machine, sight->event->switched.next.pid);
}

void machine_switch(struct machine *machine, const struct switch_sight *sight)
{
	const struct key_path *next = &sight->keys.switched.next;
	const struct sched_task *in = &sight->event->switched.next;
	struct machine_cpu *cpu = &machine->cpus[sight->event->cpu];
	const uint64_t now_ns = machine->now_ns ? machine->now_ns : 1;
	const struct machine_cpu before = *cpu;

	move_queues(machine, cpu, sight);
	find_task(machine, sight->event->switched.prev.pid)->may_be_outside = false;
	/* A budget that is refilled while the task runs moves its deadline, without an event. */
	if (rule_class_of(&sight->event->switched.prev) == CLASS_DEADLINE)
		find_task(machine, sight->event->switched.prev.pid)->deadline_ns = 0;
	*cpu = (struct machine_cpu){.root_queue = cpu->root_queue,
				    .tick_ns = before.tick_ns,
				    .pid = in->pid,
				    .class = rule_class_of(in),
				    .policy = next->entities[0].policy,
				    .cpus = sight->keys.switched.next_cpus,
				    .was_woken = sight->next_was_woken,
				    .queue = next->depth ? next->queues[0] : 0,
				    .began = next->depth ? next->entities[0] : (struct rule_entity){0},
				    .began_ns = now_ns,
				    .active_ns = now_ns,
				    .fair_from_ns = next->depth ? before.fair_from_ns : 0};
	if (next->depth && !before.fair_from_ns)
		cpu->fair_from_ns = now_ns;
	if (rule_class_is_urgent(cpu->class))
		cpu->higher_since_ns = before.higher_since_ns ? before.higher_since_ns : now_ns;
	else
		cpu->lower_since_ns = before.lower_since_ns ? before.lower_since_ns : now_ns;
	const int32_t prio = sight->keys.switched.next_static_prio ? sight->keys.switched.next_static_prio : in->prio;
	if (next->depth && machine->traits.has_sum_shift &&
	    next->entities[0].weight != rule_class_weight(prio, next->entities[0].policy))
		machine->has_shares = true;
}

/* SCHED_IDLE, of a group: cpu.idle. */
static bool has_idle_group(const struct key_path *path)
{
	for (uint32_t i = 1; i < path->depth; i++)
		if (path->entities[i].weight <= rule_class_weight(120, POLICY_IDLE))
			return true;
	return false;
}

/* A throttled task that is moved, or woken while it goes to sleep: from Linux 6.18 on it is put on its queue when
 * throttling ends, without an event. The fields of 6.17 are the same. */
static bool is_in_limbo(const struct machine *machine, const struct key_event *keys)
{
	return machine->traits.has_vprot && keys->enqueued.task.depth && keys->enqueued.is_throttled &&
	       !(keys->enqueued.flags & WAKEUP_OF_FORK);
}

void machine_enqueue(struct machine *machine, const struct key_event *keys)
{
	const struct key_path *path = &keys->enqueued.task;
	struct machine_task *task = find_task(machine, keys->enqueued.pid);
	struct machine_cpu *cpu = &machine->cpus[keys->cpu];

	cpu->has_arrival = true;
	/* A timer moves the deadline of a task without budget, without an event. */
	task->deadline_ns = keys->enqueued.may_lack_budget ? 0 : keys->enqueued.deadline_ns;
	task->cpus = keys->enqueued.cpus;
	if (!path->depth || is_in_limbo(machine, keys)) {
		cpu->has_higher = cpu->has_higher || !path->depth;
		queues_forget_task(&machine->queues, path->entities[0].id);
		return;
	}
	task->enqueued_ns = machine->now_ns;
	if (path->entities[0].slice > machine->slice_max)
		machine->slice_max = path->entities[0].slice;
	machine->has_idle_groups = machine->has_idle_groups || has_idle_group(path);
	machine->has_deep_groups = machine->has_deep_groups || key_path_is_cut(path);
	queues_enqueue(&machine->queues, path);
	keep_unknown(machine, keys->enqueued.pid);
	/* The path of a task of a throttled group ends in the queue of that group. */
	if (!keys->enqueued.is_throttled && !key_path_is_cut(path))
		cpu->root_queue = path->queues[path->depth - 1];
	if (keys->enqueued.is_throttled)
		queues_note_quota(&machine->queues, path->queues[0]);
}

void machine_pick(struct machine *machine, uint32_t number, const struct pick_level *pick)
{
	struct machine_cpu *cpu = &machine->cpus[number];

	if (pick->level.running == RULE_NONE)
		return;
	const struct rule_entity *running = &pick->level.entities[pick->level.running];
	if (!machine_pid_of(machine, running->id))
		return;
	if (running->on_rq && !running->is_delayed)
		cpu->active_ns = machine->now_ns;
	if (machine_last_keys(machine, running->id).weight != running->weight)
		cpu->has_other_weight = true;
}

void machine_ask(struct machine *machine, uint32_t number, enum decision_cause cause, bool is_late)
{
	struct machine_cpu *cpu = &machine->cpus[number];

	cpu->is_asked_late = is_late;
	if (cpu->is_asked)
		return;
	cpu->is_asked = true;
	cpu->cause = cause;
}

void machine_stay(struct machine *machine, uint32_t number)
{
	struct machine_cpu *cpu = &machine->cpus[number];

	cpu->is_asked = cpu->is_asked && cpu->is_asked_late;
	cpu->is_asked_late = cpu->is_yielding = false;
}

/* A CPU that runs fair tasks all the time has a tick in each period; so many are missing only if it stops. */
#define TICKS_MISSED_MIN 2

void machine_tick(struct machine *machine, uint32_t number, bool is_judged)
{
	struct machine_cpu *cpu = &machine->cpus[number];
	const uint64_t tick_ns = machine_tick_ns(machine);
	const uint64_t since_ns = cpu->tick_ns > cpu->fair_from_ns ? cpu->tick_ns : cpu->fair_from_ns;

	if (tick_ns && cpu->fair_from_ns && !machine_is_isolated(machine, number) && is_judged &&
	    machine->now_ns - since_ns > (TICKS_MISSED_MIN + 1) * tick_ns)
		machine->stops = STOPS_LONG;
	cpu->tick_ns = machine->now_ns;
}

void machine_yield(struct machine *machine, uint32_t cpu)
{
	machine->cpus[cpu].has_yielded = machine->cpus[cpu].is_yielding = true;
}

void machine_migrate(struct machine *machine, int32_t pid)
{
	queues_leave(&machine->queues, machine_entity_of(machine, pid));
}

/* --- Changes --- */

static void note_change(struct machine *machine, int32_t pid, bool changes_slice)
{
	struct machine_task *task = find_task(machine, pid);

	task->changed_ns = machine->now_ns ? machine->now_ns : 1;
	/* If it runs, its CPU may run another class since. */
	for (uint32_t i = 0; i < machine->cpu_count; i++)
		if (machine->cpus[i].pid == pid)
			machine->cpus[i].higher_since_ns = machine->cpus[i].lower_since_ns = 0;
	queues_change(&machine->queues, task->entity, changes_slice);
}

/* rt_mutex_setprio() changes the priority, and may take the task from its queue and put it back. */
void machine_set_prio(struct machine *machine, const struct sched_event *event)
{
	struct machine_task *task = find_task(machine, event->set_prio.task.pid);

	if (!task->own_prio)
		task->own_prio = event->set_prio.old_prio;
	if (event->set_prio.task.prio >= task->own_prio)
		task->own_prio = 0;
	task->deadline_ns = 0;
	note_change(machine, event->set_prio.task.pid, false);
}

static void begin_change(struct machine *machine, const struct key_event *keys, int32_t by)
{
	struct machine_task *task = find_task(machine, keys->change.pid);

	task->open_changes++;
	task->deadline_ns = 0;
	for (size_t i = 0; i < CHANGERS_MAX; i++)
		if (!machine->changers[i].by) {
			machine->changers[i] =
			    (struct changer){by, keys->change.pid, keys->change.policy, keys->change.runtime_ns};
			return;
		}
}

static void end_change(struct machine *machine, const struct key_event *keys, int32_t by)
{
	for (size_t i = 0; i < CHANGERS_MAX; i++) {
		const struct changer changer = machine->changers[i];
		if (changer.by != by)
			continue;
		struct machine_task *task = find_task(machine, changer.pid);
		machine->changers[i].by = 0;
		task->open_changes--;
		if (!keys->change.is_refused) {
			task->asked_ns = changer.runtime_ns;
			task->asked_policy = changer.policy;
		}
		note_change(machine, changer.pid, true);
	}
}

bool machine_is_changed_by(const struct machine *machine, int32_t pid, int32_t by)
{
	for (size_t i = 0; i < CHANGERS_MAX; i++)
		if (machine->changers[i].by == by && machine->changers[i].pid == pid)
			return true;
	return false;
}

/* One that waits is moved under the lock of its queue. */
static void change_affinity(struct machine *machine, int32_t pid)
{
	struct machine_task *task = find_task(machine, pid);
	bool runs = false;

	for (uint32_t i = 0; i < machine->cpu_count; i++)
		runs = runs || machine->cpus[i].pid == pid;
	task->cpus = 0;
	task->may_be_outside = !runs && !queues_waits(&machine->queues, task->entity);
}

void machine_place(struct machine *machine, int32_t pid)
{
	find_task(machine, pid)->may_be_outside = false;
}

bool machine_may_be_outside(const struct machine *machine, int32_t pid)
{
	const struct machine_task *task = machine_task_of(machine, pid);

	return task && task->may_be_outside;
}

void machine_change(struct machine *machine, const struct key_event *keys, int32_t by)
{
	if (keys->kind == KEY_HOTPLUG)
		machine->has_hotplug = true;
	if (keys->kind == KEY_GROUPS_CHANGE)
		machine->groups_changed_ns = machine->now_ns ? machine->now_ns : 1;
	if (keys->kind == KEY_THROTTLE)
		queues_note_quota(&machine->queues, keys->throttle.queue);
	if (keys->kind != KEY_CHANGE)
		return;
	if (keys->change.what == CHANGE_DONE) {
		end_change(machine, keys, by);
		return;
	}
	if (keys->change.what == CHANGE_ATTRIBUTES)
		begin_change(machine, keys, by);
	if (keys->change.what == CHANGE_AFFINITY)
		change_affinity(machine, keys->change.pid);
	/* The group that it leaves gets another weight, and so does that which it joins. */
	if (keys->change.what == CHANGE_GROUP)
		queues_change_groups(&machine->queues);
	note_change(machine, keys->change.pid, keys->change.what == CHANGE_ATTRIBUTES);
}

/* The group is placed on its queue anew, and so are those around it that had nothing else. */
void machine_unthrottle(struct machine *machine, const struct key_event *keys)
{
	struct key_path path = {.depth = 1, .levels = 1, .queues = {keys->unthrottled.queue}};

	queues_note_quota(&machine->queues, keys->unthrottled.queue);
	if (!keys->unthrottled.has_tasks)
		return;
	queues_extend(&machine->queues, &path);
	for (uint32_t i = 1; i < path.depth; i++) {
		queues_outdate(&machine->queues, path.entities[i].id);
		if (queues_count(&machine->queues, path.queues[i]) >
		    queues_waits(&machine->queues, path.entities[i].id))
			return;
	}
}

void machine_forget(struct machine *machine)
{
	queues_forget(&machine->queues);
	for (uint32_t i = 0; i < machine->task_capacity; i++) {
		machine->tasks[i].open_changes = 0;
		machine->tasks[i].deadline_ns = 0;
	}
	memset(machine->changers, 0, sizeof(machine->changers));
	for (uint32_t i = 0; i < machine->cpu_count; i++)
		machine->cpus[i] = (struct machine_cpu){.root_queue = machine->cpus[i].root_queue};
}
