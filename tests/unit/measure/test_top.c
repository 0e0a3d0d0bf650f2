/* SPDX-License-Identifier: MIT
 *
 * Counts of a monitor in an interval, without its own task. Values are by hand. */
#include "measure/top.h"
#include "support/sched_feed.h"
#include "support/unit.h"

#define OWN 99

static struct task_states states;
static struct leave_reason_table outs;
static struct top top;

static int begin(void **state)
{
	outs = (struct leave_reason_table)FEED_OUTS;
	states = (struct task_states){0};
	top = (struct top){.own_pid = OWN};
	top_restart(&top, 1000);
	task_states_begin(&states, &outs, NULL);
	return 0;
}

static int end(void **state)
{
	top_free(&top);
	task_states_free(&states);
	return 0;
}

/* Whether the event is a switch that is shown, and of which PID. */
static int32_t feed(struct sched_event event)
{
	struct task_step step;
	struct task_slice slice;

	assert_int_equal(task_states_step(&states, &event, &step, NULL), STATUS_OK);
	bool shown = top_switch(&top, &states, &step, &slice);
	top_step(&top, &states, &event, &step);
	return shown ? states.tasks[slice.task].pid : -1;
}

static const struct top_task *task(int32_t pid)
{
	return &top.tasks[task_states_find(&states, pid, 0)];
}

/* Runs from 1000 to 11000 ns: A, us, A, B, us, C, idle on CPU 0; D on CPU 1 from 10500 on. */
static void feed_interval(void)
{
	assert_int_equal(feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10)), 0);
	assert_int_equal(feed(feed_wakeup(2900, 0, 10, "picknext", OWN, 0)), -1);
	assert_int_equal(feed(feed_switch(3000, 0, "A", 10, 'R', "picknext", OWN)), -1);
	assert_int_equal(feed(feed_switch(3500, 0, "picknext", OWN, 'S', "A", 10)), -1);
	assert_int_equal(feed(feed_wakeup(4000, 0, 10, "B", 20, 0)), -1);
	assert_int_equal(feed(feed_switch(5000, 0, "A", 10, 'S', "B", 20)), 10);
	assert_int_equal(feed(feed_wakeup(6000, 0, 20, "C", 30, 0)), -1);
	assert_int_equal(feed(feed_switch(7000, 0, "B", 20, 'p', "picknext", OWN)), -1);
	assert_int_equal(feed(feed_switch(7200, 0, "picknext", OWN, 'S', "C", 30)), 20);
	assert_int_equal(feed(feed_switch(10000, 0, "C", 30, 'S', "swapper/0", 0)), 30);
	assert_int_equal(feed(feed_switch(10500, 1, "swapper/1", 0, 'R', "D", 40)), 0);
	top_finish(&top, &states, 11000);
}

TEST_WITH(figures_of_cpus, begin, end)
{
	feed_interval();
	assert_int_equal(top.cpus[0].switches, 4); /* idle to A, A to B, B to C, C to idle */
	assert_int_equal(top.cpus[0].involuntary, 1);
	assert_int_equal(top.cpus[0].busy_ns, 3500 + 2000 + 2800);
	assert_int_equal(top.cpus[0].own_ns, 500 + 200);
	assert_int_equal(top.cpus[0].longest_wait_ns, 4000); /* B, since 7000 */
	assert_int_equal(top.cpus[1].switches, 1);
	assert_int_equal(top.cpus[1].busy_ns, 500);
	assert_int_equal(top.cpus[1].longest_wait_ns, 0);
	assert_int_equal(top.events, 11);
	assert_int_equal(top.wakeups, 2);
	assert_int_equal(states.tasks[top.longest_waits[AFTER_WAKEUP].task].pid, 30);
	assert_false(top.longest_waits[AFTER_WAKEUP].goes_on);
	/* The monitor preempted B, but C followed at 7200. */
	assert_int_equal(states.tasks[top.longest_waits[AFTER_PREEMPTION].task].pid, 20);
}

