/* SPDX-License-Identifier: MIT
 *
 * What the kernel's functions make of keys: each check at values worked out by hand, at others by a nanosecond, and at
 * moments at which the trace lacks what the function reads. All tasks have nice 0: 1024 in the sums. */
#include "rules/replay.h"

#include "rules/virtual_time.h"
#include "support/rule_task.h"
#include "support/unit.h"

static const struct rule_traits flat = {.has_deadline = true, .has_vprot = true, .has_sum_shift = true};
static const struct key_mark mark = {
    .hz = 250,
    .base_slice_ns = 3 * MS,
    .features = "PLACE_LAG,PLACE_DEADLINE_INITIAL,PLACE_REL_DEADLINE,DELAY_DEQUEUE,DELAY_ZERO"};
static const struct key_mark before_6_12 = {.hz = 250, .features = "PLACE_LAG,PLACE_DEADLINE_INITIAL"};

#define assert_holds(check, moment)   assert_int_equal(replay_##check(&(moment)), INVARIANT_HOLDS)
#define assert_broken(check, moment)  assert_int_equal(replay_##check(&(moment)), INVARIANT_BROKEN)
#define assert_skipped(check, moment) assert_int_equal(replay_##check(&(moment)), INVARIANT_NOT_APPLICABLE)

static uint64_t negative(uint64_t ns)
{
	return -ns;
}

/* A queue of these, of which one runs, and what is done there. */
struct world {
	struct rule_entity entities[3];
	struct pick_level pick;
	struct rule_entity before;
	struct key_event event;
	struct invariant_moment moment;
};

static void set_level(struct world *world, uint32_t count, uint32_t running)
{
	world->pick = (struct pick_level){.gap = PICK_COMPLETE,
					  .derived = RULE_NONE,
					  .level = {.entities = world->entities, .count = count, .running = running},
					  .entities = world->entities};
	world->moment = (struct invariant_moment){
	    .traits = &eevdf, .mark = &mark, .before = &world->before, .event = &world->event, .pick = &world->pick};
}

TEST(the_average_is_rounded_down)
{
	struct virtual_time time = {.base = 100, .weighted = 7, .weight = 4};

	assert_int_equal(virtual_time_floor(&time), 101);
	time.weighted = -1;
	assert_int_equal(virtual_time_floor(&time), 99);
	time.weighted = -4;
	assert_int_equal(virtual_time_floor(&time), 99);
	time.weighted = -5;
	assert_int_equal(virtual_time_floor(&time), 98);
	time.weight = 0;
	assert_int_equal(virtual_time_floor(&time), 100);
	/* Two of weight 2 at 100 and 103: V is 101.5. */
	time = (struct virtual_time){.base = 100};
	time = virtual_time_with(&time, 100, 2);
	time = virtual_time_with(&time, 103, 2);
	assert_int_equal(virtual_time_floor(&time), 101);
	time = virtual_time_without(&time, 103, 2);
	assert_int_equal(virtual_time_floor(&time), 100);
	/* With a lag of 3 and as much weight as there is, it must be 6 before V. */
	assert_int_equal(virtual_time_place(&time, 3, 2), 94);
	assert_int_equal(virtual_time_place(&time, -3, 1), 104);
}

