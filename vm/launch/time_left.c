/* SPDX-License-Identifier: MIT */
#include "vm/launch/time_left.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void part_times_begin(struct part_times *times, size_t workloads)
{
	times->count = workloads + 1;
	times->items = xcalloc(times->count, sizeof(*times->items));
}

void part_times_free(struct part_times *times)
{
	free(times->items);
	*times = (struct part_times){0};
}

void part_times_add(struct part_times *times, size_t part, double seconds)
{
	if (part >= times->count)
		return;
	times->items[part].sum_s += seconds;
	times->items[part].count++;
}

static double mean_of(const struct part_time *time)
{
	return time->sum_s / (double)time->count;
}

/* NaN: no workload has ended. */
static double mean_workload(const struct part_times *times)
{
	double sum_s = 0;
	size_t known = 0;

	for (size_t part = 1; part < times->count; part++)
		if (times->items[part].count) {
			sum_s += mean_of(&times->items[part]);
			known++;
		}
	return known ? sum_s / (double)known : NAN;
}

static double part_time(const struct part_times *times, size_t part, double workload_s)
{
	return times->items[part].count ? mean_of(&times->items[part]) : part ? workload_s : NAN;
}

/* Seconds left of a boot at this place. NaN: not known. */
static double boot_left(const struct part_times *times, const struct boot_place *place, double workload_s)
{
	double left_s = 0;

	for (size_t part = place->part; part < times->count; part++) {
		const double whole_s = part_time(times, part, workload_s);
		const double spent_s = part == place->part ? place->since_s : 0;
		left_s += spent_s > whole_s ? 0 : whole_s - spent_s;
	}
	return left_s;
}

double time_left_s(const struct part_times *times, const struct boot_place *running, size_t running_count,
		   size_t waiting, size_t jobs)
{
	const double workload_s = mean_workload(times);
	const size_t boots = running_count + waiting, side_by_side = jobs < boots ? jobs : boots;
	double sum_s = 0, longest_s = 0;

	for (size_t i = 0; i < running_count; i++) {
		const double left_s = boot_left(times, &running[i], workload_s);
		sum_s += left_s;
		longest_s = fmax(longest_s, left_s);
	}
	if (waiting)
		sum_s += (double)waiting * boot_left(times, &(struct boot_place){0}, workload_s);
	if (isnan(sum_s) || side_by_side == 0)
		return -1;
	return fmax(sum_s / (double)side_by_side, longest_s);
}

void format_time_left(double seconds, char *text, size_t size)
{
	const bool is_short = seconds < 90;

	text[0] = '\0';
	if (seconds >= 0)
		snprintf(text, size, ", about %.0f %s left", ceil(is_short ? seconds : seconds / 60),
			 is_short ? "s" : "min");
}
