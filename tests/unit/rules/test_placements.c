/* SPDX-License-Identifier: MIT
 *
 * What may void a wakeup until it is judged. CPU 0 runs a hog that wakes a task; CPU 1, on which that one ran, is idle.
 */
#include "rules/placements.h"

#include "support/two_cpus.h"

enum { HOG = 10, WOKEN = 20, OTHER = 30 };
enum { ROOT = 1 };
#define CHOICE_NS 1000000

static void begin(struct fixture *fixture)
{
	struct rules *rules = &fixture->rules;
	const struct sched_event events[] = {
	    feed_switch(100, 0, "swapper/0", 0, 'R', "hog", HOG),
	    feed_switch(101, 1, "other", OTHER, 'S', "woken", WOKEN),
	    feed_switch(102, 1, "woken", WOKEN, 'S', "swapper/1", 0),
	};

	begin_with(fixture, events, sizeof(events) / sizeof(*events));
	rules->mark = (struct key_mark){.shared_cache = 3, .features = "SIS_UTIL WA_IDLE"};
	add_task(rules, HOG, ROOT);
	add_task(rules, WOKEN, ROOT);
	add_task(rules, OTHER, ROOT);
}

static void choose_for(struct fixture *fixture, int32_t pid, uint64_t ns, uint32_t scan)
{
	const struct sched_event event = {.cpu = 0, .common_pid = HOG, .context = SCHED_CONTEXT_TASK};
	const struct key_event keys = {
	    .place = {.pid = pid, .previous = 1, .recent = 1, .flags = WAKEUP_OF_SLEEPER, .scan = scan, .cpus = 3}};

	fixture->rules.now_ns = ns;
	placements_begin(&fixture->rules, &fixture->states, &event, &keys);
}

static void enqueue(struct fixture *fixture, int32_t pid, uint32_t cpu)
{
	const struct sched_event event = {.cpu = cpu};
	struct key_event keys = {.cpu = cpu, .enqueued = {.pid = pid, .task = {.depth = 1}}};

	placements_enqueue(&fixture->rules, &fixture->states, &event, &keys);
}

/* Judges after another wakeup, which confirms how far is searched. How often the row was checked, and broken. */
static void assert_judged(struct fixture *fixture, uint64_t checked, uint64_t broken)
{
	const struct invariant_account *row = &fixture->found.rows[INVARIANT_PLACED_PREVIOUS];

	choose_for(fixture, OTHER, CHOICE_NS + 10000, 1);
	fixture->rules.now_ns = CHOICE_NS + PLACEMENT_WAIT_NS + 1;
	placements_settle(&fixture->rules);
	assert_int_equal(row->checked, checked);
	assert_int_equal(row->broken, broken);
	end(fixture);
}

TEST(an_idle_previous_cpu_must_be_taken)
{
	struct fixture fixture;

	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		begin(&fixture);
		choose_for(&fixture, WOKEN, CHOICE_NS, 1);
		enqueue(&fixture, WOKEN, cpu);
		assert_judged(&fixture, 1, cpu == 0);
	}
}

TEST(a_task_on_its_way_voids_it)
{
	struct fixture fixture;

	begin(&fixture); /* the CPU of the other one is chosen meanwhile */
	choose_for(&fixture, WOKEN, CHOICE_NS, 1);
	choose_for(&fixture, OTHER, CHOICE_NS + 1, 1);
	enqueue(&fixture, WOKEN, 0);
	assert_judged(&fixture, 0, 0);
	begin(&fixture); /* it was woken before, by an event that is not recorded */
	choose_for(&fixture, WOKEN, CHOICE_NS, 1);
	enqueue(&fixture, WOKEN, 0);
	enqueue(&fixture, OTHER, 1);
	assert_judged(&fixture, 0, 0);
	begin(&fixture); /* it was put on the queue, and its wakeup is not in the trace yet */
	fixture.rules.cpus[1].has_arrival = true;
	choose_for(&fixture, WOKEN, CHOICE_NS, 1);
	enqueue(&fixture, WOKEN, 0);
	assert_judged(&fixture, 0, 0);
}