TEST(vruntime_is_placed_by_the_lag)
{
	struct world world = {.entities = {task(1, 0), task(2, 1)}};

	set_level(&world, 3, 0);
	/* V of the two is 0.5 ns, so 0. A lag of 2 ms is inflated by 3 / 2. */
	world.entities[2] = task(3, negative(3 * MS));
	world.entities[2].protect = 2 * MS;
	world.moment.task = &world.entities[2];
	world.moment.is_test = true;
	world.event.enqueued.flags = WAKEUP_OF_FORK;
	assert_holds(vruntime_placed, world.moment);
	world.entities[2].vruntime++; /* V rounded to 1 */
	assert_broken(vruntime_placed, world.moment);
	world.entities[2].vruntime = negative(2 * MS); /* not inflated */
	assert_broken(vruntime_placed, world.moment);
	world.moment.is_test = false; /* schedule() has read the clock again */
	assert_skipped(vruntime_placed, world.moment);
	world.moment.is_test = true;
	/* A task that has slept. */
	world.event.enqueued.flags = WAKEUP_OF_SLEEPER;
	assert_skipped(vruntime_placed, world.moment); /* perhaps it is a delayed sleeper */
	world.before = task(3, 0);
	world.before.on_rq = false;
	assert_broken(vruntime_placed, world.moment);
	world.moment.has_stayed = true;
	assert_skipped(vruntime_placed, world.moment);
	world.moment.has_stayed = false;
	world.pick.derived = 1;
	assert_skipped(vruntime_placed, world.moment);
	world.pick.derived = RULE_NONE;
	world.pick.level.running = 2; /* it was placed before the clock was read */
	assert_skipped(vruntime_placed, world.moment);
	world.pick.level.running = 0;
	world.moment.traits = &cfs;
	assert_skipped(vruntime_placed, world.moment);
}

TEST(deadlines_are_placed_by_slice_and_weight)
{
	struct world world = {.entities = {task(1, 100 * MS)}, .before = task(1, 50 * MS)};

	set_level(&world, 1, RULE_NONE);
	world.moment.task = &world.entities[0];
	world.event.enqueued.flags = WAKEUP_OF_SLEEPER;
	world.before.on_rq = false;
	assert_holds(deadline_placed, world.moment);
	world.entities[0].deadline += 4 * UINT64_C(1000); /* 0.13 % */
	assert_broken(deadline_placed, world.moment);
	world.entities[0].deadline -= 4 * UINT64_C(1000);
	world.event.enqueued.flags = WAKEUP_OF_FORK;
	assert_broken(deadline_placed, world.moment);
	world.entities[0].deadline = world.entities[0].vruntime + 3 * MS / 2;
	assert_holds(deadline_placed, world.moment);
	world.event.enqueued.flags = WAKEUP_OF_SLEEPER;
	assert_broken(deadline_placed, world.moment);
	/* A delayed sleeper in debt stays; one that has gained lag is placed. */
	world.before.is_delayed = true;
	world.entities[0].protect = negative(1);
	assert_skipped(deadline_placed, world.moment);
	world.entities[0].protect = 0;
	assert_broken(deadline_placed, world.moment);
	world.entities[0].deadline = world.entities[0].vruntime + 3 * MS;
	assert_holds(deadline_placed, world.moment);
	world.before.is_delayed = false;
	world.moment.mark = &no_features;
	assert_skipped(deadline_placed, world.moment);
	/* A weight of 15.5 counts as 15, but by kernels that divide by it. */
	world.moment.mark = &mark;
	world.entities[0].weight = UINT64_C(15) * 1024 + 512;
	world.entities[0].deadline = world.entities[0].vruntime + 3 * MS * 1024 / 15;
	assert_holds(deadline_placed, world.moment);
	world.moment.traits = &flat;
	assert_broken(deadline_placed, world.moment);
	world.entities[0].deadline = world.entities[0].vruntime + 3 * MS * 2048 / 31;
	assert_holds(deadline_placed, world.moment);
}

TEST(a_group_is_placed_with_the_slice_of_its_first_task)
{
	struct rule_entity group = task(9, 5 * MS);
	struct world world = {.entities = {task(1, 100 * MS)}};

	set_level(&world, 1, RULE_NONE);
	world.moment.task = &world.entities[0];
	assert_skipped(group_placed, world.moment); /* it was on its queue */
	world.moment.placed_group = &group;
	assert_holds(group_placed, world.moment);
	world.entities[0].slice = MS;
	assert_broken(group_placed, world.moment);
	group.deadline = group.vruntime + MS;
	assert_holds(group_placed, world.moment);
	world.event.enqueued.is_throttled = true;
	assert_skipped(group_placed, world.moment);
	world.event.enqueued.is_throttled = false;
	world.moment.mark = &before_6_12;
	assert_skipped(group_placed, world.moment);
}