TEST_WITH(figures_of_tasks, begin, end)
{
	uint32_t order[8];

	feed_interval();
	assert_int_equal(task(10)->cpu_time_ns, 3500);
	assert_int_equal(task(10)->switches, 1); /* not the one that only we caused */
	assert_int_equal(task(10)->involuntary, 0);
	assert_int_equal(task(20)->cpu_time_ns, 2000);
	assert_int_equal(task(20)->involuntary, 1);
	assert_int_equal(task(20)->wakeups, 1);
	assert_int_equal(task(20)->longest_wait_ns, 4000);
	assert_int_equal(task(30)->longest_wait_ns, 1200);
	assert_int_equal(task(OWN)->cpu_time_ns, 0);
	assert_int_equal(task(OWN)->wakeups, 0);
	assert_int_equal(top_order(&top, &states, order, 8), 4);
	assert_int_equal(states.tasks[order[0]].pid, 10);
	assert_int_equal(states.tasks[order[1]].pid, 30);
	assert_int_equal(states.tasks[order[2]].pid, 20);
	assert_int_equal(states.tasks[order[3]].pid, 40);
	assert_int_equal(top_order(&top, &states, order, 2), 2);
	assert_int_equal(states.tasks[order[0]].pid, 10);
	assert_int_equal(states.tasks[order[1]].pid, 30);
	assert_int_equal(top_order(&top, &states, order, 0), 0);
}

TEST_WITH(next_interval, begin, end)
{
	uint32_t order[8];

	feed_interval();
	top_restart(&top, 11000);
	assert_int_equal(feed(feed_switch(11400, 0, "swapper/0", 0, 'R', "A", 10)), 0);
	top_finish(&top, &states, 12000);
	assert_int_equal(top.cpus[1].busy_ns, 1000); /* D runs on without an event */
	assert_int_equal(top.cpus[0].busy_ns, 600);
	assert_int_equal(top.cpus[0].switches, 1);
	assert_int_equal(top.longest_waits[AFTER_WAKEUP].task, TASK_NONE);
	assert_int_equal(top_order(&top, &states, order, 8), 3);
	assert_int_equal(states.tasks[order[0]].pid, 40);
	assert_int_equal(states.tasks[order[2]].pid, 20); /* it only waits */
}

/* A is preempted at 2000 and waits for 2 us; B is preempted at 4000 and starves. */
TEST_WITH(waits_after_preemption, begin, end)
{
	uint32_t order[8];
	const struct top_wait *longest = &top.longest_waits[AFTER_PREEMPTION];

	assert_int_equal(feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10)), 0);
	assert_int_equal(feed(feed_switch(2000, 0, "A", 10, 'p', "B", 20)), 10);
	assert_int_equal(feed(feed_switch(4000, 0, "B", 20, 'p', "A", 10)), 20);
	/* The monitor preempts A: what A waits for it is not shown, neither now nor at the end of an interval. */
	assert_int_equal(feed(feed_switch(4500, 0, "A", 10, 'p', "picknext", OWN)), -1);
	top_finish(&top, &states, 5000);
	assert_int_equal(task(10)->longest_wait_ns, 2000);
	assert_int_equal(task(20)->longest_wait_ns, 1000);
	assert_int_equal(longest->length_ns, 2000);
	assert_false(longest->goes_on);
	assert_int_equal(top.longest_waits[AFTER_WAKEUP].task, TASK_NONE);
	top_restart(&top, 5000);
	assert_int_equal(feed(feed_switch(9000, 0, "picknext", OWN, 'S', "A", 10)), -1);
	top_finish(&top, &states, 10000);
	assert_int_equal(task(10)->longest_wait_ns, 0);
	assert_int_equal(task(20)->longest_wait_ns, 6000);
	assert_int_equal(top.cpus[0].longest_wait_ns, 6000);
	assert_int_equal(longest->length_ns, 6000);
	assert_true(longest->goes_on);
	assert_int_equal(states.tasks[longest->task].pid, 20);
	assert_int_equal(top_order(&top, &states, order, 8), 2);
	assert_int_equal(states.tasks[order[1]].pid, 20);
}

TEST_WITH(losses, begin, end)
{
	assert_int_equal(feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10)), 0);
	assert_int_equal(feed(feed_switch(2000, 0, "A", 10, 'R', "picknext", OWN)), -1);
	assert_int_equal(feed(feed_lost(3000, 0, 7)), -1);
	/* Who made way for us before the loss says nothing about now. */
	assert_int_equal(feed(feed_switch(3000, 0, "picknext", OWN, 'S', "B", 20)), -1);
	assert_int_equal(top.lost, 7);
	assert_int_equal(top.cpus[0].switches, 1);
	assert_int_equal(top.events, 3);
}
