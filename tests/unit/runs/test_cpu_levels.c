/* SPDX-License-Identifier: MIT
 *
 * How near two CPUs are, from groups in texts. */
#include "base/cpu_list.h"
#include "runs/cpu_levels.h"
#include "support/unit.h"

static struct cpu_levels levels;

static const struct run_topology full = {.smt = "0-1 2-3 4-5 6-7 8", .llc = "0-3 4-5 6-7 8", .node = "0-3 4-8"};

TEST(the_nearest_level_counts)
{
	cpu_levels_read(&full, &levels);
	assert_int_equal(cpu_levels_between(&levels, 2, 2), CPU_LEVEL_SAME);
	assert_int_equal(cpu_levels_between(&levels, 1, 0), CPU_LEVEL_SMT);
	assert_int_equal(cpu_levels_between(&levels, 1, 2), CPU_LEVEL_LLC);
	assert_int_equal(cpu_levels_between(&levels, 4, 7), CPU_LEVEL_NODE);
	assert_int_equal(cpu_levels_between(&levels, 3, 4), CPU_LEVEL_REMOTE);
	assert_int_equal(cpu_levels_between(&levels, 3, 4000000000), CPU_LEVEL_REMOTE);
}

TEST(a_kernel_without_numa_has_one_node)
{
	cpu_levels_read(&(struct run_topology){.smt = "0 1"}, &levels);
	assert_int_equal(cpu_levels_between(&levels, 0, 1), CPU_LEVEL_NODE);
}

TEST(levels_of_some_cpus)
{
	cpu_set_t cpus;

	cpu_levels_read(&full, &levels);
	assert_true(cpu_list_parse("0-3", &cpus));
	assert_int_equal(cpu_levels_of(&levels, &cpus),
			 1u << CPU_LEVEL_SAME | 1u << CPU_LEVEL_SMT | 1u << CPU_LEVEL_LLC);
}

TEST(blocks_follow_each_other)
{
	cpu_set_t cpus;

	cpu_levels_read(&full, &levels);
	assert_true(cpu_list_parse("0-7", &cpus));
	assert_true(cpu_levels_are_blocks(&levels, CPU_LEVEL_SMT, &cpus, 2));
	assert_true(cpu_levels_are_blocks(&levels, CPU_LEVEL_NODE, &cpus, 4));
	assert_false(cpu_levels_are_blocks(&levels, CPU_LEVEL_SMT, &cpus, 1));
	assert_false(cpu_levels_are_blocks(&levels, CPU_LEVEL_SMT, &cpus, 4));
	assert_false(cpu_levels_are_blocks(&levels, CPU_LEVEL_LLC, &cpus, 4));
	cpu_levels_read(&(struct run_topology){.smt = "0,4 1,5 2,6 3,7", .node = "0-7"}, &levels);
	assert_false(cpu_levels_are_blocks(&levels, CPU_LEVEL_SMT, &cpus, 2));
	assert_false(cpu_levels_are_blocks(&levels, CPU_LEVEL_LLC, &cpus, 8)); /* not shown */
	assert_true(cpu_levels_are_blocks(&levels, CPU_LEVEL_NODE, &cpus, 8));
}

TEST(takes_no_other_texts)
{
	cpu_levels_read(&(struct run_topology){.smt = "  x 9-1 0-1", .llc = "", .node = "0-99999"}, &levels);
	assert_int_equal(cpu_levels_between(&levels, 0, 1), CPU_LEVEL_SMT);
	assert_int_equal(cpu_levels_between(&levels, 0, 2), CPU_LEVEL_NODE);
}

TEST(capacities_are_read_from_text_that_may_be_anything)
{
	cpu_levels_read(&(struct run_topology){.capacity = "0-1=512 2,4=1024"}, &levels);
	assert_int_equal(levels.capacities[0], 512);
	assert_int_equal(levels.capacities[1], 512);
	assert_int_equal(levels.capacities[2], 1024);
	assert_int_equal(levels.capacities[3], 0);
	assert_int_equal(levels.capacities[4], 1024);
	cpu_levels_read(&(struct run_topology){.capacity = "0 1= 2=0 3=1025 4=99999999999 x=5 6=-1 =7 7=8"}, &levels);
	for (unsigned int cpu = 0; cpu < 7; cpu++)
		assert_int_equal(levels.capacities[cpu], 0);
	assert_int_equal(levels.capacities[7], 8);
	assert_false(cpu_capacities_differ(&(struct run_topology){.capacity = "0-3=1024"}));
	assert_true(cpu_capacities_differ(&(struct run_topology){.capacity = "0=1 1=2"}));
	assert_false(cpu_capacities_differ(&(struct run_topology){.capacity = NULL}));
}