TEST(a_task_without_a_slice_of_its_own_has_the_base_slice)
{
	struct world world = {.entities = {task(1, 100 * MS)}};

	set_level(&world, 1, RULE_NONE);
	world.moment.task = &world.entities[0];
	world.event.enqueued.flags = WAKEUP_OF_FORK;
	assert_skipped(slice_placed, world.moment);
	world.moment.base_slice_ns = world.entities[0].slice;
	assert_skipped(slice_placed, world.moment);
	world.event.enqueued.has_custom_slice = true;
	assert_holds(slice_placed, world.moment);
	world.entities[0].slice--;
	assert_broken(slice_placed, world.moment);
	world.entities[0].slice = 0; /* not recorded */
	assert_skipped(slice_placed, world.moment);
	world.event.enqueued.is_custom_slice = true;
	assert_skipped(slice_placed, world.moment);
	world.event.enqueued.is_custom_slice = false;
	world.event.enqueued.flags = 0; /* it keeps the slice while it is on a queue */
	assert_skipped(slice_placed, world.moment);
}

/* The one that sleeps is at 4 ms, the others at 1 ms and 2 ms + 1 ns: V is 2.33 ms, rounded down. */
TEST(lag_is_measured_when_a_task_sleeps)
{
	struct rule_entity sleeper = task(3, 4 * MS);
	struct world world = {.entities = {task(1, 1 * MS), task(2, 2 * MS + 1)}};

	set_level(&world, 2, RULE_NONE);
	world.moment.task = &sleeper;
	world.moment.out = LEAVE_SLEEPING;
	sleeper.protect = negative(4 * MS - 2333333);
	assert_skipped(lag_measured, world.moment); /* it stays on its queue */
	sleeper.on_rq = false;
	assert_holds(lag_measured, world.moment);
	sleeper.protect++;
	assert_broken(lag_measured, world.moment);
	world.entities[1].is_stale = true; /* its weight then is not known */
	assert_skipped(lag_measured, world.moment);
	world.entities[1].is_stale = false;
	world.moment.out = LEAVE_PREEMPTED;
	assert_skipped(lag_measured, world.moment);
	world.moment.out = LEAVE_UNINTERRUPTIBLE;
	world.pick.level.running = 0; /* a pick of another time */
	assert_skipped(lag_measured, world.moment);
	world.pick.level.running = RULE_NONE;
	sleeper.vruntime = 20 * MS; /* the kernel limits the lag */
	assert_skipped(lag_measured, world.moment);
	sleeper.vruntime = 4 * MS;
	world.moment.pick = NULL;
	assert_skipped(lag_measured, world.moment);
}

TEST(sleep_keeps_the_lag)
{
	struct world world = {.entities = {task(1, 100 * MS)}, .before = task(1, 50 * MS)};

	set_level(&world, 1, RULE_NONE);
	world.moment.task = &world.entities[0];
	world.event.enqueued.flags = WAKEUP_OF_SLEEPER;
	world.before.on_rq = false;
	world.before.protect = world.entities[0].protect = 5;
	assert_holds(lag_asleep, world.moment);
	world.entities[0].protect--;
	assert_broken(lag_asleep, world.moment);
	world.entities[0].protect = world.before.protect = negative(900 * MS);
	world.before.weight *= 3; /* which scales it */
	assert_broken(lag_asleep, world.moment);
	world.entities[0].protect = negative(2700 * MS);
	assert_holds(lag_asleep, world.moment);
	world.entities[0].protect += 5;
	assert_broken(lag_asleep, world.moment);
	world.before.weight /= 3;
	world.event.enqueued.flags = WAKEUP_OF_FORK;
	assert_skipped(lag_asleep, world.moment);
}

