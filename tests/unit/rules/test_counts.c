/* SPDX-License-Identifier: MIT
 *
 * What a CPU's queue counts, beside what the trace shows to run and wait there: HOG runs, WAITING waits in a group,
 * WOKEN is put on the queue. */
#include "rules/counts.h"

#include "support/two_cpus.h"

enum { HOG = 10, WOKEN = 20, WAITING = 30 };
enum { ROOT = 1, GROUP = 2 };

static void begin(struct fixture *fixture, uint64_t queue)
{
	struct rules *rules = &fixture->rules;
	const struct sched_event events[] = {
	    feed_switch(100, 0, "waiting", WAITING, 'R', "hog", HOG),
	    feed_switch(101, 1, "woken", WOKEN, 'S', "swapper/1", 0),
	};

	begin_with(fixture, events, sizeof(events) / sizeof(*events));
	rules->cpus[0].root_queue = rules->cpus[0].running_queue = ROOT;
	add_task(rules, HOG, ROOT);
	add_task(rules, WOKEN, ROOT);
	add_task(rules, WAITING, queue);
}

/* WOKEN is put on the queue of CPU 0 by this CPU, which counts so many then; how often that was too few by now. */
static uint64_t count(struct fixture *fixture, uint32_t event_cpu, uint32_t runnable, uint32_t flags)
{
	const struct sched_event event = {.cpu = event_cpu};
	struct key_event keys = {.cpu = 0,
				 .enqueued = {.pid = WOKEN,
					      .task = {.depth = 1, .queues = {ROOT}},
					      .flags = flags,
					      .has_runnable = true,
					      .runnable = runnable}};

	counts_enqueue(&fixture->rules, &fixture->states, &event, &keys);
	return fixture->found.rows[INVARIANT_COUNTED].broken;
}

#define WAKE WAKEUP_OF_SLEEPER

/* The task leaves CPU 0, and its queue or not. */
static void leave(struct fixture *fixture, int32_t pid, enum leave_reason out, bool on_rq)
{
	struct rules_cpu *cpu = &fixture->rules.cpus[0];

	cpu->event.switched.prev.pid = pid;
	cpu->event.switched.next.pid = HOG;
	cpu->out = out;
	cpu->keys.switched.prev.entities[0].on_rq = on_rq;
	counts_switch(&fixture->rules, cpu);
}

TEST(each_task_is_counted)
{
	struct fixture fixture;

	begin(&fixture, ROOT);
	assert_int_equal(count(&fixture, 0, 3, WAKE), 0);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 1);
	assert_int_equal(count(&fixture, 0, 3, WAKE), 1);
	assert_int_equal(fixture.found.rows[INVARIANT_COUNTED].checked, 3);
	/* A task that the trace has not shown yet. */
	assert_int_equal(count(&fixture, 0, 4, WAKE), 1);
	/* The CPU may look for tasks before it switches from the one that sleeps; from elsewhere it may be seen then.
	 */
	assert_int_equal(count(&fixture, 0, 2, 0), 1);
	assert_int_equal(count(&fixture, 1, 2, WAKE), 1);
	/* Not the class of the one that waits. */
	counts_change(&fixture.rules, WAITING);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 1);
	leave(&fixture, WAITING, LEAVE_PREEMPTED, true);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 2);
	counts_migrate(&fixture.rules, WAITING, &fixture.rules.cpus[1], &fixture.rules.cpus[0]);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 2); /* it is on its way */
	leave(&fixture, WAITING, LEAVE_PREEMPTED, false); /* it was throttled, and is no group */
	assert_int_equal(count(&fixture, 0, 2, WAKE), 2);
	assert_int_equal(fixture.found.rows[INVARIANT_COUNTED].checked, 6);
	end(&fixture);
}

/* Its group was throttled: it has left its queue before it is switched out. */
TEST(a_task_that_has_asked_may_have_taken_itself_off)
{
	struct fixture fixture;

	for (int stays = 0; stays < 2; stays++) {
		begin(&fixture, ROOT);
		fixture.rules.cpus[0].has_cause = true;
		assert_int_equal(count(&fixture, 0, 2, WAKE), 0);
		leave(&fixture, HOG, LEAVE_PREEMPTED, stays);
		fixture.rules.cpus[0].has_cause = false;
		assert_int_equal(count(&fixture, 0, 3, WAKE), stays);
		end(&fixture);
	}
}

/* The tasks of a throttled group are not counted until it ends. */
TEST(a_task_that_may_be_throttled_is_judged_when_it_is_counted_again)
{
	struct fixture fixture;

	begin(&fixture, GROUP);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 0);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 0);
	assert_int_equal(count(&fixture, 0, 3, WAKE), 1);
	assert_int_equal(count(&fixture, 0, 3, WAKE), 1);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 1);
	counts_forget(&fixture.rules.cpus[0]); /* throttling has ended */
	assert_int_equal(count(&fixture, 0, 3, WAKE), 1);
	/* The task that ran was in a throttled group, and has left it. */
	assert_int_equal(count(&fixture, 0, 2, WAKE), 1);
	leave(&fixture, HOG, LEAVE_SLEEPING, false);
	assert_int_equal(count(&fixture, 0, 3, WAKE), 1);
	assert_int_equal(count(&fixture, 0, 2, WAKE), 1);
	leave(&fixture, WOKEN, LEAVE_SLEEPING, false);
	assert_int_equal(count(&fixture, 0, 3, WAKE), 2);
	/* With a group that is known to be throttled at times, all may be. */
	end(&fixture);
	begin(&fixture, ROOT);
	fixture.rules.has_throttles = true;
	assert_int_equal(count(&fixture, 0, 2, WAKE), 0);
	assert_int_equal(count(&fixture, 0, 3, WAKE), 1);
	end(&fixture);
}
