/* SPDX-License-Identifier: MIT */
#include "analysis/inversions.h"
#include "support/text_run.h"

static void take(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	assert_true(inversions_step(context, states, event, step));
}

static uint64_t us(uint64_t microseconds)
{
	return 100000000000u + microseconds * 1000;
}

/* rt waits on CPU 0 from 20 us to 90 us: behind low-a until 40 us, then low-b. */
static const char two_in_a_row[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low-a", 10, 120)
    TEXT_WAKEUP(0, "000020", 10, "rt", 11, 49, 0) TEXT_SWITCH(0, "000040", "low-a", 10, 120, "S", "low-b", 12, 139)
	TEXT_SWITCH(0, "000090", "low-b", 12, 139, "R", "rt", 11, 49)
	    TEXT_SWITCH(0, "000100", "rt", 11, 49, "S", "low-b", 12, 139);

static void test_blames_the_one_that_ran_longest(void **state)
{
	struct task_states states = {0};
	struct inversions inversions = {0};

	(void)state;
	text_run(&states, two_in_a_row, take, &inversions);
	assert_true(inversions_end(&inversions, &states, us(100)));
	assert_int_equal(inversions.times, 1);
	assert_int_equal(inversions.total_ns, 70000);
	assert_int_equal(inversions.pair_count, 1);
	assert_int_equal(states.tasks[inversions.pairs[0].waiting].pid, 11);
	assert_int_equal(states.tasks[inversions.pairs[0].running].pid, 12);
	assert_int_equal(inversions.pairs[0].waiting_prio, 49);
	assert_int_equal(inversions.pairs[0].running_prio, 139);
	assert_int_equal(inversions.pairs[0].max_ns, 70000);
	assert_int_equal(inversions.longest.list[0].since_ns, us(20));
	assert_int_equal(inversions.longest.list[0].cpu, 0);
	inversions_free(&inversions);
	task_states_free(&states);
}

static void test_shorter_than_the_threshold(void **state)
{
	struct task_states states = {0};
	struct inversions inversions = {.threshold_ns = 70001};

	(void)state;
	text_run(&states, two_in_a_row, take, &inversions);
	assert_true(inversions_end(&inversions, &states, us(100)));
	assert_int_equal(inversions.times, 0);
	assert_int_equal(inversions.pair_count, 0);
	inversions_free(&inversions);
	task_states_free(&states);
}

/* Equals and the idle task do not invert; nice -20 waits for nice 0 from 30 us to 50 us, which --real-time ignores. */
static const char fair_ones[] =
    TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "a", 10, 120) TEXT_WAKEUP(0, "000010", 10, "b", 11, 120, 0)
	TEXT_WAKEUP(0, "000030", 10, "nice", 12, 100, 0) TEXT_SWITCH(0, "000050", "a", 10, 120, "S", "nice", 12, 100)
	    TEXT_SWITCH(0, "000060", "nice", 12, 100, "S", "swapper/0", 0, 120)
		TEXT_SWITCH(0, "000070", "swapper/0", 0, 120, "R", "b", 11, 120)
		    TEXT_SWITCH(0, "000080", "b", 11, 120, "S", "swapper/0", 0, 120);

static void test_equals_do_not_invert(void **state)
{
	(void)state;
	for (int real_time = 0; real_time < 2; real_time++) {
		struct task_states states = {0};
		struct inversions inversions = {.real_time_only = real_time};

		text_run(&states, fair_ones, take, &inversions);
		assert_true(inversions_end(&inversions, &states, us(80)));
		assert_int_equal(inversions.times, real_time ? 0 : 1);
		assert_int_equal(inversions.total_ns, real_time ? 0 : 20000);
		inversions_free(&inversions);
		task_states_free(&states);
	}
}

/* rt waits on CPU 0 behind one that is more urgent, while low runs on CPU 1: an inversion only where rt was seen there
 * before (from 30 us, when it waits, to 50 us, when low leaves). */
#define ELSEWHERE                                                                                                      \
	TEXT_SWITCH(0, "000005", "swapper/0", 0, 120, "R", "urgent", 12, 9)                                            \
	TEXT_SWITCH(1, "000010", "any", 13, 120, "S", "low", 10, 120)                                                  \
	TEXT_WAKEUP(0, "000030", 12, "rt", 11, 49, 0)                                                                  \
	TEXT_SWITCH(1, "000050", "low", 10, 120, "S", "swapper/1", 0, 120)                                             \
	TEXT_SWITCH(0, "000070", "urgent", 12, 9, "S", "rt", 11, 49)
static const char seen_there[] = TEXT_SWITCH(1, "000001", "rt", 11, 49, "S", "any", 13, 120) ELSEWHERE;
static const char not_seen_there[] = TEXT_SWITCH(1, "000001", "other", 14, 49, "S", "any", 13, 120) ELSEWHERE;

static void test_on_another_cpu_that_it_was_seen_on(void **state)
{
	(void)state;
	for (int seen = 0; seen < 2; seen++) {
		struct task_states states = {0};
		struct inversions inversions = {.by_comm = true};

		text_run(&states, seen ? seen_there : not_seen_there, take, &inversions);
		assert_true(inversions_end(&inversions, &states, us(70)));
		assert_int_equal(inversions.times, seen);
		assert_int_equal(inversions.total_ns, seen ? 20000 : 0);
		inversions_free(&inversions);
		task_states_free(&states);
	}
}

/* Two inversions of one pair, the second cut by the end; a loss in a third run forgets it. */
static const char twice[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low", 10, 120)
    TEXT_WAKEUP(0, "000010", 10, "rt", 11, 49, 0) TEXT_SWITCH(0, "000020", "low", 10, 120, "R", "rt", 11, 49)
	TEXT_SWITCH(0, "000030", "rt", 11, 49, "R", "low", 10, 120) TEXT_WAKEUP(0, "000060", 10, "other", 12, 120, 0);
static const char lossy[] =
    TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low", 10, 120) TEXT_WAKEUP(0, "000010", 10, "rt", 11, 49, 0)
	TEXT_LOST(0) TEXT_SWITCH(0, "000060", "low", 10, 120, "S", "swapper/0", 0, 120);

static void test_pairs_add_up_and_losses_forget(void **state)
{
	struct task_states states = {0};
	struct inversions inversions = {.by_comm = true};

	(void)state;
	for (uint64_t runs = 1; runs <= 2; runs++) {
		text_run(&states, twice, take, &inversions);
		assert_true(inversions_end(&inversions, &states, us(60)));
		assert_int_equal(inversions.pair_count, 1);
		assert_int_equal(inversions.pairs[0].times, runs * 2);
		assert_int_equal(inversions.pairs[0].total_ns, runs * 40000);
		assert_int_equal(inversions.pairs[0].max_ns, 30000);
	}
	text_run(&states, lossy, take, &inversions);
	assert_true(inversions_end(&inversions, &states, us(60)));
	assert_int_equal(inversions.pairs[0].times, 4);
	inversions_free(&inversions);
	task_states_free(&states);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_blames_the_one_that_ran_longest),
	    cmocka_unit_test(test_shorter_than_the_threshold),
	    cmocka_unit_test(test_equals_do_not_invert),
	    cmocka_unit_test(test_on_another_cpu_that_it_was_seen_on),
	    cmocka_unit_test(test_pairs_add_up_and_losses_forget),
	};

	return cmocka_run_group_tests_name("inversions", tests, NULL, NULL);
}