/* V is 2 ms. */
TEST(only_debt_is_delayed)
{
	struct world world = {.entities = {task(1, 3 * MS), task(2, 1 * MS)}};

	set_level(&world, 2, 0);
	world.moment.is_schedule = true;
	assert_skipped(delayed, world.moment);
	world.entities[0].is_delayed = true;
	assert_holds(delayed, world.moment);
	world.entities[0].vruntime = 1 * MS;
	assert_broken(delayed, world.moment);
	world.moment.is_repeated = true; /* V is another one since a delayed sleeper was taken out */
	assert_skipped(delayed, world.moment);
	world.moment.is_repeated = false;
	world.pick.gap = PICK_UNSEEN;
	assert_skipped(delayed, world.moment);
}

TEST(debt_keeps_its_place)
{
	struct world world = {.entities = {task(1, 50 * MS)}, .before = task(1, 50 * MS)};

	set_level(&world, 1, RULE_NONE);
	world.moment.task = &world.entities[0];
	world.moment.has_stayed = true;
	world.event.enqueued.flags = WAKEUP_OF_SLEEPER;
	world.entities[0].protect = negative(1);
	assert_skipped(requeued, world.moment);
	world.before.is_delayed = true;
	assert_holds(requeued, world.moment);
	world.entities[0].deadline++;
	assert_broken(requeued, world.moment);
	world.entities[0].deadline--;
	world.entities[0].vruntime--;
	assert_broken(requeued, world.moment);
	world.entities[0].deadline =
	    world.entities[0].vruntime + world.entities[0].slice; /* its affinity was changed */
	assert_skipped(requeued, world.moment);
	world.entities[0].protect = 0; /* it has gained, and was placed again */
	assert_skipped(requeued, world.moment);
	world.entities[0].protect = negative(1);
	world.moment.traits = &flat;
	assert_skipped(requeued, world.moment);
}

TEST(deadlines_are_renewed)
{
	struct world world = {.entities = {task(1, 100 * MS)}};

	set_level(&world, 1, 0);
	world.moment.task = &world.entities[0];
	assert_holds(deadline_renewed, world.moment);
	world.entities[0].vruntime = world.entities[0].deadline;
	assert_broken(deadline_renewed, world.moment);
	world.entities[0].on_rq = false;
	assert_skipped(deadline_renewed, world.moment);
	/* Its deadline was 101 ms, and is a slice after a vruntime since. */
	world.entities[0] = task(1, 103 * MS);
	world.entities[0].deadline = 105 * MS;
	world.before = task(1, 98 * MS);
	world.moment.has_stayed = true;
	assert_holds(deadline_renewed, world.moment);
	world.entities[0].deadline = 107 * MS; /* later than from its vruntime */
	assert_broken(deadline_renewed, world.moment);
	world.entities[0].deadline = 103 * MS + 500000; /* renewed before it was reached */
	assert_broken(deadline_renewed, world.moment);
	/* The weight was another one meanwhile. */
	world.moment.since_ns = 5 * MS;
	world.entities[0].deadline = 104 * MS - 500000;
	assert_broken(deadline_renewed, world.moment);
	world.moment.has_shares = true;
	assert_holds(deadline_renewed, world.moment);
	world.entities[0].deadline = 104 * MS - 700000;
	assert_broken(deadline_renewed, world.moment);
	world.moment.has_shares = false;
	world.entities[0].deadline = 103 * MS + 500000;
	/* Moved with what was left, as the task was placed again. */
	world.moment.since_ns = 2 * MS + MS / 2;
	assert_holds(deadline_renewed, world.moment);
	world.moment.since_ns = 0;
	world.moment.has_yielded = true;
	assert_holds(deadline_renewed, world.moment);
	world.moment.has_yielded = false;
	world.before.slice = 0; /* it has asked for another one */
	assert_holds(deadline_renewed, world.moment);
}

TEST(a_group_asks_for_its_shortest_slice)
{
	struct rule_entity before = task(9, 10 * MS), group = task(9, 14 * MS);
	struct world world = {.entities = {group}};

	set_level(&world, 1, 0);
	world.moment.group = &group;
	world.moment.group_before = &before;
	before.deadline = before.vruntime + MS;
	assert_holds(group_slice, world.moment);
	before.slice_max = 2 * MS;
	assert_broken(group_slice, world.moment);
	group.deadline = group.vruntime + MS; /* not renewed, as far as is seen */
	assert_skipped(group_slice, world.moment);
	group.deadline = group.vruntime + 3 * MS;
	group.weight /= 2;
	assert_skipped(group_slice, world.moment);
	group.weight *= 2;
	before.slice_max = 0;
	assert_skipped(group_slice, world.moment);
}

