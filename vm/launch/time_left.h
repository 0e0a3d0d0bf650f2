/* SPDX-License-Identifier: MIT
 *
 * How long boots still take, by what those before them took. Parts of a boot are the time until its first workload (0),
 * and each workload (from 1); the last one ends with the boot. */
#ifndef VM_LAUNCH_TIME_LEFT_H
#define VM_LAUNCH_TIME_LEFT_H

#include <stddef.h>

struct part_time {
	double sum_s;
	size_t count;
};

struct part_times {
	struct part_time *items;
	size_t count;
};

/* Where a boot is that runs: for so long in this part. */
struct boot_place {
	size_t part;
	double since_s;
};

void part_times_begin(struct part_times *times, size_t workloads);
void part_times_free(struct part_times *times);
/* Adds what a part took in one boot. Guests count their workloads: parts that there are not are ignored. */
void part_times_add(struct part_times *times, size_t part, double seconds);
/* The seconds until the running boots and as many as wait have ended, of which so many run at a time. A workload that
 * has not run yet takes as long as the mean of the others. Negative: not known yet. */
double time_left_s(const struct part_times *times, const struct boot_place *running, size_t running_count,
		   size_t waiting, size_t jobs);
/* ", about 3 min left"; "" if seconds is negative. */
void format_time_left(double seconds, char *text, size_t size);

#endif
