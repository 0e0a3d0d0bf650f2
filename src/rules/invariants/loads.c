/* SPDX-License-Identifier: MIT
 *
 * The load of a group, and the weight that it has on a CPU by it, as a tick shows them all at once: what the kernel
 * adds up has to be the sum, whichever way the load came and went. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

/* Further groups are not judged. */
#define GROUPS_MAX 32
/* The load of a task of nice 0. */
#define LOAD_OF_NICE_0 1024
/* No weight or load is larger (MAX_SHARES, and 4 million tasks). */
#define WEIGHT_MAX (UINT64_C(1) << 50)
/* Loads, and the weights by them, follow what runs: what is wrong stays wrong for so many ticks in a row. */
#define TICKS_MIN 8

/* A group. */
struct load_part {
	uint64_t most, seen_ns;      /* what the CPU has added, or will, at the latest tick that has shown it */
	bool may_grow;               /* a task was put on a queue of the CPU since */
	uint32_t over, heavy, light; /* ticks in a row whose load is too large, or whose weight is, or is too small */
};

struct loads {
	uint64_t owners[GROUPS_MAX];
	uint32_t count;
};

struct load_cpu {
	struct load_part parts[GROUPS_MAX]; /* by number of the group */
	uint32_t known; /* groups of which a tick has shown its part, or the rest of the load: a bit each */
};

static uint32_t find_group(const struct loads *loads, uint64_t owner)
{
	for (uint32_t i = 0; i < loads->count; i++)
		if (loads->owners[i] == owner)
			return i;
	return RULE_NONE;
}

/* --- The load is the sum of what CPUs have added --- */

/* A CPU has added as much as its tick has shown, or less: while it idles, and for some ticks without a new task. */
static bool is_fresh(const struct family_state *state, const struct sight *sight, uint32_t number, uint32_t group)
{
	const struct load_cpu *cpu = state_of_cpu(state, number);
	const struct load_part *part = &cpu->parts[group];

	return (cpu->known >> group & 1) && !part->may_grow &&
	       (sight->machine->cpus[number].class == CLASS_IDLE ||
		sight->machine->now_ns - part->seen_ns < 4 * machine_tick_ns(sight->machine));
}

/* The most that other CPUs have added, of those of which it is known. */
static uint64_t sum_others(const struct family_state *state, const struct sight *sight, uint32_t group, bool *knows_all)
{
	uint64_t sum = 0;

	*knows_all = true;
	for (uint32_t i = 0; i < sight->machine->cpu_count; i++) {
		const struct load_cpu *cpu = state_of_cpu(state, i);
		if (i == sight->cpu)
			continue;
		if (is_fresh(state, sight, i, group))
			sum += cpu->parts[group].most;
		else
			*knows_all = false;
	}
	return sum;
}

static uint64_t added_here(const struct sight *sight)
{
	return sight->keys->tick.part > sight->keys->tick.own ? sight->keys->tick.part : sight->keys->tick.own;
}

/* A task that has just come is added with all of its weight. */
static bool is_sum(uint64_t load, uint64_t sum)
{
	return load <= sum + sum / 4 + LOAD_OF_NICE_0 / 4;
}

static enum invariant_result check_sum(const struct sight *sight, const struct family_state *state,
				       struct evidence *evidence)
{
	const uint64_t load = sight->keys->tick.load;
	const uint32_t group = find_group(state_of_trace(state), sight->keys->tick.owner);
	bool knows_all = false;

	evidence->pid = sight_cpu(sight)->pid;
	if (!machine_tick_ns(sight->machine) || sight->machine->has_hotplug || group == RULE_NONE)
		return INVARIANT_NOT_JUDGED;
	/* Each CPU adds 0 or more. */
	if (load < sight->keys->tick.part)
		return expect_min(evidence, "load of the task's group", UNIT_COUNT, (int64_t)load,
				  (int64_t)sight->keys->tick.part);
	const uint64_t sum = added_here(sight) + sum_others(state, sight, group, &knows_all);
	const struct load_cpu *cpu = state_of_cpu(state, sight->cpu);
	if (!knows_all)
		return INVARIANT_NOT_JUDGED;
	if (is_sum(load, sum) || cpu->parts[group].over < TICKS_MIN)
		return INVARIANT_HOLDS;
	return expect_max(evidence, "load of the task's group", UNIT_COUNT, (int64_t)load, (int64_t)sum);
}

/* --- The weight of a group on a CPU is that of its part of the load --- */

/* The weight by what the tick shows (calc_group_shares()). */
static uint64_t share(const struct key_event *keys)
{
	const uint64_t queued = keys->tick.queued >> RULE_WEIGHT_SHIFT;
	const uint64_t here = queued > keys->tick.own ? queued : keys->tick.own;
	const uint64_t all = keys->tick.load - keys->tick.part + here;

	return all ? (uint64_t)((rule_wide)keys->tick.shares * here / all) : 0;
}

static bool has_share(const struct sight *sight)
{
	const struct key_event *keys = sight->keys;

	return keys->tick.owner && keys->tick.shares && keys->tick.weight && keys->tick.load >= keys->tick.part &&
	       keys->tick.shares <= WEIGHT_MAX && keys->tick.queued <= WEIGHT_MAX && keys->tick.own <= WEIGHT_MAX &&
	       machine_tick_ns(sight->machine) && !machine_groups_change(sight->machine);
}