TEST(a_group_asks_for_something)
{
	struct rule_entity before = task(9, 10 * MS), group = task(9, 12 * MS);
	struct world world = {.entities = {group}};

	set_level(&world, 1, RULE_NONE);
	world.moment.group = &group;
	world.moment.group_before = &before;
	assert_holds(group_asks, world.moment);
	group.deadline = group.vruntime; /* placed again with a slice of 0 */
	assert_broken(group_asks, world.moment);
	before.deadline = before.vruntime + 100; /* another weight may have made nothing of that */
	assert_skipped(group_asks, world.moment);
	before.deadline = before.vruntime + MS;
	before.weight = 0;
	assert_skipped(group_asks, world.moment);
	before.weight = group.weight;
	world.moment.mark = &before_6_12;
	assert_skipped(group_asks, world.moment);
}

/* 2 ms of the request of a group of half the weight of nice 0 are left, and then it gets the other half. */
TEST(a_group_keeps_its_request_at_another_weight)
{
	struct rule_entity before = task(9, 10 * MS);
	struct world world = {.entities = {task(9, 10 * MS), task(1, 10 * MS)}};

	set_level(&world, 2, 0);
	world.moment.when = WHEN_GROUP_RUNS;
	world.moment.group = &world.entities[0];
	world.moment.group_before = &before;
	before.weight /= 2;
	before.deadline = before.vruntime + 4 * MS;
	world.entities[0].deadline = world.entities[0].vruntime + 2 * MS;
	assert_holds(request, world.moment);
	world.entities[0].deadline = world.entities[0].vruntime + 4 * MS;
	assert_broken(request, world.moment);
	world.entities[0].deadline = world.entities[0].vruntime + MS;
	assert_broken(request, world.moment);
	world.moment.since_ns = MS; /* it has run meanwhile */
	assert_holds(request, world.moment);
	world.moment.since_ns = 5 * MS;
	assert_skipped(request, world.moment);
	/* It waited, and has a whole request now: perhaps it was throttled. */
	world.moment.since_ns = 0;
	world.moment.when = WHEN_REWEIGHTED;
	assert_broken(request, world.moment);
	world.entities[0].deadline = world.entities[0].vruntime + 3 * MS;
	assert_skipped(request, world.moment);
	before.weight = world.entities[0].weight;
	assert_skipped(request, world.moment);
}

TEST(a_waiting_task_keeps_its_keys)
{
	struct world world = {.entities = {task(1, 50 * MS)}, .before = task(1, 50 * MS)};

	set_level(&world, 1, RULE_NONE);
	world.moment.task = &world.entities[0];
	world.moment.has_stayed = true;
	world.moment.prio = 120;
	world.moment.cpus = 3;
	world.moment.cpus_before = 1;
	assert_skipped(waiting, world.moment); /* placed again, as its affinity has changed */
	world.moment.cpus_before = 3;
	assert_holds(waiting, world.moment);
	world.entities[0].vruntime++;
	assert_broken(waiting, world.moment);
	world.before.slice = 0; /* it has asked for other attributes */
	assert_skipped(waiting, world.moment);
	world.before.slice = 3 * MS;
	world.moment.has_stayed = false;
	assert_skipped(waiting, world.moment);
}

