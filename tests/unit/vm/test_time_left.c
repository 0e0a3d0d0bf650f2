/* SPDX-License-Identifier: MIT
 *
 * How long boots still take, against sums by hand. */
#include <math.h>

#include "support/unit.h"
#include "vm/launch/time_left.h"

static double left(const struct part_times *times, const struct boot_place *running, size_t count, size_t waiting,
		   size_t jobs)
{
	return time_left_s(times, running, count, waiting, jobs);
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9))
		fail_msg("%.9f is not %.9f", value, expected);
}

/* Three workloads: 15 s until the first one, which took 4 s. */
static struct part_times first_workload_ended(void)
{
	struct part_times times;

	part_times_begin(&times, 3);
	part_times_add(&times, 0, 15);
	part_times_add(&times, 1, 4);
	return times;
}

TEST(nothing_is_known_before_a_workload_ends)
{
	struct part_times times;

	part_times_begin(&times, 3);
	assert_true(left(&times, &(struct boot_place){0, 5}, 1, 3, 2) < 0);
	part_times_add(&times, 0, 15);
	assert_true(left(&times, &(struct boot_place){1, 5}, 1, 3, 2) < 0);
	part_times_free(&times);
}

/* A rate is known from the first workload on; those that have not run take as long as those that have. */
TEST(one_boot)
{
	struct part_times times = first_workload_ended();

	assert_near(left(&times, &(struct boot_place){2, 1}, 1, 0, 1), 3 + 4);
	/* It takes longer than expected: the others are left. */
	assert_near(left(&times, &(struct boot_place){2, 9}, 1, 0, 1), 4);
	part_times_add(&times, 2, 10);
	assert_near(left(&times, &(struct boot_place){3, 0}, 1, 0, 1), 7); /* the mean of 4 and 10 */
	assert_near(left(&times, &(struct boot_place){0, 5}, 1, 0, 1), 10 + 4 + 10 + 7);
	part_times_free(&times);
}

TEST(boots_side_by_side)
{
	struct part_times times = first_workload_ended();
	const struct boot_place two[] = {{2, 0}, {3, 0}}; /* 8 s and 4 s; a whole one takes 27 s */

	assert_near(left(&times, two, 2, 2, 2), (8 + 4 + 2 * 27) / 2.0);
	assert_near(left(&times, two, 2, 2, 1), 8 + 4 + 2 * 27);
	/* No longer than by as many CPUs as there are boots, and no shorter than the longest. */
	assert_near(left(&times, two, 2, 0, 8), 8);
	assert_near(left(&times, NULL, 0, 1, 8), 27);
	assert_true(left(&times, NULL, 0, 0, 8) < 0);
	part_times_free(&times);
}

/* The mean of two kernels. */
TEST(means)
{
	struct part_times times = first_workload_ended();

	part_times_add(&times, 1, 8);
	assert_near(left(&times, &(struct boot_place){1, 0}, 1, 0, 1), 3 * 6);
	part_times_free(&times);
}

/* A command without workloads: the boot is one part. */
TEST(without_workloads)
{
	struct part_times times;

	part_times_begin(&times, 0);
	assert_true(left(&times, &(struct boot_place){0, 5}, 1, 1, 1) < 0);
	part_times_add(&times, 0, 20);
	assert_near(left(&times, &(struct boot_place){0, 5}, 1, 1, 1), 15 + 20);
	part_times_free(&times);
}

/* A guest says where it is: any number. */
TEST(parts_that_there_are_not)
{
	struct part_times times = first_workload_ended();

	part_times_add(&times, 4, 1000);
	part_times_add(&times, (size_t)1 << 32, 1000);
	assert_near(left(&times, &(struct boot_place){(size_t)1 << 32, 5}, 1, 0, 1), 0);
	assert_near(left(&times, &(struct boot_place){2, 0}, 1, 0, 1), 8);
	part_times_free(&times);
}

TEST(words)
{
	char text[64];

	format_time_left(-1, text, sizeof(text));
	assert_string_equal(text, "");
	format_time_left(89.2, text, sizeof(text));
	assert_string_equal(text, ", about 90 s left");
	format_time_left(121, text, sizeof(text));
	assert_string_equal(text, ", about 3 min left");
}
