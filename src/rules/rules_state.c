/* SPDX-License-Identifier: MIT */
#include "rules/rules_state.h"

int32_t rules_pid_of(const struct rules *rules, uint64_t entity)
{
	uint32_t number = id_map_find(&rules->task_ids, entity);

	return number == ID_MAP_NONE ? 0 : rules->pids[number];
}

struct rules_pid *rules_row_of(const struct rules *rules, int32_t pid)
{
	const uint32_t number = id_map_find(&rules->pid_ids, (uint32_t)pid);

	return number == ID_MAP_NONE ? NULL : &rules->by_pid[number];
}

uint64_t rules_entity_of(const struct rules *rules, int32_t pid)
{
	const struct rules_pid *row = rules_row_of(rules, pid);

	return row ? row->entity : 0;
}

bool rules_knows_caller(const struct rules *rules, enum caller kind, uint64_t caller)
{
	for (size_t i = 0; i < sizeof(rules->callers[kind]) / sizeof(*rules->callers[kind]); i++)
		if (rules->callers[kind][i] == caller)
			return true;
	return false;
}

struct rule_entity rules_known_keys(const struct rules *rules, uint64_t id)
{
	const struct rule_entity *known = queues_entity(&rules->queues, id);

	return known ? *known : (struct rule_entity){.id = id};
}

uint64_t rules_asked(const struct rules *rules, int32_t pid, uint32_t policy)
{
	const struct rules_pid *row = rules_row_of(rules, pid);

	return row && row->asked_policy == policy ? row->asked_ns : 0;
}

void rules_add_fair_time(struct fair_time *time, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t part = to_ns / SERVED_PART_NS;

	for (uint64_t i = 0; i < SERVED_PARTS && time->part + i < part; i++)
		time->ns[(part - i) % SERVED_PARTS] = 0;
	time->part = part;
	for (uint64_t i = 0; i < SERVED_PARTS && i <= part && from_ns < to_ns; i++) {
		const uint64_t begin_ns = (part - i) * SERVED_PART_NS,
			       since_ns = begin_ns > from_ns ? begin_ns : from_ns;
		time->ns[(part - i) % SERVED_PARTS] += to_ns > since_ns ? to_ns - since_ns : 0;
		to_ns = since_ns;
	}
}

bool rules_fair_is_served(const struct rules_cpu *cpu, uint64_t now_ns)
{
	const uint64_t part = now_ns / SERVED_PART_NS;
	uint64_t sum_ns = 0;

	for (uint64_t i = 0; i < SERVED_PARTS; i++)
		if (cpu->fair_time.part + i >= part && part >= i)
			sum_ns += cpu->fair_time.part >= part - i ? cpu->fair_time.ns[(part - i) % SERVED_PARTS] : 0;
	return sum_ns >= SERVED_MIN_NS;
}

bool rules_urgent_waits(const struct rules *rules, uint32_t cpu)
{
	for (size_t i = 0; i < rules->urgent_count; i++)
		if (rules->urgent[i].cpu == cpu)
			return true;
	return false;
}

void rules_check(struct rules *rules, struct invariant_moment *moment, uint64_t since_ns, uint32_t cpu, int32_t pid)
{
	const struct invariant_place place = {since_ns, cpu, rules->run, pid};

	moment->traits = &rules->traits;
	moment->mark = &rules->mark;
	moment->slice_max = rules->slice_max;
	moment->has_shares = rules->has_shares;
	moment->stops = rules->stops;
	moment->cpu = cpu;
	/* Under a scheduler of sched_ext the keys of tasks are those of before. */
	if (moment->task && rules->has_extension)
		return;
	if (rules->consumer->invariants && !rules->lacks_events && cpu_mask_has(rules->wanted_cpus, cpu))
		invariants_check(rules->consumer->invariants, moment, &place);
}

void rules_note_stop(struct rules *rules, enum clock_stops stops)
{
	if (stops <= rules->stops)
		return;
	rules->stops = stops;
	rules->placement_count = 0;
	if (rules->consumer->invariants)
		invariants_restore_timed(rules->consumer->invariants, &rules->before, stops);
}