TEST(what_is_eligible_forfeits_when_it_yields)
{
	/* The running one is 9 ms after the other, and forfeited 3 ms more. */
	struct rule_entity yielded = task(2, 10 * MS);
	struct world world = {.entities = {task(1, 1 * MS), task(2, 13 * MS)}};

	set_level(&world, 2, 1);
	world.moment.task = &world.entities[1];
	world.moment.yielded = &yielded;
	world.moment.is_schedule = true;
	assert_broken(yield, world.moment);
	world.entities[1].vruntime = 10 * MS; /* it was not eligible, and has not forfeited */
	world.entities[1].deadline = yielded.deadline;
	assert_holds(yield, world.moment);
	world.entities[0].vruntime = 11 * MS;
	assert_broken(yield, world.moment);
	world.entities[0].is_delayed = true; /* it had the CPU for itself */
	assert_skipped(yield, world.moment);
	world.entities[0].is_delayed = false;
	world.entities[1].deadline++; /* the kernel moves the deadline alone */
	assert_skipped(yield, world.moment);
	world.entities[1].vruntime = yielded.deadline;
	world.entities[0].vruntime = 11 * MS;
	assert_holds(yield, world.moment);
	world.moment.yielded = NULL;
	assert_skipped(yield, world.moment);
}

/* It ran 0.5 ms since its vruntime was 2 ms and its deadline 5 ms; beside it waits one whose vruntime is 2.5 ms. */
TEST(a_yield_is_computed_from_both_its_ends)
{
	struct key_yield before = {.task = task(0, 2 * MS), .charged_ns = 70 * MS};
	struct key_yield after = {
	    .task = task(0, 5 * MS), .charged_ns = 70 * MS + MS / 2, .sums = {.has_keys = true, .weight = 1024}};
	struct invariant_moment moment = {
	    .when = WHEN_YIELDED, .traits = &eevdf, .mark = &mark, .yield_before = &before, .yield_after = &after};

	after.sums.zero = 2 * MS;
	after.sums.weighted = 1024 * MS / 2;
	assert_holds(yield, moment); /* just eligible, and it has forfeited the rest */
	after.charged_ns++;
	assert_broken(yield, moment);
	after.task.vruntime = 2 * MS + MS / 2 + 1;
	after.task.deadline = before.task.deadline;
	assert_holds(yield, moment);
	after.charged_ns--;
	after.task.vruntime--;
	assert_broken(yield, moment);
	after.task.deadline++; /* the kernel moves the deadline alone */
	assert_skipped(yield, moment);
	after.task.deadline--;
	after.task.weight *= 2; /* its share of its group has changed at the same time */
	assert_skipped(yield, moment);
	after.task.weight /= 2;
	after.charged_ns = before.charged_ns; /* no other task was there */
	assert_skipped(yield, moment);
	after.charged_ns = before.charged_ns + 3 * MS; /* a whole request */
	assert_skipped(yield, moment);
	after.charged_ns = before.charged_ns + MS / 2;
	after.sums.has_keys = false;
	assert_skipped(yield, moment);
}

/* At another weight than that of nice 0 the kernel's division rounds. */
TEST(a_yield_of_another_weight_is_computed_as_exactly_as_the_kernel_does)
{
	struct key_yield before = {.task = task(0, 2 * MS), .charged_ns = 70 * MS};
	struct key_yield after = {
	    .task = task(0, 5 * MS), .charged_ns = 71 * MS, .sums = {.has_keys = true, .weight = 1024, .zero = 2 * MS}};
	struct invariant_moment moment = {
	    .when = WHEN_YIELDED, .traits = &eevdf, .mark = &mark, .yield_before = &before, .yield_after = &after};

	before.task.weight = after.task.weight = 2 * RULE_NICE_0_WEIGHT;
	after.sums.weighted = 1024 * (MS / 2 - 100);
	assert_holds(yield, moment);
	after.sums.weighted = 1024 * (MS / 2 - 1000);
	assert_broken(yield, moment);
}

/* A budget of 3 ms. */
TEST(a_budget_is_refilled_once)
{
	(void)state;
	struct invariant_moment moment = {.mark = &mark, .budget_ns = 2 * (int64_t)MS, .ran_ns = 2 * MS};

	assert_skipped(budget, moment);
	moment.begun_ns = 3 * MS;
	assert_holds(budget, moment);
	moment.budget_ns = 3 * (int64_t)MS;
	assert_broken(budget, moment);
	moment.budget_ns = -(int64_t)MS;
	assert_holds(budget, moment);
}