TEST(a_cpu_of_idle_tasks_counts_until_another_is_on_its_queue)
{
	struct fixture fixture;
	const struct sched_event runs = feed_switch(103, 1, "swapper/1", 0, 'R', "other", OTHER);
	const struct key_path idle = {
	    .depth = 1,
	    .levels = 1,
	    .entities = {{.id = OTHER, .weight = RULE_NICE_0_WEIGHT, .policy = POLICY_IDLE, .on_rq = true}},
	    .queues = {1}};

	for (int arrival = 0; arrival < 2; arrival++) {
		begin(&fixture);
		take(&fixture, &runs);
		queues_enqueue(&fixture.rules.queues, &idle);
		fixture.rules.cpus[1].has_arrival = arrival; /* its wakeup is not in the trace yet */
		choose_for(&fixture, WOKEN, CHOICE_NS, 1);
		enqueue(&fixture, WOKEN, 0);
		assert_judged(&fixture, !arrival, !arrival);
	}
}

TEST(a_cpu_that_a_throttled_task_leaves_idle_voids_it)
{
	struct fixture fixture;
	const struct sched_event runs = feed_switch(103, 1, "swapper/1", 0, 'R', "other", OTHER);
	const struct sched_event leaves = feed_switch(CHOICE_NS + 1, 1, "other", OTHER, 'R', "swapper/1", 0);

	for (int is_left = 0; is_left < 2; is_left++) {
		begin(&fixture);
		take(&fixture, &runs);
		choose_for(&fixture, WOKEN, CHOICE_NS, 1);
		if (is_left)
			placements_leave(&fixture.rules, &leaves, LEAVE_PREEMPTED);
		/* It ran on the busy CPU of its waker, so that no CPU is idle that the search could find. */
		fixture.rules.placements[0].previous = 0;
		enqueue(&fixture, WOKEN, 1);
		choose_for(&fixture, OTHER, CHOICE_NS + 10000, 1);
		fixture.rules.now_ns = CHOICE_NS + PLACEMENT_WAIT_NS + 1;
		placements_settle(&fixture.rules);
		assert_int_equal(fixture.found.rows[INVARIANT_PLACED_SEARCH].broken, !is_left);
		end(&fixture);
	}
}

TEST(another_reach_of_the_search_voids_it)
{
	struct fixture fixture;

	begin(&fixture);
	choose_for(&fixture, WOKEN, CHOICE_NS, 0);
	enqueue(&fixture, WOKEN, 0);
	assert_judged(&fixture, 0, 0);
}

TEST(what_the_task_does_later_does_not_void_it)
{
	struct fixture fixture;

	begin(&fixture);
	choose_for(&fixture, WOKEN, CHOICE_NS, 1);
	enqueue(&fixture, WOKEN, 0);
	placements_change(&fixture.rules, 0, TASK_NONE, WOKEN);
	placements_change(&fixture.rules, 1, TASK_NONE, WOKEN);
	assert_judged(&fixture, 1, 1);
	begin(&fixture); /* but another task that leaves its CPU does */
	choose_for(&fixture, WOKEN, CHOICE_NS, 1);
	enqueue(&fixture, WOKEN, 0);
	placements_change(&fixture.rules, 1, 1, OTHER);
	assert_judged(&fixture, 0, 0);
}

/* In a guest whose host is busy a wakeup takes long to reach another CPU. */
TEST(cpus_that_stop_void_all_of_the_trace)
{
	struct fixture fixture;

	begin(&fixture);
	choose_for(&fixture, WOKEN, CHOICE_NS, 1);
	enqueue(&fixture, WOKEN, 0);
	choose_for(&fixture, OTHER, CHOICE_NS + 10000, 1);
	fixture.rules.now_ns = CHOICE_NS + PLACEMENT_WAIT_NS + 1;
	placements_settle(&fixture.rules);
	assert_int_equal(fixture.found.rows[INVARIANT_PLACED_PREVIOUS].broken, 1);
	fixture.found.rows[INVARIANT_BALANCE].broken = 1; /* does not depend on such short times */
	fixture.found.rows[INVARIANT_SERVICE].broken = 1; /* a switch may have taken some ticks */
	fixture.rules.now_ns += 10000;
	placements_settle(&fixture.rules);
	assert_judged(&fixture, 0, 0);
	assert_int_equal(fixture.found.rows[INVARIANT_BALANCE].broken, 1);
	assert_int_equal(fixture.found.rows[INVARIANT_SERVICE].broken, 0);
}
