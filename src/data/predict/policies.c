/* SPDX-License-Identifier: MIT */
#include "data/predict/policies.h"

#include <math.h>

#define PRIO_FAIR_MIN   100
#define PRIO_NICE_0     120
#define BASE_SLICE_NS   3000000u /* the kernel's default on several CPUs, if the run does not say */
#define CLASS_REAL_TIME 0
#define CLASS_ELIGIBLE  1
#define CLASS_OTHER     2

/* Lower is chosen earlier. */
struct rank {
	double class, value;
};

static double known(uint64_t value)
{
	return value == UINT64_MAX ? 0 : (double)value;
}

/* By which real time passes faster than virtual time. */
static double weight_of(int32_t prio)
{
	return prio == PRIO_NICE_0 ? 1 : pow(1.25, PRIO_NICE_0 - prio);
}

static double virtual_runtime(const struct predict_candidates *candidates, uint32_t i)
{
	return known(candidates->runtime_ns[i]) / weight_of(candidates->prios[i]);
}

/* Of the candidates of the fair class, by weight. */
static double mean_virtual_runtime(const struct predict_candidates *candidates)
{
	double sum = 0, weights = 0;

	for (uint32_t i = 0; i < candidates->count; i++) {
		if (candidates->prios[i] < PRIO_FAIR_MIN)
			continue;
		double weight = weight_of(candidates->prios[i]);
		sum += weight * virtual_runtime(candidates, i);
		weights += weight;
	}
	return weights > 0 ? sum / weights : 0;
}

static struct rank rank_eevdf(const struct predict_row *row, uint32_t i, double mean)
{
	const struct predict_candidates *candidates = &row->candidates;
	uint64_t base = row->base_slice_ns ? row->base_slice_ns : BASE_SLICE_NS;
	uint64_t slice = candidates->slice_ns[i] == UINT64_MAX ? 0 : candidates->slice_ns[i];
	double left = (double)(base - (slice < base ? slice : slice % base));
	double runtime = virtual_runtime(candidates, i);

	return (struct rank){runtime <= mean * (1 + 1e-12) ? CLASS_ELIGIBLE : CLASS_OTHER,
			     runtime + left / weight_of(candidates->prios[i])};
}

static struct rank rank_of(enum policy policy, const struct predict_row *row, uint32_t i, double mean)
{
	const struct predict_candidates *candidates = &row->candidates;

	switch (policy) {
	case POLICY_LEAST_RUNTIME:
		return (struct rank){0, known(candidates->runtime_ns[i])};
	case POLICY_HIGHEST_PRIORITY:
		return (struct rank){0, candidates->prios[i]};
	default:
		if (candidates->prios[i] < PRIO_FAIR_MIN)
			return (struct rank){CLASS_REAL_TIME, candidates->prios[i]};
		if (policy == POLICY_EEVDF)
			return rank_eevdf(row, i, mean);
		return (struct rank){CLASS_OTHER, virtual_runtime(candidates, i)};
	}
}

static bool is_before(const struct rank *a, const struct rank *b)
{
	return a->class != b->class ? a->class < b->class : a->value < b->value;
}

uint32_t policy_rank(enum policy policy, const struct predict_row *row)
{
	uint32_t before = 0;

	if (row->chosen >= row->candidates.count)
		return UINT32_MAX;
	if (policy == POLICY_LONGEST_WAITING)
		return row->chosen;
	double mean = policy == POLICY_EEVDF ? mean_virtual_runtime(&row->candidates) : 0;
	const struct rank chosen = rank_of(policy, row, row->chosen, mean);
	for (uint32_t i = 0; i < row->candidates.count; i++) {
		const struct rank rank = rank_of(policy, row, i, mean);
		before += i < row->chosen ? !is_before(&chosen, &rank) : is_before(&rank, &chosen);
	}
	return before;
}
