/* SPDX-License-Identifier: MIT */
#include "measure/inversions.h"
#include "support/text_run.h"

static void take(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	inversions_step(context, states, event->cpu, event->ts_ns, step);
}

static uint64_t us(uint64_t microseconds)
{
	return 100000000000u + microseconds * 1000;
}

static struct task_states states;
static struct inversions inversions;

static void run(const char *text, uint64_t end_us)
{
	text_run(&states, text, take, &inversions);
	inversions_end(&inversions, &states, us(end_us));
}

static int forget(void **state)
{
	inversions_free(&inversions);
	task_states_free(&states);
	inversions = (struct inversions){0};
	states = (struct task_states){0};
	return 0;
}

/* rt waits on CPU 0 from 20 us to 90 us: behind low-a until 40 us, then low-b. */
static const char two_in_a_row[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low-a", 10, 120)
    TEXT_WAKEUP(0, "000020", 10, "rt", 11, 49, 0) TEXT_SWITCH(0, "000040", "low-a", 10, 120, "S", "low-b", 12, 139)
	TEXT_SWITCH(0, "000090", "low-b", 12, 139, "R", "rt", 11, 49)
	    TEXT_SWITCH(0, "000100", "rt", 11, 49, "S", "low-b", 12, 139);

TEST_WITH(test_blames_the_one_that_ran_longest, NULL, forget)
{
	run(two_in_a_row, 100);
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
}

TEST_WITH(test_shorter_than_the_threshold, NULL, forget)
{
	inversions = (struct inversions){.threshold_ns = 70001};
	run(two_in_a_row, 100);
	assert_int_equal(inversions.times, 0);
	assert_int_equal(inversions.pair_count, 0);
}

/* Equals and the idle task do not invert; nice -20 waits for nice 0 from 30 us to 50 us, which --real-time ignores. */
static const char fair_ones[] =
    TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "a", 10, 120) TEXT_WAKEUP(0, "000010", 10, "b", 11, 120, 0)
	TEXT_WAKEUP(0, "000030", 10, "nice", 12, 100, 0) TEXT_SWITCH(0, "000050", "a", 10, 120, "S", "nice", 12, 100)
	    TEXT_SWITCH(0, "000060", "nice", 12, 100, "S", "swapper/0", 0, 120)
		TEXT_SWITCH(0, "000070", "swapper/0", 0, 120, "R", "b", 11, 120)
		    TEXT_SWITCH(0, "000080", "b", 11, 120, "S", "swapper/0", 0, 120);

