/* SPDX-License-Identifier: MIT */
#include "export/perfetto_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/account.h"
#include "rules/virtual_time.h"

/* Parts of the tracks of an entity and of a CPU, after their counters; part 0 is the track of a task itself. */
enum { PART_WAITS = 1 + ENTITY_COUNTERS };
enum { PART_DECISIONS = CPU_COUNTERS, PART_AGAINST, CPU_PARTS };

struct key_task {
	struct counter_set set;
	bool has_waits;
	uint32_t preempted_by; /* the task that began to run when this one was preempted, plus 1; 0: none */
};

struct key_cpu {
	bool has_track[CPU_PARTS];
	int64_t values[CPU_COUNTERS];
};

static const struct {
	const char *name;
	enum track_unit unit;
} entity_counters[ENTITY_COUNTERS] = {
    [COUNTER_LAG] = {"lag in CPU time", UNIT_TIME_NS},
    [COUNTER_DEADLINE] = {"deadline - V", UNIT_TIME_NS},
    [COUNTER_VRUNTIME] = {"vruntime - V", UNIT_TIME_NS},
    [COUNTER_WEIGHT] = {"weight", UNIT_NUMBER},
};

static const struct {
	const char *name;
	enum track_unit unit;
} cpu_tracks[CPU_PARTS] = {
    [COUNTER_V] = {"V", UNIT_TIME_NS},
    [COUNTER_QUEUED] = {"entities on the queue", UNIT_NUMBER},
    [PART_DECISIONS] = {"decisions", UNIT_NONE},
    [PART_AGAINST] = {"against the rules", UNIT_NONE},
};

void group_label_task(const struct perfetto_group *group, const struct task_states *states, uint32_t task,
		      char label[GROUP_LABEL_SIZE])
{
	if (group->label && states->roles && task != TASK_NONE)
		snprintf(label, GROUP_LABEL_SIZE, "%s", role_of(states->roles, task));
	else
		machine_label_task(states, task, label);
}

/* --- Tracks --- */

uint64_t perfetto_group_track(struct perfetto_keys *keys)
{
	const struct perfetto_group *group = keys->group;
	const struct packet_track track = {.uuid = group_uuid(group, TRACK_OF_GROUP, 0, 0),
					   .name = group->label ? group->label : "scheduler's keys",
					   .pid = group->label ? group->pid_base : 0};

	if (!keys->has_group_track)
		packet_add_track(keys->maker, &track, keys->out);
	keys->has_group_track = true;
	return track.uuid;
}

uint64_t perfetto_task_track(struct perfetto_keys *keys, const struct task_states *states, uint32_t task)
{
	const struct perfetto_group *group = keys->group;
	const int32_t pid = group_pid(group, states->tasks[task].pid);
	char label[GROUP_LABEL_SIZE];

	keys->tasks = array_reserve(keys->tasks, &keys->task_count, states->task_count, sizeof(*keys->tasks));
	const struct packet_track track = {.uuid = group_uuid(group, TRACK_OF_TASK, task, 0),
					   .name = label,
					   .pid = group_process(group, pid),
					   .tid = pid};
	if (keys->tasks[task].set.has_track)
		return track.uuid;
	if (group->label)
		group_label_task(group, states, task, label);
	else
		snprintf(label, sizeof(label), "%.*s", (int)task_comm(states, task)->length,
			 task_comm(states, task)->bytes);
	packet_add_track(keys->maker, &track, keys->out);
	keys->tasks[task].set.has_track = true;
	return track.uuid;
}

static uint64_t cpu_track(struct perfetto_keys *keys, uint32_t cpu, unsigned int part)
{
	const uint64_t parent = perfetto_group_track(keys), uuid = group_uuid(keys->group, TRACK_OF_CPU, cpu, part);
	char name[64];

	keys->cpus = array_reserve(keys->cpus, &keys->cpu_count, cpu + 1, sizeof(*keys->cpus));
	if (keys->cpus[cpu].has_track[part])
		return uuid;
	snprintf(name, sizeof(name), "CPU %" PRIu32 ": %s", cpu, cpu_tracks[part].name);
	packet_add_track(
	    keys->maker,
	    &(struct packet_track){.uuid = uuid, .parent_uuid = parent, .name = name, .unit = cpu_tracks[part].unit},
	    keys->out);
	keys->cpus[cpu].has_track[part] = true;
	return uuid;
}

