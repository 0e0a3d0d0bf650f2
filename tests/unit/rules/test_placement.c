/* SPDX-License-Identifier: MIT
 *
 * The CPU of a woken task, worked out by hand from kernel/sched/fair.c of 6.12: two or four CPUs with one cache. */
#include "rules/placement.h"

#include "support/unit.h"

enum { A = 1, B = 2, C = 4, D = 8, NOTHING_TO_CHOOSE = 0 };

/* A task that ran on CPU 1 last is woken by CPU 0. */
static const struct placement wakeup = {.cpu = 0, .previous = 1, .recent = 1, .scan = 2, .cpus = A | B};

static void assert_choice(const struct placement *placement, uint64_t cpus, enum placement_step step)
{
	enum placement_step found;

	assert_int_equal(placement_choice(placement, &found), cpus);
	if (cpus)
		assert_int_equal(found, step);
}

TEST(an_idle_previous_cpu_is_taken)
{
	struct placement placement = wakeup;

	placement.idle = B;
	assert_choice(&placement, B, PLACED_ON_PREVIOUS);
	placement.idle = A | B; /* an interrupt of an idle CPU */
	assert_choice(&placement, B, PLACED_ON_PREVIOUS);
	placement.idle = B;
	placement.has_hint = placement.is_lone = placement.sleeps = true;
	assert_choice(&placement, B, PLACED_ON_PREVIOUS);
	placement.scan = 0;
	placement.may_be_wide = true;
	assert_choice(&placement, B, PLACED_ON_PREVIOUS);
	placement.idle = 0;
	placement.gives_way = B; /* it runs SCHED_IDLE: the hint of the waker still counts first */
	assert_choice(&placement, B, PLACED_ON_PREVIOUS);
}

TEST(loads_decide_between_busy_cpus)
{
	struct placement placement = wakeup;

	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_SEARCH);
	placement.cpus = A | B | C;
	assert_choice(&placement, A | B, PLACED_BY_SEARCH);
	placement.cpu = 1; /* it ran where it is woken */
	assert_choice(&placement, B, PLACED_BY_SEARCH);
	placement.unknown = C;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_SEARCH);
}

TEST(the_hint_of_a_lone_waker_counts)
{
	struct placement placement = wakeup;

	placement.has_hint = placement.is_lone = placement.sleeps = true;
	assert_choice(&placement, A, PLACED_BY_HINT);
	placement.is_lone = false;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_HINT);
	placement.is_lone = true;
	placement.sleeps = false; /* perhaps it is exiting */
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_HINT);
	placement.sleeps = placement.may_be_wide = true;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_HINT);
}

TEST(the_search_finds_an_idle_cpu)
{
	struct placement placement = wakeup;

	placement.idle = A; /* an interrupt, and the previous CPU is busy */
	assert_choice(&placement, A, PLACED_BY_SEARCH);
	placement.cpu = 1;
	assert_choice(&placement, A, PLACED_BY_SEARCH);
	placement.scan = 0; /* the CPUs are used too much to search */
	assert_choice(&placement, B, PLACED_BY_SEARCH);
	placement.recent = 0; /* but the one before is tried */
	assert_choice(&placement, A, PLACED_BY_SEARCH);
	placement.may_stack = true;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_SEARCH);
}

TEST(the_search_goes_round_and_ends)
{
	struct placement placement = wakeup;

	placement.cpu = 1;
	placement.cpus = A | B | C | D;
	placement.idle = A | D;
	placement.scan = 4;
	assert_choice(&placement, D, PLACED_BY_SEARCH);
	placement.scan = 1; /* C alone */
	assert_choice(&placement, B, PLACED_BY_SEARCH);
	placement.cpus = A | B | C;
	placement.scan = 2;
	assert_choice(&placement, A, PLACED_BY_SEARCH);
	placement.recent = 3; /* idle, but the task may not run there */
	assert_choice(&placement, A, PLACED_BY_SEARCH);
}

TEST(a_task_that_may_not_run_where_it_ran)
{
	struct placement placement = wakeup;

	placement.cpus = A | C;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_SEARCH);
}

TEST(a_real_time_task_does_not_wait)
{
	struct placement placement = {.cpus = A | B | C, .idle = A, .is_real_time = true};

	assert_choice(&placement, A, PLACED_BY_PRIORITY);
	placement.unknown = B;
	assert_choice(&placement, A | B, PLACED_BY_PRIORITY);
	placement.unknown = A;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_PRIORITY);
	placement.unknown = 0;
	placement.cpus = B | C;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_BY_PRIORITY);
}

TEST(a_new_task_is_put_on_an_idle_cpu)
{
	struct placement placement = {.cpu = 0, .previous = 0, .is_new = true, .cpus = A | B | C};

	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_NEW);
	placement.idle = B | D; /* it may not run on D */
	assert_choice(&placement, B, PLACED_NEW);
	placement.unknown = C;
	assert_choice(&placement, B | C, PLACED_NEW);
	placement.unknown = B; /* another one is put there at the same time */
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_NEW);
	placement.idle = D;
	assert_choice(&placement, NOTHING_TO_CHOOSE, PLACED_NEW);
}
