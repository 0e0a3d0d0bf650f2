/* SPDX-License-Identifier: MIT */
#include "rules/virtual_time.h"

/* scale_load_down(): weights of groups and tasks are counted without their lower bits, but never as 0. */
static uint64_t reduce(uint64_t weight, unsigned int shift)
{
	uint64_t reduced = shift < 64 ? weight >> shift : 0;

	return reduced < 2 ? 2 : reduced;
}

uint64_t virtual_time_weight(const struct rule_traits *traits, uint64_t weight, unsigned int sum_shift)
{
	if (!traits->has_sum_shift)
		return weight ? reduce(weight, RULE_WEIGHT_SHIFT) : 0;
	return sum_shift ? reduce(weight, sum_shift) : weight;
}

struct virtual_time virtual_time_of(const struct rule_traits *traits, const struct rule_level *level)
{
	struct virtual_time time = {.base = level->count ? level->entities[0].vruntime : 0};

	for (uint32_t i = 0; i < level->count; i++) {
		const struct rule_entity *entity = &level->entities[i];
		const uint64_t weight = virtual_time_weight(traits, entity->weight, level->sum_shift);
		time.weighted += (rule_wide)rule_difference(entity->vruntime, time.base) * weight;
		time.weight += weight;
	}
	return time;
}

struct virtual_time virtual_time_with(const struct virtual_time *time, uint64_t vruntime, uint64_t counted_weight)
{
	return (struct virtual_time){.base = time->base,
				     .weighted = time->weighted +
						 (rule_wide)rule_difference(vruntime, time->base) * counted_weight,
				     .weight = time->weight + counted_weight};
}

struct virtual_time virtual_time_without(const struct virtual_time *time, uint64_t vruntime, uint64_t counted_weight)
{
	return (struct virtual_time){.base = time->base,
				     .weighted = time->weighted -
						 (rule_wide)rule_difference(vruntime, time->base) * counted_weight,
				     .weight = time->weight - counted_weight};
}

uint64_t virtual_time_floor(const struct virtual_time *time)
{
	if (time->weight == 0)
		return time->base;
	const rule_wide whole = time->weighted / (rule_wide)time->weight;
	const bool is_above = time->weighted % (rule_wide)time->weight < 0;
	return time->base + (uint64_t)whole - is_above;
}

uint64_t virtual_time_place(const struct virtual_time *others, int64_t lag, uint64_t counted_weight)
{
	/* Joining moves V; the lag is inflated, so that it is what remains. */
	const rule_wide inflated =
	    (rule_wide)lag * (rule_wide)(others->weight + counted_weight) / (rule_wide)others->weight;

	return virtual_time_floor(others) - (uint64_t)inflated;
}

bool virtual_time_eligible(const struct virtual_time *time, uint64_t vruntime)
{
	return time->weighted >= (rule_wide)rule_difference(vruntime, time->base) * time->weight;
}

int64_t virtual_time_lag(const struct virtual_time *time, uint64_t vruntime)
{
	if (time->weight == 0)
		return 0;
	return rule_difference(virtual_time_floor(time), vruntime);
}

int64_t virtual_to_cpu(int64_t virtual_ns, uint64_t weight)
{
	return (int64_t)((rule_wide)virtual_ns * weight / (rule_wide)RULE_NICE_0_WEIGHT);
}

uint64_t virtual_granularity(uint64_t cpu_ns, uint64_t weight)
{
	return cpu_to_virtual(cpu_ns, reduce(weight, RULE_WEIGHT_SHIFT) << RULE_WEIGHT_SHIFT);
}

uint64_t cpu_to_virtual(uint64_t cpu_ns, uint64_t weight)
{
	return weight ? (uint64_t)((rule_wide)cpu_ns * RULE_NICE_0_WEIGHT / weight) : cpu_ns;
}