/* --- Counters --- */

/* The tracks of a task, or of a group of tasks. */
struct entity_tracks {
	struct counter_set *set;
	uint64_t uuid; /* of the first part */
	uint64_t parent_uuid;
	const char *prefix; /* of the names of tracks: "group of hog-217: " */
};

static void add_counter_track(struct perfetto_keys *keys, const struct entity_tracks *tracks, uint64_t uuid,
			      enum entity_counter counter)
{
	char name[96];

	snprintf(name, sizeof(name), "%s%s", tracks->prefix, entity_counters[counter].name);
	packet_add_track(
	    keys->maker,
	    &(struct packet_track){
		.uuid = uuid, .parent_uuid = tracks->parent_uuid, .name = name, .unit = entity_counters[counter].unit},
	    keys->out);
}

static void count_entity(struct perfetto_keys *keys, const struct entity_tracks *tracks, enum entity_counter counter,
			 uint64_t ts_ns, int64_t value)
{
	struct counter_set *set = tracks->set;
	const uint64_t uuid = tracks->uuid + 1 + counter;

	if (set->has_counter[counter] && set->values[counter] == value)
		return;
	if (!set->has_counter[counter])
		add_counter_track(keys, tracks, uuid, counter);
	packet_add_counter(keys->maker, group_time(keys->group, ts_ns), uuid, value, keys->out);
	set->has_counter[counter] = true;
	set->values[counter] = value;
}

static void count_keys(struct perfetto_keys *keys, const struct entity_tracks *tracks, const struct virtual_time *time,
		       const struct rule_entity *entity, bool knows_deadline, uint64_t ts_ns)
{
	const int64_t lag = virtual_time_lag(time, entity->vruntime);

	count_entity(keys, tracks, COUNTER_LAG, ts_ns, virtual_to_cpu(lag, entity->weight));
	if (knows_deadline && keys->rules.machine.traits.has_deadline)
		count_entity(keys, tracks, COUNTER_DEADLINE, ts_ns, -virtual_time_lag(time, entity->deadline));
	count_entity(keys, tracks, COUNTER_VRUNTIME, ts_ns, -lag);
	count_entity(keys, tracks, COUNTER_WEIGHT, ts_ns, (int64_t)(entity->weight >> RULE_WEIGHT_SHIFT));
}

static void count_candidate(struct perfetto_keys *keys, const struct task_states *states,
			    const struct virtual_time *time, const struct rule_entity *entity, bool knows_deadline,
			    uint64_t ts_ns)
{
	const uint32_t task = machine_task_state(&keys->rules.machine, states, entity->id);
	char label[RULES_LABEL_SIZE], prefix[RULES_LABEL_SIZE + 4];

	if (task != TASK_NONE) {
		const uint64_t uuid = perfetto_task_track(keys, states, task);
		count_keys(keys, &(struct entity_tracks){&keys->tasks[task].set, uuid, uuid, ""}, time, entity,
			   knows_deadline, ts_ns);
		return;
	}
	const uint32_t known = keys->entity_ids.count, number = id_map_add(&keys->entity_ids, entity->id);
	keys->entities = array_grow(keys->entities, &keys->entity_capacity, number + 1ul, sizeof(*keys->entities));
	if (number == known)
		keys->entities[number] = (struct counter_set){0};
	machine_label_entity(&keys->rules.machine, states, entity->id, label);
	snprintf(prefix, sizeof(prefix), "%s: ", label);
	count_keys(keys,
		   &(struct entity_tracks){&keys->entities[number], group_uuid(keys->group, TRACK_OF_ENTITY, number, 0),
					   perfetto_group_track(keys), prefix},
		   time, entity, knows_deadline, ts_ns);
}

static void count_cpu(struct perfetto_keys *keys, uint32_t cpu, enum cpu_counter counter, uint64_t ts_ns, int64_t value)
{
	const bool is_new = cpu >= keys->cpu_count || !keys->cpus[cpu].has_track[counter];
	const uint64_t uuid = cpu_track(keys, cpu, counter);

	if (!is_new && keys->cpus[cpu].values[counter] == value)
		return;
	packet_add_counter(keys->maker, group_time(keys->group, ts_ns), uuid, value, keys->out);
	keys->cpus[cpu].values[counter] = value;
}