TEST_WITH(test_equals_do_not_invert, NULL, forget)
{
	for (int real_time = 0; real_time < 2; real_time++) {
		inversions = (struct inversions){.real_time_only = real_time};
		run(fair_ones, 80);
		assert_int_equal(inversions.times, real_time ? 0 : 1);
		assert_int_equal(inversions.total_ns, real_time ? 0 : 20000);
		forget(state);
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

TEST_WITH(test_on_another_cpu_that_it_was_seen_on, NULL, forget)
{
	for (int seen = 0; seen < 2; seen++) {
		inversions = (struct inversions){.by_comm = true};
		run(seen ? seen_there : not_seen_there, 70);
		assert_int_equal(inversions.times, seen);
		assert_int_equal(inversions.total_ns, seen ? 20000 : 0);
		forget(state);
	}
}

/* Two inversions of one pair, the second cut by the end; a loss in a third run forgets it. */
static const char twice[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low", 10, 120)
    TEXT_WAKEUP(0, "000010", 10, "rt", 11, 49, 0) TEXT_SWITCH(0, "000020", "low", 10, 120, "R", "rt", 11, 49)
	TEXT_SWITCH(0, "000030", "rt", 11, 49, "R", "low", 10, 120) TEXT_WAKEUP(0, "000060", 10, "other", 12, 120, 0);
static const char lossy[] =
    TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low", 10, 120) TEXT_WAKEUP(0, "000010", 10, "rt", 11, 49, 0)
	TEXT_LOST(0) TEXT_SWITCH(0, "000060", "low", 10, 120, "S", "swapper/0", 0, 120);

TEST_WITH(test_pairs_add_up_and_losses_forget, NULL, forget)
{
	inversions = (struct inversions){.by_comm = true};
	for (uint64_t runs = 1; runs <= 2; runs++) {
		run(twice, 60);
		assert_int_equal(inversions.pair_count, 1);
		assert_int_equal(inversions.pairs[0].times, runs * 2);
		assert_int_equal(inversions.pairs[0].total_ns, runs * 40000);
		assert_int_equal(inversions.pairs[0].max_ns, 30000);
	}
	run(lossy, 60);
	assert_int_equal(inversions.pairs[0].times, 4);
}

struct expected {
	uint64_t times, total_ns;
	int32_t waiting_prio, running_prio;
};

/* The inversions of one pair of tasks, with these priorities. */
static void expect_pairs(const char *text, uint64_t end_us, const struct expected *expected, uint32_t count)
{
	run(text, end_us);
	assert_int_equal(inversions.pair_count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(inversions.pairs[i].waiting_prio, expected[i].waiting_prio);
		assert_int_equal(inversions.pairs[i].running_prio, expected[i].running_prio);
		assert_int_equal(inversions.pairs[i].times, expected[i].times);
		assert_int_equal(inversions.pairs[i].total_ns, expected[i].total_ns);
	}
	forget(NULL);
}

/* mid waits for low from 20 us to 90 us; low inherits the priority of one that waits for its lock, from 30 to 80. */
#define BOOSTED(boost, end, last_prio)                                                                                 \
	TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low", 10, 120)                                             \
	TEXT_WAKEUP(0, "000020", 10, "mid", 11, 79, 0)                                                                 \
	boost end TEXT_SWITCH(0, "000090", "low", 10, last_prio, "S", "mid", 11, 79)

TEST(test_inheritance_ends_an_inversion)
{
	static const struct expected expected[] = {{2, 20000, 79, 120}};

	expect_pairs(BOOSTED(TEXT_SET_PRIO(1, "000030", 12, "low", 10, 120, 69),
			     TEXT_SET_PRIO(0, "000080", 10, "low", 10, 69, 120), 120),
		     90, expected, 1);
	/* To 89 it is another inversion. */
	static const struct expected to_89[] = {{2, 20000, 79, 120}, {1, 50000, 79, 89}};
	expect_pairs(BOOSTED(TEXT_SET_PRIO(1, "000030", 12, "low", 10, 120, 89),
			     TEXT_SET_PRIO(0, "000080", 10, "low", 10, 89, 120), 120),
		     90, to_89, 2);
	/* By a deadline task. */
	static const struct expected at_first[] = {{1, 10000, 79, 120}};
	expect_pairs(BOOSTED(TEXT_SET_PRIO(1, "000030", 12, "low", 10, 120, -1), "", -1), 90, at_first, 1);
}

/* Without an event of its own, a change is at some time before the event that shows it. */
TEST(test_unrecorded_changes_are_in_doubt)
{
	static const struct expected either_way[] = {{1, 70000, 79, 120}};
	static const struct expected since_seen[] = {{1, 20000, 79, 120}};

	expect_pairs(BOOSTED("", "", 69), 90, NULL, 0);
	expect_pairs(BOOSTED("", "", 89), 90, either_way, 1);
	/* A spurious wakeup of low shows that it still has its priority. */
	expect_pairs(BOOSTED(TEXT_WAKEUP(1, "000040", 0, "low", 10, 120, 0), "", 69), 90, since_seen, 1);
	/* mid runs before low shows its own. */
	expect_pairs(TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "mid", 11, 79)
			 TEXT_SWITCH(1, "000001", "swapper/1", 0, 120, "R", "low", 10, 120)
			     TEXT_SWITCH(0, "000002", "mid", 11, 79, "S", "urgent", 12, 9)
				 TEXT_SWITCH(1, "000003", "low", 10, 120, "R", "mid", 11, 79)
				     TEXT_SWITCH(1, "000004", "mid", 11, 79, "R", "low", 10, 120)
					 TEXT_MIGRATE(1, "000010", 10, "mid", 11, 79, 1, 0)
					     TEXT_SWITCH(0, "000050", "urgent", 12, 9, "S", "mid", 11, 79)
						 TEXT_SWITCH(1, "000090", "low", 10, 69, "S", "swapper/1", 0, 120),
		     90, NULL, 0);
	/* sched_pi_setprio also shows the priority until then, which counts, whatever the new one is. */
	expect_pairs(BOOSTED(TEXT_SET_PRIO(1, "000040", 12, "low", 10, 139, 69), "", 69), 90, since_seen, 1);
	static const struct expected since_set[] = {{1, 50000, 79, 139}};
	expect_pairs(BOOSTED(TEXT_SET_PRIO(1, "000040", 12, "low", 10, 69, 139), "", 139), 90, since_set, 1);
	/* The waiting task: its own priority is lower when it runs. */
	expect_pairs(TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "low", 10, 120)
			 TEXT_WAKEUP(0, "000020", 10, "mid", 11, 79, 0)
			     TEXT_MIGRATE(0, "000030", 10, "mid", 11, 79, 0, 0)
				 TEXT_SWITCH(0, "000090", "low", 10, 120, "S", "mid", 11, 130),
		     90, (const struct expected[]){{1, 10000, 79, 120}}, 1);
}

/* A stopper has priority 0 and outranks a deadline task; a watchdog with this priority does not. */
TEST(test_a_stopper_outranks_deadlines)
{
	expect_pairs(TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "dl", 10, -1)
			 TEXT_SWITCH(0, "000020", "dl", 10, -1, "R", "migration/0", 11, 0)
			     TEXT_SWITCH(0, "000040", "migration/0", 11, 0, "S", "watchdog/0", 12, 0)
				 TEXT_SWITCH(0, "000050", "watchdog/0", 12, 0, "S", "dl", 10, -1),
		     50, (const struct expected[]){{1, 10000, -1, 0}}, 1);
}
