/* SPDX-License-Identifier: MIT */
#include "rules/placement.h"

/* select_idle_sibling(): cpu is the waker's or the previous one. */
static uint64_t choose_near(const struct placement *placement, uint32_t cpu)
{
	const uint64_t idle = placement->idle | placement->gives_way, previous = cpu_bit(placement->previous);
	const uint64_t stacked = placement->may_stack ? previous : 0;
	uint32_t at = cpu, left = placement->scan;

	if (idle & cpu_bit(cpu))
		return cpu_bit(cpu);
	if (idle & previous)
		return previous;
	if (placement->recent != placement->previous && (idle & placement->cpus & cpu_bit(placement->recent)))
		return cpu_bit(placement->recent) | stacked;
	for (uint32_t i = 0; i < 64 && left; i++) {
		at = (at + 1) % 64;
		if (!(placement->cpus & cpu_bit(at)))
			continue;
		left--;
		if (idle & cpu_bit(at))
			return cpu_bit(at) | stacked;
	}
	return cpu_bit(cpu) | stacked;
}

/* wake_affine(), as far as loads do not decide. */
static uint64_t choose_cpu(const struct placement *placement, bool has_hint)
{
	const uint32_t cpu = placement->cpu, previous = placement->previous;

	if (cpu == previous || !(placement->cpus & cpu_bit(cpu)))
		return choose_near(placement, previous);
	if (placement->idle & cpu_bit(cpu))
		return choose_near(placement, placement->idle & cpu_bit(previous) ? previous : cpu);
	if (has_hint)
		return choose_near(placement, cpu);
	return choose_near(placement, previous) |
	       (placement->idle & cpu_bit(previous) ? 0 : choose_near(placement, cpu));
}

uint64_t placement_choice(const struct placement *placement, enum placement_step *step)
{
	const uint64_t idle = placement->idle | placement->gives_way, previous = cpu_bit(placement->previous);
	const bool has_hint = placement->has_hint && placement->is_lone && placement->sleeps;
	uint64_t choice;

	*step = PLACED_BY_PRIORITY;
	if (placement->is_real_time)
		return (idle & placement->cpus & ~placement->unknown) ? placement->idle | placement->unknown : 0;
	/* sched_balance_find_dst_group(): each CPU is a group of its own. */
	*step = PLACED_NEW;
	if (placement->is_new)
		return (placement->idle & placement->cpus & ~placement->unknown)
			   ? (placement->idle | placement->unknown) & placement->cpus
			   : 0;
	if (!(placement->cpus & previous) || ((placement->cpus | cpu_bit(placement->cpu)) & placement->unknown))
		return 0;
	choice = choose_cpu(placement, has_hint);
	if (placement->has_hint && !has_hint)
		choice |= choose_cpu(placement, true);
	if (placement->may_be_wide)
		choice |= choose_near(placement, placement->previous);
	*step = choice == previous && (idle & previous)  ? PLACED_ON_PREVIOUS
		: choice != choose_cpu(placement, false) ? PLACED_BY_HINT
							 : PLACED_BY_SEARCH;
	/* Any CPU that it may use is no choice. */
	return placement->cpus & ~choice ? choice : 0;
}