static void count_level(struct perfetto_keys *keys, const struct task_states *states,
			const struct rule_decision *decision, uint32_t number)
{
	const struct pick_level *pick = &decision->levels[number];
	const struct virtual_time time = virtual_time_of(&keys->rules.machine.traits, &pick->level);

	if (pick->gap != PICK_COMPLETE || pick->level.count == 0 ||
	    (pick->derived != RULE_NONE && pick->level.count == 1))
		return;
	if (number == 0) {
		count_cpu(keys, decision->cpu, COUNTER_V, decision->ts_ns, (int64_t)virtual_time_floor(&time));
		count_cpu(keys, decision->cpu, COUNTER_QUEUED, decision->ts_ns, pick->level.count);
	}
	for (uint32_t i = 0; i < pick->level.count; i++)
		if (i != pick->derived && !pick->level.entities[i].is_stale)
			count_candidate(keys, states, &time, &pick->level.entities[i], i != pick->proven,
					decision->ts_ns);
}

/* --- Instants --- */

static void add_decision(struct perfetto_keys *keys, const struct task_states *states,
			 const struct rule_decision *decision)
{
	const bool is_against = decision->verdict == VERDICT_BREAKS;
	const char *what = decision->kind == DECISION_SWITCH ? "picks"
			   : decision->kind == DECISION_STAY ? "lets go on"
			   : decision->preempts              ? "preempts for"
							     : "does not preempt for";
	char next[GROUP_LABEL_SIZE], rules[RULES_LABEL_SIZE];
	struct buffer text = {0};

	group_label_task(keys->group, states, decision->next, next);
	buffer_printf(&text, "%s %s%s%s: %s", what, next, decision->verdict == VERDICT_EXPLAINED ? "" : ", ",
		      decision->verdict == VERDICT_EXPLAINED ? "" : decision_verdict_words[decision->verdict],
		      decision_why(&keys->rules.machine.traits, decision));
	if (rules_label_choice(&keys->rules, states, decision, rules))
		buffer_printf(&text, "; the rule picks %s: %s", rules, rule_reason_words[decision->reason]);
	for (unsigned int part = PART_DECISIONS; part <= (is_against ? PART_AGAINST : PART_DECISIONS); part++)
		packet_add_event(keys->maker, TRACK_EVENT_INSTANT, group_time(keys->group, decision->ts_ns),
				 cpu_track(keys, decision->cpu, part), text.data, text.length, keys->out);
	buffer_free(&text);
}

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct perfetto_keys *keys = context;

	for (uint32_t i = 0; i < decision->level_count; i++)
		count_level(keys, states, decision, i);
	add_decision(keys, states, decision);
}

static void add_break(void *context, const struct sight *sight, const struct invariant_break *found)
{
	struct perfetto_keys *keys = context;
	struct buffer text = {0};

	(void)sight;
	buffer_printf(&text, "%s: %s is broken: ", found->subject, invariant_row(found->row)->key);
	invariant_add_evidence(found, &text);
	packet_add_event(keys->maker, TRACK_EVENT_INSTANT,
			 group_time(keys->group, keys->pass->run.first_ns + found->evidence.since_ns),
			 cpu_track(keys, found->evidence.cpu, PART_AGAINST), text.data, text.length, keys->out);
	buffer_free(&text);
}

/* --- Waits --- */

static void label_waker(const struct perfetto_keys *keys, const struct task_states *states,
			const struct task_wait *wait, char label[GROUP_LABEL_SIZE])
{
	const bool is_woken = wait->cause == WAIT_WAKEUP || wait->cause == WAIT_NEW;
	const uint32_t task = is_woken ? task_states_find(states, wait->waker_pid, wait->waking_cpu)
				       : keys->tasks[wait->task].preempted_by - 1;

	group_label_task(keys->group, states, is_woken && wait->waker_pid < 0 ? TASK_NONE : task, label);
}

