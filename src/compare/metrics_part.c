/* SPDX-License-Identifier: MIT */
#include "compare/metrics_part.h"

#include <math.h>
#include <stddef.h>

#include "compare/metric.h"

void metrics_part_extend(struct metrics_part *part, uint64_t ts_ns, const struct machine_totals *totals)
{
	if (part->has_ended)
		return;
	if (!part->has_begun) {
		part->has_begun = true;
		part->begin_ns = ts_ns;
		part->begin = *totals;
	}
	part->end_ns = ts_ns;
	part->end = *totals;
}

static double percentile_us(const struct distribution *distribution, unsigned int per_mille)
{
	return distribution->count ? (double)distribution_percentile(distribution, per_mille) / 1e3 : NAN;
}

static void set_times(const struct metrics_part *part, double *values)
{
	const struct distribution *slices = &part->slices;
	const struct distribution *wakeups = &part->wakeups;

	if (slices->count)
		values[METRIC_SLICE_MEAN] = (double)slices->sum / (double)slices->count / 1e3;
	values[METRIC_SLICE_P50] = percentile_us(slices, 500);
	values[METRIC_SLICE_P90] = percentile_us(slices, 900);
	values[METRIC_SLICE_P99] = percentile_us(slices, 990);
	values[METRIC_WAKEUP_P50] = percentile_us(wakeups, 500);
	values[METRIC_WAKEUP_P90] = percentile_us(wakeups, 900);
	values[METRIC_WAKEUP_P99] = percentile_us(wakeups, 990);
	if (wakeups->count)
		values[METRIC_WAKEUP_MAX] = (double)wakeups->max / 1e3;
	values[METRIC_PREEMPTED_P50] = percentile_us(&part->preempted, 500);
	values[METRIC_PREEMPTED_P99] = percentile_us(&part->preempted, 990);
}

static void set_migrations(const struct metrics_part *part, double seconds, double *values)
{
	static const uint8_t causes[][2] = {{METRIC_MIGRATIONS_WAKEUP, MIGRATION_WAKEUP},
					    {METRIC_MIGRATIONS_FORK, MIGRATION_FORK},
					    {METRIC_MIGRATIONS_PULL, MIGRATION_PULL},
					    {METRIC_MIGRATIONS_ACTIVE, MIGRATION_ACTIVE}};
	uint64_t other = part->all_migrations;

	values[METRIC_MIGRATIONS] = (double)part->all_migrations / seconds;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		values[causes[i][0]] = (double)part->migrations[causes[i][1]] / seconds;
		other -= part->migrations[causes[i][1]];
	}
	values[METRIC_MIGRATIONS_OTHER] = (double)other / seconds;
}

static void set_machine(const struct metrics_part *part, const struct metrics_known *known, double *values)
{
	const struct machine_totals *begin = &part->begin;
	const struct machine_totals *end = &part->end;
	double seconds = (double)(part->end_ns - part->begin_ns) / 1e9;
	double cpu_ns = (double)(end->cpu_ns - begin->cpu_ns);

	if (cpu_ns > 0) {
		if (known->wakeups)
			values[METRIC_RUN_QUEUE] = (double)(end->queued_ns - begin->queued_ns) / cpu_ns;
		values[METRIC_IDLE_SHARE] = 100.0 * (double)(end->idle_ns - begin->idle_ns) / cpu_ns;
	}
	if (seconds <= 0)
		return;
	values[METRIC_SWITCHES] = (double)(end->switches - begin->switches) / seconds;
	if (known->wakeups)
		values[METRIC_IDLE_WAITING] = (double)(end->idle_waiting_ns - begin->idle_waiting_ns) / 1e6 / seconds;
	if (known->migrations || !known->was_moved)
		set_migrations(part, seconds, values);
}

void metrics_part_values(const struct metrics_part *part, const struct metrics_known *known, double *values)
{
	set_times(part, values);
	if (part->left)
		values[METRIC_INVOLUNTARY_SHARE] = 100.0 * (double)part->involuntary / (double)part->left;
	if (known->all_tasks)
		set_machine(part, known, values);
}

bool metrics_part_is_complete(const struct metrics_part *part)
{
	return part;
}

void metrics_part_free(struct metrics_part *part)
{
	distribution_free(&part->slices);
	distribution_free(&part->wakeups);
	distribution_free(&part->preempted);
}