/* Kernels with one queue per CPU multiply the weight: by default by the CPUs that the group uses. */
static bool is_heavy(const struct sight *sight)
{
	const uint64_t most = share(sight->keys);

	return !sight->machine->traits.has_sum_shift &&
	       sight->keys->tick.weight > most + most / 2 + (2 << RULE_WEIGHT_SHIFT);
}

static bool is_light(const struct sight *sight)
{
	const uint64_t least = share(sight->keys);

	return sight->keys->tick.weight + (2 << RULE_WEIGHT_SHIFT) < least - least / 3;
}

static enum invariant_result check_share(const struct sight *sight, const struct family_state *state,
					 struct evidence *evidence)
{
	const uint32_t group = find_group(state_of_trace(state), sight->keys->tick.owner);
	const struct load_cpu *cpu = state_of_cpu(state, sight->cpu);

	if (group == RULE_NONE || !has_share(sight))
		return INVARIANT_NOT_JUDGED;
	const int64_t weight = (int64_t)sight->keys->tick.weight, expected = (int64_t)share(sight->keys);
	evidence->pid = sight_cpu(sight)->pid;
	if (is_heavy(sight) && cpu->parts[group].heavy >= TICKS_MIN)
		return expect_max(evidence, "weight of the task's group on this CPU", UNIT_WEIGHT, weight, expected);
	if (is_light(sight) && cpu->parts[group].light >= TICKS_MIN)
		return expect_min(evidence, "weight of the task's group on this CPU", UNIT_WEIGHT, weight, expected);
	return INVARIANT_HOLDS;
}

/* --- What is followed --- */

/* Each CPU adds 0 or more: one that is not known has added no more than the rest of the load. */
static void note_rest(struct family_state *state, const struct sight *sight, uint32_t group, uint64_t rest)
{
	for (uint32_t i = 0; i < sight->machine->cpu_count; i++) {
		struct load_cpu *cpu = state_of_cpu(state, i);
		if (i == sight->cpu || is_fresh(state, sight, i, group))
			continue;
		cpu->known |= UINT32_C(1) << group;
		cpu->parts[group].most = rest;
		cpu->parts[group].seen_ns = sight->machine->now_ns;
		cpu->parts[group].may_grow = sight->machine->cpus[i].class != CLASS_IDLE;
	}
}

static void note_tick(struct family_state *state, const struct sight *sight)
{
	struct loads *loads = state_of_trace(state);
	const uint64_t owner = sight->keys->tick.owner, load = sight->keys->tick.load, part = sight->keys->tick.part;
	uint32_t group = find_group(loads, owner);

	if (!owner || (group == RULE_NONE && loads->count == GROUPS_MAX))
		return;
	if (group == RULE_NONE) {
		group = loads->count++;
		loads->owners[group] = owner;
	}
	if (load >= part)
		note_rest(state, sight, group, load - part);
	struct load_cpu *cpu = state_of_cpu(state, sight->cpu);
	struct load_part *own = &cpu->parts[group];
	cpu->known |= UINT32_C(1) << group;
	own->most = added_here(sight);
	own->seen_ns = sight->machine->now_ns;
	own->may_grow = false;
	bool knows_all;
	const uint64_t others = sum_others(state, sight, group, &knows_all);
	if (is_sum(load, own->most + others))
		own->over = 0;
	else if (knows_all)
		own->over++;
	own->heavy = has_share(sight) && is_heavy(sight) ? own->heavy + 1 : 0;
	own->light = has_share(sight) && is_light(sight) ? own->light + 1 : 0;
}

/* Its load may grow by that of a task. */
static void note_growth(struct family_state *state, uint32_t number)
{
	struct load_cpu *cpu = state_of_cpu(state, number);

	for (uint32_t i = 0; i < GROUPS_MAX; i++)
		cpu->parts[i].may_grow = true;
}

static void note(struct family_state *state, const struct sight *sight)
{
	if (sight->kind == SEEN_TICK) {
		note_tick(state, sight);
	} else if (sight->kind == SEEN_ENQUEUE) {
		note_growth(state, sight->cpu);
	} else if (sight->kind == SEEN_UNTHROTTLE ||
		   (sight->kind == SEEN_CHANGE && !(sight->keys && sight->keys->kind == KEY_THROTTLE))) {
		for (uint32_t i = 0; i < sight->machine->cpu_count; i++)
			note_growth(state, i);
	}
}

static const struct invariant_row rows[] = {
    {"group_load_summed", "a group's load is the sum of what its CPUs have added", "load of groups",
     FAIR_C "update_tg_load_avg", "CFS, EEVDF, groups", "keys_tick.load keys_tick.part", SEEN_TICK, STOPS_LONG,
     check_sum},
    {"group_weight_shared", "a group's weight on a CPU is the part of cpu.weight that its load there has",
     "weight of a group's parts", FAIR_C "calc_group_shares, update_cfs_group", "CFS, EEVDF, groups",
     "keys_tick.own keys_tick.queued keys_tick.shares keys_tick.weight keys_tick.load keys_tick.part", SEEN_TICK,
     STOPS_LONG, check_share},
};

const struct invariant_family loads_family = {ROWS_OF(rows), sizeof(struct loads), sizeof(struct load_cpu),
					      .note = note};