static uint64_t wait_track(struct perfetto_keys *keys, const struct task_states *states, uint32_t task)
{
	const uint64_t parent = perfetto_task_track(keys, states, task), uuid = parent + PART_WAITS;
	const char *name = keys->cgroups.knows_throttling ? "waits" : "waits, throttled or not";

	if (!keys->tasks[task].has_waits)
		packet_add_track(keys->maker, &(struct packet_track){.uuid = uuid, .parent_uuid = parent, .name = name},
				 keys->out);
	keys->tasks[task].has_waits = true;
	return uuid;
}

static void add_slice(struct perfetto_keys *keys, uint64_t track, uint64_t from_ns, uint64_t to_ns, const char *text)
{
	if (to_ns <= from_ns)
		return;
	packet_add_event(keys->maker, TRACK_EVENT_SLICE_BEGIN, group_time(keys->group, from_ns), track, text,
			 strlen(text), keys->out);
	packet_add_event(keys->maker, TRACK_EVENT_SLICE_END, group_time(keys->group, to_ns), track, NULL, 0, keys->out);
}

/* Slices of waiting, and between them those in which a cgroup of the task was throttled. */
static void add_wait(struct perfetto_keys *keys, const struct task_states *states, const struct task_wait *wait)
{
	static const char *const words[WAIT_CAUSES] = {[WAIT_WAKEUP] = "woken by",
						       [WAIT_NEW] = "forked by",
						       [WAIT_PREEMPTED] = "preempted by",
						       [WAIT_RUNNABLE] = "preempted, or yields, to"};
	const uint64_t track = wait_track(keys, states, wait->task);
	struct throttled_spans throttled;
	uint64_t from_ns = wait->since_ns;
	char label[GROUP_LABEL_SIZE], text[128];

	cgroups_throttled(&keys->cgroups, states, wait, &throttled);
	label_waker(keys, states, wait, label);
	snprintf(text, sizeof(text), "%s %s%s", words[wait->cause], label,
		 throttled.is_known || !keys->cgroups.knows_throttling ? "" : ", throttled or not");
	for (uint32_t i = 0; i < throttled.count; i++) {
		add_slice(keys, track, from_ns, throttled.spans[i].from_ns, text);
		add_slice(keys, track, throttled.spans[i].from_ns, throttled.spans[i].to_ns, "throttled");
		from_ns = throttled.spans[i].to_ns;
	}
	add_slice(keys, track, from_ns, wait->end_ns, text);
}

static void note_preemption(struct perfetto_keys *keys, const struct task_states *states, const struct task_step *step)
{
	const struct task_slice *slice = &step->slices[step->slice_count - 1];

	keys->tasks = array_reserve(keys->tasks, &keys->task_count, states->task_count, sizeof(*keys->tasks));
	keys->tasks[slice->task].preempted_by = step->changes & STEP_RUN ? step->started + 1 : 0;
}

/* --- A trace --- */

enum status perfetto_keys_begin(struct perfetto_keys *keys, const struct pass *pass, struct error *err)
{
	keys->consumer = (struct rules_consumer){
	    .context = keys, .decide = decide, .broken = add_break, .invariants = &keys->invariants};
	keys->has_group_track = false;
	free(keys->cpus);
	keys->cpus = NULL;
	keys->cpu_count = 0;
	id_map_free(&keys->entity_ids);
	if (keys->is_off)
		return STATUS_OK;
	rules_begin(&keys->rules, &keys->consumer, pass);
	cgroups_begin(&keys->cgroups, pass, false);
	return key_events_check(&keys->rules.keys, pass->run.path, err);
}

enum status perfetto_keys_step(struct perfetto_keys *keys, const struct pass *pass, const struct sched_event *event,
			       const struct task_step *step, struct error *err)
{
	keys->pass = pass;
	if (!keys->rules.keys.is_known)
		return STATUS_OK;
	cgroups_step(&keys->cgroups, pass, event, step);
	if (step->changes & STEP_WAIT)
		add_wait(keys, &pass->states, &step->wait);
	if (step->slice_count)
		note_preemption(keys, &pass->states, step);
	return rules_step(&keys->rules, pass, event, step, err);
}

void perfetto_keys_free(struct perfetto_keys *keys)
{
	rules_free(&keys->rules);
	cgroups_free(&keys->cgroups);
	free(keys->tasks);
	free(keys->entities);
	free(keys->cpus);
	id_map_free(&keys->entity_ids);
}
