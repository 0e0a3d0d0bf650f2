/* SPDX-License-Identifier: MIT
 *
 * When the fair server of a CPU is known to have stopped, and that it is deferred when it starts again. */
#include "rules/fair_server.h"
#include "support/unit.h"

#define MS UINT64_C(1000000)

static struct fair_server server;

static int set_up(void **state)
{
	(void)state;
	server = (struct fair_server){0};
	return 0;
}

static uint64_t step(enum rule_class out, bool is_runnable, enum rule_class in, bool has_fair, uint64_t ms)
{
	const struct fair_server_switch at = {out, in, is_runnable, has_fair, ms * MS};

	return fair_server_step(&server, &at);
}

/* At ms a fair task runs for so long before a real-time one, and goes to sleep. */
static uint64_t serve(uint64_t ms, uint64_t ran_ms, bool has_fair)
{
	const uint64_t waited_ns = step(CLASS_REAL_TIME, true, CLASS_FAIR, false, ms);

	assert_int_equal(step(CLASS_FAIR, false, CLASS_REAL_TIME, has_fair, ms + ran_ms), 0);
	return waited_ns / MS;
}

TEST_WITH(after_its_deadline_it_is_deferred, set_up, NULL)
{
	assert_int_equal(serve(950, 2, false), 0);
	fair_server_come(&server, 2000 * MS);
	fair_server_come(&server, 2100 * MS); /* a second one */
	assert_int_equal(serve(2950, 2, false), 950);
	fair_server_come(&server, 3960 * MS);
	assert_int_equal(serve(3961, 2, false), 1);
}

TEST_WITH(before_its_deadline_it_serves_at_once, set_up, NULL)
{
	serve(950, 2, false);
	fair_server_come(&server, 1900 * MS);
	assert_int_equal(serve(1901, 2, false), 0);
}

TEST_WITH(it_has_not_stopped_if_other_fair_tasks_wait_or_its_runtime_is_used_up, set_up, NULL)
{
	serve(950, 2, true);
	fair_server_come(&server, 2100 * MS);
	assert_int_equal(serve(2101, 2, false), 0);

	fair_server_come(&server, 4000 * MS);
	assert_int_equal(serve(4001, 30, false), 1);
	fair_server_come(&server, 4100 * MS);
	assert_int_equal(serve(4101, 15, false), 0); /* 45 ms in all */
	fair_server_come(&server, 6000 * MS);
	assert_int_equal(serve(6001, 2, false), 0);
}

TEST_WITH(what_runs_without_it_says_nothing, set_up, NULL)
{
	/* The real-time task sleeps. */
	step(CLASS_REAL_TIME, false, CLASS_FAIR, false, 100);
	step(CLASS_FAIR, false, CLASS_REAL_TIME, false, 102);
	fair_server_come(&server, 2000 * MS);
	assert_int_equal(serve(2001, 2, false), 0);
	/* It sleeps when the fair task begins to run. */
	fair_server_come(&server, 4000 * MS);
	assert_int_equal(step(CLASS_REAL_TIME, false, CLASS_FAIR, false, 4001), 0);
}

TEST_WITH(one_fair_task_after_another_is_served_too, set_up, NULL)
{
	step(CLASS_REAL_TIME, true, CLASS_FAIR, true, 950);
	step(CLASS_FAIR, false, CLASS_FAIR, false, 951);
	step(CLASS_FAIR, false, CLASS_REAL_TIME, false, 952);
	fair_server_come(&server, 2000 * MS);
	assert_int_equal(serve(2001, 2, false), 1);
}
