/* SPDX-License-Identifier: MIT */
#include "measure/affinity.h"
#include "support/text_run.h"

static void take(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	(void)states;
	(void)event;
	for (unsigned int i = 0; step->changes & STEP_SLICE && i < step->slice_count; i++)
		affinity_add(context, &step->slices[i]);
}

/* m leaves CPU 0 and is found running there without a switch to it: Linux 6.18 leaves some out. */
TEST(test_a_run_whose_switch_is_missing)
{
	struct task_states states = {0};
	struct affinity affinity = {0};

	text_run(&states,
		 TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "m", 10, 120)
		     TEXT_SWITCH(0, "000010", "m", 10, 120, "S", "s", 11, 120)
			 TEXT_WAKEUP(0, "000015", 11, "m", 10, 120, 0)
			     TEXT_SWITCH(0, "000020", "m", 10, 120, "S", "s", 11, 120),
		 take, &affinity);
	assert_int_equal(affinity.tasks[text_run_task(&states, 10)].runs, 2);
	assert_int_equal(affinity.tasks[text_run_task(&states, 11)].runs, 1);
	affinity_free(&affinity);
	/* Before and after a loss it may be the same run. */
	task_states_free(&states);
	affinity = (struct affinity){0};
	text_run(&states,
		 TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "m", 10, 120) TEXT_LOST(0)
		     TEXT_SWITCH(0, "000010", "m", 10, 120, "S", "s", 11, 120),
		 take, &affinity);
	assert_int_equal(affinity.tasks[text_run_task(&states, 10)].runs, 1);
	affinity_free(&affinity);
	task_states_free(&states);
}

TEST(test_score)
{
	assert_int_equal(affinity_score(1, 1, 0), -1);
	assert_int_equal(affinity_score(4, 1, 2), 3333);
	assert_int_equal(affinity_score(5, 1, 0), 10000);
	assert_int_equal(affinity_score(5, 1, 4), 0);
	assert_int_equal(affinity_score(10, 2, 2), 7500); /* two tasks of a name */
}

TEST(test_sets_of_many_cpus)
{
	struct cpu_sets sets = {0}, union_of = {0};
	char text_of[64], small[12];

	cpu_sets_list(&sets, 3, text_of, sizeof(text_of));
	assert_string_equal(text_of, "");
	for (uint32_t cpu = 0; cpu < 8192; cpu += 4095)
		cpu_sets_add(&sets, 100, cpu);
	cpu_sets_add(&sets, 3, 33);
	cpu_sets_add(&sets, 3, 32);
	cpu_sets_add(&sets, 3, 0);
	assert_false(cpu_sets_have(&sets, 100, 1));
	assert_false(cpu_sets_have(&sets, 100, 1u << 31));
	assert_false(cpu_sets_have(&sets, 1u << 31, 0));
	cpu_sets_list(&sets, 100, text_of, sizeof(text_of));
	assert_string_equal(text_of, "0,4095,8190");
	cpu_sets_list(&sets, 100, small, sizeof(small));
	assert_string_equal(small, "0,4095...");
	cpu_sets_mask(&sets, 3, text_of, sizeof(text_of));
	assert_string_equal(text_of, "3,00000001");
	cpu_sets_merge(&union_of, 0, &sets, 3);
	cpu_sets_merge(&union_of, 0, &sets, 100);
	cpu_sets_list(&union_of, 0, text_of, sizeof(text_of));
	assert_string_equal(text_of, "0,32-33,4095,8190");
	cpu_sets_free(&sets);
	cpu_sets_free(&union_of);
}
