/* SPDX-License-Identifier: MIT */
#include "measure/idle_waiting.h"
#include "support/text_run.h"

static void take(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	idle_waiting_step(context, states, event->cpu, event->ts_ns, step);
}

static void finish(struct idle_waiting *waiting, struct task_states *states, uint64_t end_ns)
{
	struct task_slice slice;

	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		if (task_states_end_cpu(states, cpu, end_ns, &slice))
			idle_waiting_cut(waiting, states, &slice);
	idle_waiting_end(waiting, states, end_ns);
}

static uint64_t us(uint64_t microseconds)
{
	return 100000000000u + microseconds * 1000;
}

static struct task_states states;
static struct idle_waiting waiting;

static void run(const char *text, uint64_t end_us)
{
	text_run(&states, text, take, &waiting);
	finish(&waiting, &states, us(end_us));
}

static int forget(void **state)
{
	idle_waiting_free(&waiting);
	task_states_free(&states);
	waiting = (struct idle_waiting){0};
	states = (struct task_states){0};
	return 0;
}

/* CPU 1 idles from 10 us. w has run on CPU 1 until then, waits on CPU 0 from 20 us to 50 us behind hog, while CPU 1 is
 * idle until 45 us: 25 us. */
static const char waits_for_hog[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120)
    TEXT_SWITCH(1, "000010", "w", 11, 120, "S", "swapper/1", 0, 120) TEXT_WAKEUP(0, "000020", 10, "w", 11, 120, 0)
	TEXT_SWITCH(1, "000045", "swapper/1", 0, 120, "R", "other", 12, 120)
	    TEXT_SWITCH(0, "000050", "hog", 10, 120, "R", "w", 11, 120)
		TEXT_SWITCH(0, "000060", "w", 11, 120, "S", "hog", 10, 120);

TEST_WITH(test_counts_until_no_cpu_is_idle, NULL, forget)
{
	run(waits_for_hog, 60);
	assert_int_equal(waiting.all.count, 1);
	assert_int_equal(waiting.all.sum, 25000);
	assert_int_equal(waiting.by_cpu[0].sum, 25000);
	assert_int_equal(waiting.by_cpu[1].count, 0);
	assert_int_equal(waiting.idle_ns[1], 35000);
	assert_int_equal(waiting.longest.count, 1);
	assert_int_equal(waiting.longest.list[0].since_ns, us(20));
	assert_int_equal(waiting.longest.list[0].cpu, 0);
	assert_int_equal(waiting.longest.list[0].blamed, 1);
	assert_int_equal(states.tasks[waiting.longest.list[0].task].pid, 11);
}

/* w waits on CPU 0 from 20 us; of those that it has used, CPU 2 of another node idles from 5 us on, and CPU 1 of its
 * core from 30 us to 45 us. */
static const char near_and_far[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120)
    TEXT_SWITCH(2, "000005", "w", 11, 120, "S", "swapper/2", 0, 120) TEXT_WAKEUP(0, "000006", 10, "w", 11, 120, 1)
	TEXT_SWITCH(1, "000008", "other", 12, 120, "S", "w", 11, 120)
	    TEXT_SWITCH(1, "000010", "w", 11, 120, "S", "other", 12, 120) TEXT_WAKEUP(0, "000020", 10, "w", 11, 120, 0)
		TEXT_SWITCH(1, "000030", "other", 12, 120, "S", "swapper/1", 0, 120)
		    TEXT_SWITCH(1, "000045", "swapper/1", 0, 120, "R", "other", 12, 120)
			TEXT_SWITCH(0, "000050", "hog", 10, 120, "R", "w", 11, 120);

