/* SPDX-License-Identifier: MIT
 *
 * Conditions of record --until, and the waits that meet them. Values are by hand. */
#include "record/until.h"
#include "support/sched_feed.h"
#include "support/unit.h"

static struct task_states states;
static struct leave_reason_table outs;
static struct until until;

static int begin(void **state)
{
	(void)state;
	outs = (struct leave_reason_table)FEED_OUTS;
	states = (struct task_states){0};
	until = (struct until){.own_pid = 99};
	task_states_begin(&states, &outs, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	task_states_free(&states);
	until_free(&until);
	return 0;
}

static enum status parse(const char *text)
{
	const struct option_list list = {.items = {text}, .count = 1};
	struct error err = {0};

	until.count = 0;
	return until_parse(&list, &until, &err);
}

static void feed(struct sched_event event)
{
	struct task_step step;

	assert_int_equal(task_states_step(&states, &event, &step, NULL), STATUS_OK);
	until_judge_step(&until, &states, &step);
}

TEST_WITH(texts_are_conditions_or_refused, begin, end)
{
	static const char *const refused[] = {"",          "wait",       "wait > 20",    "wait > 20 s m", "waits > 1ms",
					      "> 1ms",     "wait < 1ms", "wait > ms",    "wait > -1ms",   "wait > 5 %",
					      "wait > 5%", "wait > 1KB", "wait > 1e999s"};

	assert_int_equal(parse("post gres: 9*:wait>=20.5us"), STATUS_OK);
	assert_string_equal(until.conditions[0].condition.subject, "post gres: 9*");
	assert_true(until.conditions[0].condition.limit == 20500);
	assert_true(until.conditions[0].condition.equals);
	assert_true(until_longest_s(&until) == 20.5e-6);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_int_equal(parse(refused[i]), STATUS_USAGE);
}

/* On CPU 0: B is woken at 2000 and waits to 5000 for A, which then waits to 9000. */
static void feed_two_waits(void)
{
	feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10));
	feed(feed_wakeup(2000, 0, 10, "B", 20, 0));
	feed(feed_switch(5000, 0, "A", 10, 'p', "B", 20));
	feed(feed_switch(9000, 0, "B", 20, 'S', "A", 10));
}

TEST_WITH(the_first_wait_that_is_too_long_is_the_moment, begin, end)
{
	assert_int_equal(parse("wait > 2us"), STATUS_OK);
	feed_two_waits();
	assert_ptr_equal(until.moment.condition, &until.conditions[0]);
	assert_int_equal(until.moment.pid, 20);
	assert_int_equal(until.moment.cause, WAIT_WAKEUP);
	assert_int_equal(until.moment.since_ns, 2000);
	assert_int_equal(until.moment.end_ns, 5000);
	assert_false(until.moment.goes_on);
}

TEST_WITH(a_wait_of_the_limit_is_too_long_with_an_equals_sign_only, begin, end)
{
	assert_int_equal(parse("wait > 4us"), STATUS_OK);
	feed_two_waits();
	assert_null(until.moment.condition);
	task_states_free(&states);
	task_states_begin(&states, &outs, NULL);
	assert_int_equal(parse("wait >= 4us"), STATUS_OK);
	feed_two_waits();
	assert_int_equal(until.moment.pid, 10);
}

TEST_WITH(names_of_waits_and_tasks_choose, begin, end)
{
	assert_int_equal(parse("preempted_wait > 2us"), STATUS_OK);
	feed_two_waits();
	assert_int_equal(until.moment.pid, 10);
	until.moment = (struct until_moment){0};
	task_states_free(&states);
	task_states_begin(&states, &outs, NULL);
	assert_int_equal(parse("[!B]*: wait > 2us"), STATUS_OK);
	feed_two_waits();
	assert_int_equal(until.moment.pid, 10);
	until.moment = (struct until_moment){0};
	task_states_free(&states);
	task_states_begin(&states, &outs, NULL);
	assert_int_equal(parse("A: wakeup_latency > 2us"), STATUS_OK);
	feed_two_waits();
	assert_null(until.moment.condition);
}

TEST_WITH(a_wait_that_goes_on_counts_while_its_cpu_is_busy, begin, end)
{
	assert_int_equal(parse("wait > 2us"), STATUS_OK);
	feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10));
	feed(feed_wakeup(2000, 0, 10, "B", 20, 0));
	until_judge_waiting(&until, &states, 4000);
	assert_null(until.moment.condition);
	until_judge_waiting(&until, &states, 4001);
	assert_int_equal(until.moment.pid, 20);
	assert_true(until.moment.goes_on);
	assert_int_equal(until.moment.end_ns, 4001);
}

/* Some kernels leave out the switch from the idle task: B runs. */
TEST_WITH(a_wait_beside_an_idle_cpu_is_not_known, begin, end)
{
	assert_int_equal(parse("wait > 2us"), STATUS_OK);
	feed(feed_switch(1000, 0, "A", 10, 'S', "swapper/0", 0));
	feed(feed_wakeup(2000, 0, 0, "B", 20, 0));
	until_judge_waiting(&until, &states, 9000);
	assert_null(until.moment.condition);
}

TEST_WITH(a_wait_across_lost_events_is_not_known, begin, end)
{
	assert_int_equal(parse("wait > 2us"), STATUS_OK);
	feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10));
	feed(feed_wakeup(2000, 0, 10, "B", 20, 0));
	feed(feed_lost(4500, 0, 3));
	feed(feed_switch(5000, 0, "A", 10, 'p', "B", 20));
	assert_null(until.moment.condition);
	until_judge_waiting(&until, &states, 7001);
	assert_int_equal(until.moment.pid, 10);
}

TEST_WITH(only_tasks_of_the_fair_class_starve, begin, end)
{
	struct sched_event wakeup = feed_wakeup(2000, 0, 10, "B", 20, 0);
	struct sched_event switched = feed_switch(5000, 0, "A", 10, 'p', "B", 20);

	wakeup.wakeup.task.prio = switched.switched.next.prio = 98;
	assert_int_equal(parse("starved > 2us"), STATUS_OK);
	feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10));
	feed(wakeup);
	feed(switched);
	assert_null(until.moment.condition);
	feed(feed_switch(9000, 0, "B", 20, 'S', "A", 10));
	assert_int_equal(until.moment.pid, 10);
}

TEST_WITH(waits_of_picknext_itself_do_not_count, begin, end)
{
	assert_int_equal(parse("wait > 2us"), STATUS_OK);
	feed(feed_switch(1000, 0, "swapper/0", 0, 'R', "A", 10));
	feed(feed_wakeup(2000, 0, 10, "picknext", 99, 0));
	until_judge_waiting(&until, &states, 9000);
	assert_null(until.moment.condition);
	until.own_pid = -1;
	until_judge_waiting(&until, &states, 9000);
	assert_null(until.moment.condition);
}

TEST_WITH(events_that_waits_need, begin, end)
{
	const struct capture_event some[] = {{"sched", "sched_migrate_task"},
					     {"sched", "sched_switch"},
					     {"sched", "sched_wakeup"},
					     {"sched", "sched_wakeup_new"}};
	struct error err = {0};

	assert_int_equal(until_check_events(&(struct capture_settings){0}, &err), STATUS_OK);
	assert_int_equal(until_check_events(&(struct capture_settings){.events = some, .event_count = 4}, &err),
			 STATUS_OK);
	assert_int_equal(until_check_events(&(struct capture_settings){.events = some, .event_count = 3}, &err),
			 STATUS_USAGE);
	assert_non_null(strstr(err.what, "sched_wakeup_new"));
}
