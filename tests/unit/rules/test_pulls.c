/* SPDX-License-Identifier: MIT
 *
 * CPU 1, whose task goes to sleep, takes a task of CPU 0. */
#include "rules/moments.h"
#include "rules/pulls.h"
#include "support/two_cpus.h"

enum { HOG = 10, SLEEPER = 20, PULLED = 30 };
enum { ROOT = 1 };

static void begin(struct fixture *fixture, bool is_delayed)
{
	struct rules *rules = &fixture->rules;
	const struct sched_event events[] = {
	    feed_switch(100, 0, "pulled", PULLED, is_delayed ? 'S' : 'R', "hog", HOG),
	    feed_switch(101, 1, "swapper/1", 0, 'R', "sleeper", SLEEPER),
	};
	struct key_path path = {.depth = 1,
				.levels = 1,
				.entities = {{.id = PULLED, .weight = RULE_NICE_0_WEIGHT, .on_rq = true}},
				.queues = {ROOT}};

	begin_with(fixture, events, sizeof(events) / sizeof(*events));
	rules->traits.has_vprot = true;
	rules->mark.shared_cache = 3;
	add_task(rules, PULLED, ROOT);
	path.entities[0].is_delayed = is_delayed;
	queues_enqueue(&rules->queues, &path);
}

/* Pulls it, and wakes it up. How often the rule was checked and broken by then, as 10 * checked + broken. */
static uint64_t pull(struct fixture *fixture, uint8_t context, uint64_t cpus)
{
	const struct invariant_account *row = &fixture->found.rows[INVARIANT_PULLED];
	const int32_t running = fixture->states.tasks[fixture->states.cpus[1].current].pid;
	struct sched_event event = feed_migrate(102, 1, running, "pulled", PULLED, 0, 1);
	const struct key_event keys = {.cpu = 1, .enqueued = {.pid = PULLED, .cpus = cpus}};
	struct rules_cpu *cpu = &fixture->rules.cpus[1];
	struct task_step step;

	event.context = context;
	assert_int_equal(task_states_step(&fixture->states, &event, &step, NULL), STATUS_OK);
	pulls_move(&fixture->rules, &fixture->states, &event, &step);
	moments_enqueue(&fixture->rules, &fixture->states, cpu, cpu, &keys);
	return 10 * row->checked + row->broken;
}

TEST(a_waiting_task_may_be_pulled)
{
	struct fixture fixture;

	begin(&fixture, false);
	assert_int_equal(pull(&fixture, SCHED_CONTEXT_TASK, 3), 10);
	end(&fixture);
}

TEST(a_delayed_sleeper_may_not)
{
	struct fixture fixture;

	begin(&fixture, true);
	assert_int_equal(pull(&fixture, SCHED_CONTEXT_TASK, 3), 11);
	end(&fixture);
}

static uint64_t pull_if(void (*change)(struct fixture *fixture), uint8_t context, uint64_t cpus)
{
	struct fixture fixture;

	begin(&fixture, true);
	if (change)
		change(&fixture);
	const uint64_t result = pull(&fixture, context, cpus);
	end(&fixture);
	return result;
}

static void be_older(struct fixture *fixture)
{
	fixture->rules.traits.has_vprot = false;
}

static void share_nothing(struct fixture *fixture)
{
	fixture->rules.mark.shared_cache = 1;
}

static void wake(struct fixture *fixture)
{
	rules_row_of(&fixture->rules, PULLED)->is_woken = true;
}

static void get_a_task(struct fixture *fixture)
{
	fixture->rules.cpus[1].has_arrival = true;
}

static void be_a_softirq_thread(struct fixture *fixture)
{
	const struct sched_event event = feed_switch(101, 1, "sleeper", SLEEPER, 'S', "ksoftirqd/1", 40);

	take(fixture, &event);
}

static void have_another_task(struct fixture *fixture)
{
	const struct sched_event event = feed_wakeup(101, 1, SLEEPER, "another", 50, 1);

	take(fixture, &event);
}

TEST(other_moves_of_sleepers_are_not_judged)
{
	static void (*const changes[])(struct fixture * fixture) = {be_older,   share_nothing,       wake,
								    get_a_task, be_a_softirq_thread, have_another_task};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		assert_int_equal(pull_if(changes[i], SCHED_CONTEXT_TASK, 3), 0);
	/* The tick balances load too. A change of its affinity moves a task as well. */
	assert_int_equal(pull_if(NULL, SCHED_CONTEXT_SOFTIRQ, 3), 0);
	assert_int_equal(pull_if(NULL, SCHED_CONTEXT_TASK, 2), 0);
	assert_int_equal(pull_if(NULL, SCHED_CONTEXT_TASK, 3), 11);
}