TEST_WITH(test_the_nearest_idle_cpu_counts, NULL, forget)
{
	struct cpu_levels levels;
	waiting = (struct idle_waiting){.levels = &levels};

	cpu_levels_read(&(struct run_topology){.smt = "0-1 2", .llc = "0-1 2", .node = "0-1 2"}, &levels);
	text_run(&states, near_and_far, take, &waiting);
	assert_int_equal(idle_waiting_cache_ns(&waiting, us(50)), 15000);
	finish(&waiting, &states, us(50));
	/* 6 to 8 us on CPU 1, beside CPU 2 only. */
	assert_int_equal(waiting.all.sum, 32000);
	assert_int_equal(waiting.cache_ns, 15000);
}

TEST_WITH(test_a_short_stretch_is_below_the_threshold, NULL, forget)
{
	waiting = (struct idle_waiting){.threshold_ns = 25001};
	run(waits_for_hog, 60);
	assert_int_equal(waiting.all.count, 0);
}

/* The switch to w on CPU 0 is missing: it is known to run there from 40 us on, when it wakes another task, and known to
 * wait until 35 us, when hog still ran. */
static const char switch_is_missing[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120)
    TEXT_SWITCH(1, "000010", "w", 11, 120, "S", "swapper/1", 0, 120) TEXT_WAKEUP(1, "000020", 0, "w", 11, 120, 0)
	TEXT_WAKEUP(0, "000035", 10, "third", 13, 120, 0) TEXT_WAKEUP(0, "000040", 11, "other", 12, 120, 0)
	    TEXT_SWITCH(0, "000060", "w", 11, 120, "S", "other", 12, 120);

TEST_WITH(test_a_task_that_is_found_running_waits_no_more, NULL, forget)
{
	run(switch_is_missing, 70);
	assert_int_equal(waiting.all.count, 1);
	assert_int_equal(waiting.all.sum, 15000);
}

/* CPU 1 does not take part. */
TEST_WITH(test_other_cpus_do_not_count, NULL, forget)
{
	const uint64_t cpus[TASK_CPUS_MAX / 64] = {1};
	waiting = (struct idle_waiting){.cpus = cpus, .may_use = idle_waiting_any_cpu};
	run(waits_for_hog, 60);
	assert_int_equal(waiting.all.count, 0);
	assert_int_equal(waiting.idle_ns[1], 0);
}

/* The wait's end is unknown: events are missing before 50 us. */
static const char lost_meanwhile[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120)
    TEXT_SWITCH(1, "000010", "w", 11, 120, "S", "swapper/1", 0, 120) TEXT_WAKEUP(0, "000020", 10, "w", 11, 120, 0)
	TEXT_LOST(0) TEXT_SWITCH(0, "000050", "hog", 10, 120, "R", "w", 11, 120)
	    TEXT_SWITCH(0, "000060", "w", 11, 120, "S", "hog", 10, 120);

TEST_WITH(test_what_a_loss_cuts_is_not_counted, NULL, forget)
{
	run(lost_meanwhile, 60);
	assert_int_equal(waiting.all.count, 0);
}

/* The wait lasts to the end of the trace, and moves to CPU 2 at 40 us: 20 us for CPU 0, 30 us for CPU 2. Two runs of it
 * count twice. */
static const char moved[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120)
    TEXT_SWITCH(2, "000001", "swapper/2", 0, 120, "R", "hog2", 13, 120)
	TEXT_SWITCH(1, "000010", "w", 11, 120, "S", "swapper/1", 0, 120) TEXT_WAKEUP(0, "000020", 10, "w", 11, 120, 0)
	    TEXT_MIGRATE(2, "000040", 13, "w", 11, 120, 0, 2) TEXT_WAKEUP(2, "000070", 13, "nobody", 14, 120, 2);

TEST_WITH(test_moves_and_ends_with_the_run, NULL, forget)
{
	for (uint64_t runs = 1; runs <= 2; runs++) {
		run(moved, 70);
		assert_int_equal(waiting.by_cpu[0].sum, runs * 20000);
		assert_int_equal(waiting.by_cpu[2].sum, runs * 30000);
		assert_int_equal(waiting.all.count, runs * 2);
		assert_int_equal(waiting.idle_ns[1], runs * 60000);
	}
}
