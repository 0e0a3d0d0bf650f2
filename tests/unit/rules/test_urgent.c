/* SPDX-License-Identifier: MIT
 *
 * A task of a class above the fair one is woken on CPU 0, on which another one runs. */
#include "rules/moments.h"
#include "support/two_cpus.h"

enum { RUNNING = 10, WOKEN = 20, OTHER = 30 };
enum { PRIO_DEADLINE = -1, PRIO_HIGH = 10, PRIO_LOW = 50, PRIO_FAIR = 120 };
#define MS UINT64_C(1000000)

static void begin(struct fixture *fixture, int32_t running_prio, int32_t woken_prio)
{
	struct sched_event events[] = {
	    feed_switch(100, 0, "swapper/0", 0, 'R', "running", RUNNING),
	    feed_wakeup(101, 0, RUNNING, "woken", WOKEN, 0),
	    feed_wakeup(102, 0, RUNNING, "other", OTHER, 0),
	};

	events[0].switched.next.prio = running_prio;
	events[1].wakeup.task.prio = woken_prio;
	events[2].wakeup.task.prio = PRIO_DEADLINE;
	begin_with(fixture, events, sizeof(events) / sizeof(*events));
	add_task(&fixture->rules, RUNNING, 0);
	add_task(&fixture->rules, WOKEN, 0);
}

/* Wakes it. How often the rule was checked and broken by then, as 10 * checked + broken. */
static uint64_t wake(struct fixture *fixture, uint64_t deadline_ms, bool is_asked)
{
	struct rules_cpu *cpu = &fixture->rules.cpus[0];
	const struct invariant_account *row = &fixture->found.rows[INVARIANT_URGENT];
	const struct key_event keys = {.enqueued = {.pid = WOKEN, .deadline_ns = deadline_ms * MS}};

	moments_enqueue(&fixture->rules, &fixture->states, cpu, cpu, &keys);
	cpu->has_enqueue = cpu->is_closed = true;
	cpu->is_asked = is_asked;
	cpu->enqueued_pid = WOKEN;
	moments_woken(&fixture->rules, &fixture->states, cpu, cpu);
	return 10 * row->checked + row->broken;
}

TEST(a_higher_priority_asks)
{
	struct fixture fixture;

	begin(&fixture, PRIO_LOW, PRIO_HIGH);
	assert_int_equal(wake(&fixture, 0, true), 10);
	assert_int_equal(wake(&fixture, 0, false), 21);
	/* It was asked before. */
	fixture.rules.cpus[0].has_cause = true;
	assert_int_equal(wake(&fixture, 0, false), 21);
	fixture.rules.cpus[0].has_cause = false;
	/* Its priority may be another one by now, or is inherited. */
	rules_row_of(&fixture.rules, RUNNING)->may_change_class = true;
	assert_int_equal(wake(&fixture, 0, false), 21);
	rules_row_of(&fixture.rules, RUNNING)->may_change_class = false;
	rules_row_of(&fixture.rules, WOKEN)->own_prio = PRIO_LOW;
	assert_int_equal(wake(&fixture, 0, false), 21);
	end(&fixture);
}

TEST(what_is_not_above_need_not_ask)
{
	static const int32_t prios[][2] = {
	    {PRIO_HIGH, PRIO_LOW}, {PRIO_HIGH, PRIO_HIGH},         {PRIO_FAIR, PRIO_HIGH},
	    {PRIO_LOW, PRIO_FAIR}, {PRIO_DEADLINE, PRIO_DEADLINE}, {PRIO_FAIR, PRIO_FAIR},
	};

	for (size_t i = 0; i < sizeof(prios) / sizeof(*prios); i++) {
		struct fixture fixture;
		begin(&fixture, prios[i][0], prios[i][1]);
		assert_int_equal(wake(&fixture, 0, false), 0);
		end(&fixture);
	}
}

/* Linux 7.3 compares with the class that will run next, and its call for a higher class has no event of its own. */
TEST(beside_a_higher_class_nothing_is_asked)
{
	struct fixture fixture;
	struct urgent_task waiting = {.cpu = 0};

	begin(&fixture, PRIO_LOW, PRIO_HIGH);
	waiting.task = task_states_find(&fixture.states, OTHER, 0);
	fixture.rules.urgent = array_grow(NULL, &fixture.rules.urgent_capacity, 1, sizeof(waiting));
	fixture.rules.urgent[fixture.rules.urgent_count++] = waiting;
	assert_int_equal(wake(&fixture, 0, false), 0);
	fixture.rules.urgent[0].cpu = 1;
	assert_int_equal(wake(&fixture, 0, false), 11);
	end(&fixture);
}

TEST(an_earlier_deadline_asks)
{
	struct fixture fixture;

	begin(&fixture, PRIO_DEADLINE, PRIO_DEADLINE);
	assert_int_equal(wake(&fixture, 20, false), 0); /* that of the running one is not known */
	rules_row_of(&fixture.rules, RUNNING)->deadline_ns = 30 * MS;
	assert_int_equal(wake(&fixture, 20, false), 11);
	assert_int_equal(wake(&fixture, 20, true), 21);
	assert_int_equal(wake(&fixture, 30, false), 21);
	assert_int_equal(wake(&fixture, 40, false), 21);
	end(&fixture);
}
