/* SPDX-License-Identifier: MIT
 *
 * Each invariant at a moment at which it holds, at one at which it is broken, and at one to which it does not apply. */
#include "rules/invariants.h"
#include "support/rule_task.h"
#include "support/unit.h"

static const struct key_mark mark = {.hz = 250,
				     .base_slice_ns = 3 * MS,
				     .wakeup_granularity_ns = MS,
				     .isolated = 4,
				     .rr_slice_ms = 100,
				     .rt_runtime_us = 950000,
				     .features =
					 "PLACE_LAG,WAKEUP_PREEMPTION,PLACE_DEADLINE_INITIAL,PLACE_REL_DEADLINE,"
					 "DELAY_DEQUEUE,DELAY_ZERO,PREEMPT_SHORT"};

#define assert_holds(invariant, moment)   assert_int_equal(check(invariant, &(moment)), INVARIANT_HOLDS)
#define assert_broken(invariant, moment)  assert_int_equal(check(invariant, &(moment)), INVARIANT_BROKEN)
#define assert_skipped(invariant, moment) assert_int_equal(check(invariant, &(moment)), INVARIANT_NOT_APPLICABLE)

static enum invariant_result check(enum invariant invariant, const struct invariant_moment *moment)
{
	return invariant_rows[invariant].check(moment);
}

TEST(weights_are_those_of_nice)
{
	struct rule_entity entity = task(1, 0);
	struct invariant_moment moment = {.traits = &eevdf, .mark = &mark, .task = &entity, .prio = 120};

	assert_int_equal(check(INVARIANT_WEIGHT, &moment), INVARIANT_HOLDS);
	moment.prio = 121;
	assert_int_equal(check(INVARIANT_WEIGHT, &moment), INVARIANT_BROKEN);
	entity.weight = UINT64_C(820) << RULE_WEIGHT_SHIFT;
	assert_int_equal(check(INVARIANT_WEIGHT, &moment), INVARIANT_HOLDS);
	entity.policy = 5;
	entity.weight = UINT64_C(3) << RULE_WEIGHT_SHIFT;
	assert_int_equal(check(INVARIANT_WEIGHT, &moment), INVARIANT_HOLDS);
	moment.prio = 99;
	assert_int_equal(check(INVARIANT_WEIGHT, &moment), INVARIANT_NOT_APPLICABLE);
	assert_int_equal(invariant_weight(100, 0), UINT64_C(88761) << RULE_WEIGHT_SHIFT);
	assert_int_equal(invariant_weight(139, 0), UINT64_C(15) << RULE_WEIGHT_SHIFT);
	assert_int_equal(invariant_weight(140, 0), 0);
}

/* 6.12.95 keeps the deadline of a task that gets more weight. */
TEST(deadlines_are_within_a_slice)
{
	struct rule_entity entity = task(1, 100 * MS);
	struct invariant_moment moment = {.traits = &eevdf, .mark = &mark, .task = &entity};

	assert_int_equal(check(INVARIANT_DEADLINE, &moment), INVARIANT_HOLDS);
	entity.weight = UINT64_C(9548) << RULE_WEIGHT_SHIFT;
	assert_int_equal(check(INVARIANT_DEADLINE, &moment), INVARIANT_BROKEN);
	entity.deadline = entity.vruntime - 1; /* it has run for longer than its slice */
	assert_int_equal(check(INVARIANT_DEADLINE, &moment), INVARIANT_HOLDS);
	moment.has_shares = true;
	assert_int_equal(check(INVARIANT_DEADLINE, &moment), INVARIANT_NOT_APPLICABLE);
	moment.has_shares = false;
	moment.traits = &cfs;
	assert_int_equal(check(INVARIANT_DEADLINE, &moment), INVARIANT_NOT_APPLICABLE);
}

TEST(lag_is_bounded)
{
	struct rule_entity entity = task(1, 0);
	struct invariant_moment moment = {.traits = &eevdf, .mark = &mark, .task = &entity, .slice_max = 3 * MS};

	entity.protect = 11 * MS;
	assert_int_equal(check(INVARIANT_LAG_BOUND, &moment), INVARIANT_NOT_APPLICABLE); /* still queued */
	entity.on_rq = false;
	assert_int_equal(check(INVARIANT_LAG_BOUND, &moment), INVARIANT_BROKEN);
	entity.protect = (uint64_t) - (int64_t)(11 * MS);
	assert_int_equal(check(INVARIANT_LAG_BOUND, &moment), INVARIANT_BROKEN);
	entity.protect = (uint64_t) - (int64_t)(10 * MS); /* 2 slices and a tick */
	assert_int_equal(check(INVARIANT_LAG_BOUND, &moment), INVARIANT_HOLDS);
	entity.protect = (uint64_t)INT64_MIN; /* a damaged trace */
	assert_int_equal(check(INVARIANT_LAG_BOUND, &moment), INVARIANT_BROKEN);
}

TEST(lag_is_kept)
{
	/* V is 2 ms after the placement of the second one. */
	struct rule_entity entities[] = {task(1, 1 * MS), task(2, 3 * MS)};
	struct rule_entity before = task(2, 0);
	struct pick_level pick = {.gap = PICK_COMPLETE, .level = {.entities = entities, .count = 2, .running = 0}};
	struct invariant_moment moment = {
	    .traits = &eevdf, .mark = &mark, .task = &entities[1], .before = &before, .pick = &pick};

	entities[1].protect = (uint64_t) - (int64_t)MS;
	assert_int_equal(check(INVARIANT_LAG_KEPT, &moment), INVARIANT_HOLDS);
	entities[1].protect = MS;
	assert_int_equal(check(INVARIANT_LAG_KEPT, &moment), INVARIANT_BROKEN);
	entities[1].vruntime = 1 * MS; /* placed at V */
	assert_int_equal(check(INVARIANT_LAG_KEPT, &moment), INVARIANT_BROKEN);
	before.is_delayed = true;
	assert_int_equal(check(INVARIANT_LAG_KEPT, &moment), INVARIANT_NOT_APPLICABLE);
	before.is_delayed = false;
	/* Preempted before it could sleep: a wakeup does not place it. */
	moment.has_stayed = true;
	assert_int_equal(check(INVARIANT_LAG_KEPT, &moment), INVARIANT_NOT_APPLICABLE);
	moment.has_stayed = false;
	pick.gap = PICK_SUMS_DIFFER;
	assert_int_equal(check(INVARIANT_LAG_KEPT, &moment), INVARIANT_NOT_APPLICABLE);
}

TEST(vruntime_goes_forward)
{
	struct rule_entity now = task(1, 5 * MS), before = task(1, 5 * MS);
	struct invariant_moment moment = {
	    .traits = &cfs, .mark = &mark, .task = &now, .before = &before, .has_stayed = true};

	assert_int_equal(check(INVARIANT_VRUNTIME, &moment), INVARIANT_HOLDS);
	before.vruntime++;
	assert_int_equal(check(INVARIANT_VRUNTIME, &moment), INVARIANT_BROKEN);
	moment.has_stayed = false;
	assert_int_equal(check(INVARIANT_VRUNTIME, &moment), INVARIANT_NOT_APPLICABLE);
	moment.has_stayed = true;
	before.weight /= 2;
	assert_int_equal(check(INVARIANT_VRUNTIME, &moment), INVARIANT_NOT_APPLICABLE);
	/* Times wrap. */
	before = task(1, UINT64_MAX);
	assert_int_equal(check(INVARIANT_VRUNTIME, &moment), INVARIANT_HOLDS);
}

TEST(vruntime_is_cpu_time_by_weight)
{
	struct invariant_moment moment = {.traits = &cfs, .mark = &mark, .served_ns = 20 * MS, .charged_ns = 20 * MS};

	assert_holds(INVARIANT_SERVICE, moment);
	moment.charged_ns = 2 * MS; /* interrupts; seen on 6.16 with 4 CPUs */
	assert_holds(INVARIANT_SERVICE, moment);
	moment.charged_ns = 0;
	assert_broken(INVARIANT_SERVICE, moment);
	moment.charged_ns = -20 * (int64_t)MS;
	assert_broken(INVARIANT_SERVICE, moment);
	moment.charged_ns = 31 * MS;
	assert_broken(INVARIANT_SERVICE, moment);
}

TEST(wakeups_are_tested)
{
	struct rule_entity woken = task(1, 0), running = task(2, 0);
	struct invariant_moment moment = {.traits = &eevdf, .mark = &mark, .task = &woken, .running = &running};
	const struct key_mark without = {.features = "NO_WAKEUP_PREEMPTION"};

	/* Perhaps a request was pending: the CPU shows it by what it does next. */
	moment.when = WHEN_WOKEN;
	assert_skipped(INVARIANT_WAKEUP_TESTED, moment);
	moment.when = WHEN_STILL_RUNS;
	assert_broken(INVARIANT_WAKEUP_TESTED, moment);
	moment.when = WHEN_WOKEN;
	moment.is_tested = true;
	assert_int_equal(check(INVARIANT_WAKEUP_TESTED, &moment), INVARIANT_HOLDS);
	moment.is_tested = false;
	moment.mark = &without;
	assert_int_equal(check(INVARIANT_WAKEUP_TESTED, &moment), INVARIANT_NOT_APPLICABLE);
	moment.mark = &mark;
	moment.was_asked = true;
	assert_int_equal(check(INVARIANT_WAKEUP_TESTED, &moment), INVARIANT_NOT_APPLICABLE);
	moment.was_asked = false;
	running.weight = 0; /* no fair task runs */
	assert_int_equal(check(INVARIANT_WAKEUP_TESTED, &moment), INVARIANT_NOT_APPLICABLE);
}

TEST(wakeups_of_cfs_preempt_beyond_the_granularity)
{
	struct rule_entity woken = task(1, 5 * MS), running = task(2, 8 * MS);
	struct invariant_moment moment = {
	    .traits = &cfs, .mark = &mark, .task = &woken, .running = &running, .is_same_queue = true};

	assert_skipped(INVARIANT_WAKEUP_PREEMPTS, moment);
	moment.when = WHEN_STILL_RUNS;
	assert_broken(INVARIANT_WAKEUP_PREEMPTS, moment);
	moment.when = WHEN_WOKEN;
	moment.is_asked = true;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_HOLDS);
	running.vruntime = 5 * MS + MS / 2;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_BROKEN);
	moment.is_asked = false;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_HOLDS);
	moment.is_same_queue = false;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_NOT_APPLICABLE);
	/* It runs: it was woken before it could go to sleep. */
	moment.is_same_queue = true;
	running.id = woken.id;
	assert_skipped(INVARIANT_WAKEUP_PREEMPTS, moment);
}

TEST(sleepers_are_woken_before_they_run)
{
	struct rule_entity now = task(1, 0), before = task(1, 0);
	struct invariant_moment moment = {.traits = &cfs, .mark = &mark, .task = &now, .before = &before};

	assert_int_equal(check(INVARIANT_WOKEN, &moment), INVARIANT_HOLDS);
	before.is_delayed = true;
	assert_int_equal(check(INVARIANT_WOKEN, &moment), INVARIANT_BROKEN);
	before = task(1, 0);
	before.on_rq = false;
	assert_int_equal(check(INVARIANT_WOKEN, &moment), INVARIANT_BROKEN);
	before.weight = 0; /* not known */
	assert_int_equal(check(INVARIANT_WOKEN, &moment), INVARIANT_NOT_APPLICABLE);
}

TEST(budgets_are_kept)
{
	struct invariant_moment moment = {.mark = &mark, .budget_ns = 1};

	assert_int_equal(check(INVARIANT_BUDGET, &moment), INVARIANT_HOLDS);
	moment.budget_ns = -(int64_t)(UINT64_C(1000000000) / mark.hz);
	assert_int_equal(check(INVARIANT_BUDGET, &moment), INVARIANT_HOLDS);
	moment.budget_ns *= 2;
	assert_int_equal(check(INVARIANT_BUDGET, &moment), INVARIANT_BROKEN);
	moment.budget_ns = 2 * (int64_t)MS;
	assert_holds(INVARIANT_BUDGET, moment);
	moment.asked_ns = MS;
	assert_broken(INVARIANT_BUDGET, moment);
	moment.mark = &(const struct key_mark){.hz = 0};
	assert_int_equal(check(INVARIANT_BUDGET, &moment), INVARIANT_NOT_APPLICABLE);
}

TEST(weights_of_shares_are_those_of_nice)
{
	static const struct rule_traits flat = {.has_deadline = true, .has_sum_shift = true};
	struct rule_entity entity = task(1, 0);
	struct invariant_moment moment = {.traits = &flat, .mark = &mark, .task = &entity, .prio = 120};

	entity.weight /= 3;
	assert_skipped(INVARIANT_WEIGHT, moment);
	moment.own_weight = RULE_NICE_0_WEIGHT;
	assert_holds(INVARIANT_WEIGHT, moment);
	moment.prio = 121;
	assert_broken(INVARIANT_WEIGHT, moment);
}

TEST(groups_weigh_at_most_their_shares)
{
	struct key_event event = {.enqueued.task = {.depth = 2, .entities = {task(1, 0), task(2, 0)}}};
	struct invariant_moment moment = {.traits = &eevdf, .mark = &mark, .event = &event};

	assert_skipped(INVARIANT_GROUP_WEIGHT, moment);
	event.enqueued.shares[1] = RULE_NICE_0_WEIGHT;
	assert_holds(INVARIANT_GROUP_WEIGHT, moment);
	event.enqueued.shares[1]--;
	assert_broken(INVARIANT_GROUP_WEIGHT, moment);
	event.enqueued.is_throttled = true;
	assert_skipped(INVARIANT_GROUP_WEIGHT, moment);
}

TEST(groups_keep_their_weight_when_they_become_empty)
{
	struct rule_entity before = task(9, 0), after = task(9, 0);
	struct invariant_moment moment = {
	    .traits = &eevdf, .mark = &mark, .group = &after, .group_before = &before, .cpus = 3};

	after.weight++;
	assert_holds(INVARIANT_GROUP_KEPT, moment); /* the sums do not prove the lower bits */
	after.weight /= 2;
	assert_broken(INVARIANT_GROUP_KEPT, moment);
	moment.cpus = 0; /* it may have been moved by a change of its affinity */
	assert_skipped(INVARIANT_GROUP_KEPT, moment);
	moment.cpus = 3;
	moment.mark = &no_features;
	assert_skipped(INVARIANT_GROUP_KEPT, moment);
}

/* V is 2 ms, before and after. */
TEST(groups_keep_their_lag_at_another_weight)
{
	struct rule_entity entities[] = {task(1, 1 * MS), task(2, 3 * MS)}, before = task(2, 4 * MS);
	struct pick_level pick = {.gap = PICK_COMPLETE, .level = {.entities = entities, .count = 2, .running = 0}};
	struct invariant_moment moment = {
	    .traits = &eevdf, .mark = &mark, .group = &entities[1], .group_before = &before, .pick = &pick};

	before.weight /= 2;
	assert_holds(INVARIANT_GROUP_LAG, moment);
	before.vruntime = 3 * MS; /* the lag in CPU time has doubled */
	assert_broken(INVARIANT_GROUP_LAG, moment);
	before.is_stale = true;
	assert_skipped(INVARIANT_GROUP_LAG, moment);
	before.is_stale = false;
	before.vruntime = 30 * MS; /* beyond a tick the kernel limits the lag */
	assert_skipped(INVARIANT_GROUP_LAG, moment);
}

TEST(ticks_ask_at_the_end_of_a_slice)
{
	const struct key_mark delivered = {.features = "NO_HRTICK"};
	struct invariant_moment moment = {.traits = &eevdf, .mark = &delivered};

	assert_skipped(INVARIANT_TICK, moment);
	moment.is_tick = true;
	assert_broken(INVARIANT_TICK, moment);
	moment.has_used = true;
	assert_holds(INVARIANT_TICK, moment);
	moment.mark = &no_features;
	assert_skipped(INVARIANT_TICK, moment);
}

TEST(busy_cpus_are_balanced)
{
	struct invariant_moment moment = {.mark = &mark, .cpu_count = 3, .uneven_ns = 1200 * MS};

	assert_holds(INVARIANT_BALANCE, moment);
	moment.uneven_ns = 1300 * MS;
	assert_broken(INVARIANT_BALANCE, moment);
}

TEST(deadlines_of_moved_tasks_are_kept)
{
	struct rule_entity entity = task(1, 100 * MS), before = task(1, 50 * MS);
	struct key_event event = {.enqueued.flags = 0};
	struct invariant_moment moment = {
	    .traits = &eevdf, .mark = &mark, .task = &entity, .before = &before, .event = &event, .has_stayed = true};

	assert_holds(INVARIANT_DEADLINE_KEPT, moment);
	before.deadline -= MS; /* a part of its slice was used */
	assert_broken(INVARIANT_DEADLINE_KEPT, moment);
	before.weight *= 2;
	assert_skipped(INVARIANT_DEADLINE_KEPT, moment);
	before.weight /= 2;
	event.enqueued.flags = WAKEUP_OF_SLEEPER;
	assert_skipped(INVARIANT_DEADLINE_KEPT, moment);
}

TEST(debt_stays_queued)
{
	struct rule_entity entity = task(1, 0);
	struct key_event event = {.enqueued.flags = WAKEUP_OF_SLEEPER};
	struct rule_entity before = task(1, 0);
	struct invariant_moment moment = {.traits = &eevdf,
					  .mark = &mark,
					  .task = &entity,
					  .before = &before,
					  .event = &event,
					  .has_stayed = true,
					  .out = LEAVE_SLEEPING};

	entity.protect = (uint64_t)-1;
	assert_holds(INVARIANT_DEBT, moment); /* delayed */
	assert_broken(INVARIANT_LEAVES, moment);
	entity.is_delayed = true;
	assert_holds(INVARIANT_LEAVES, moment);
	entity.on_rq = entity.is_delayed = false;
	assert_holds(INVARIANT_LEAVES, moment);
	assert_broken(INVARIANT_DEBT, moment);
	entity.protect = 0;
	assert_holds(INVARIANT_DEBT, moment);
	moment.out = LEAVE_STOPPED;
	assert_skipped(INVARIANT_DEBT, moment);
	entity.on_rq = true;
	assert_skipped(INVARIANT_LEAVES, moment);

	assert_skipped(INVARIANT_DELAYED_LAG, moment);
	before.is_delayed = true;
	assert_holds(INVARIANT_DELAYED_LAG, moment);
	entity.protect = 1;
	assert_broken(INVARIANT_DELAYED_LAG, moment);
}

TEST(short_slices_end_the_protection)
{
	struct rule_entity entities[] = {task(1, 2 * MS), task(2, 2 * MS)};
	struct pick_level pick = {.gap = PICK_COMPLETE, .level = {.entities = entities, .count = 2, .running = 0}};
	struct invariant_moment moment = {.traits = &eevdf, .mark = &mark, .task = &entities[1], .pick = &pick};

	entities[0].protect = entities[0].deadline;
	assert_skipped(INVARIANT_SHORT_SLICE, moment);
	entities[1].slice = MS;
	entities[1].deadline = 3 * MS;
	assert_broken(INVARIANT_SHORT_SLICE, moment);
	entities[0].protect++;
	assert_holds(INVARIANT_SHORT_SLICE, moment);
	entities[1].vruntime = 3 * MS; /* not eligible */
	assert_skipped(INVARIANT_SHORT_SLICE, moment);
}

TEST(idle_policy_gives_way)
{
	struct rule_entity woken = task(1, 0), running = task(2, 0);
	struct invariant_moment moment = {.when = WHEN_WOKEN,
					  .traits = &eevdf,
					  .mark = &mark,
					  .task = &woken,
					  .running = &running,
					  .is_same_queue = true};

	assert_skipped(INVARIANT_GIVES_WAY, moment);
	running.policy = 5;
	assert_broken(INVARIANT_GIVES_WAY, moment);
	moment.is_asked = true;
	assert_holds(INVARIANT_GIVES_WAY, moment);
	/* The next pick. */
	moment.when = WHEN_PICKED;
	moment.task = &running;
	assert_skipped(INVARIANT_GIVES_WAY, moment);
	moment.gives_way = running.weight;
	assert_holds(INVARIANT_GIVES_WAY, moment);
	moment.is_asked_anew = true;
	assert_holds(INVARIANT_GIVES_WAY, moment);
	running.protect = running.deadline;
	assert_skipped(INVARIANT_GIVES_WAY, moment);
	moment.is_asked_anew = false;
	assert_broken(INVARIANT_GIVES_WAY, moment);
	moment.gives_way *= 2; /* its share of its group has changed since the wakeup, and so has its protection */
	assert_skipped(INVARIANT_GIVES_WAY, moment);
}

TEST(woken_tasks_are_no_buddies)
{
	const struct key_mark without = {.features = "NO_NEXT_BUDDY"}, with = {.features = "NEXT_BUDDY"};
	struct invariant_moment moment = {.traits = &eevdf, .mark = &without, .is_picked = true};

	assert_skipped(INVARIANT_BUDDY, moment);
	moment.may_be_buddy = true;
	assert_holds(INVARIANT_BUDDY, moment);
	moment.is_picked = false;
	assert_broken(INVARIANT_BUDDY, moment);
	moment.mark = &with;
	assert_skipped(INVARIANT_BUDDY, moment);
}

TEST(tasks_run_where_they_may)
{
	struct key_event event = {.enqueued.flags = WAKEUP_OF_SLEEPER};
	struct invariant_moment moment = {.when = WHEN_RUNS, .mark = &mark, .event = &event, .cpu = 2, .cpus = 7};

	assert_holds(INVARIANT_ALLOWED, moment);
	moment.cpus = 3;
	assert_broken(INVARIANT_ALLOWED, moment);
	moment.cpu = 64;
	assert_skipped(INVARIANT_ALLOWED, moment);
	/* CPU 2 is isolated. */
	moment = (struct invariant_moment){
	    .when = WHEN_ENQUEUED, .mark = &mark, .event = &event, .cpu = 2, .cpus = 7, .has_moved = true};
	assert_broken(INVARIANT_ALLOWED, moment);
	moment.cpu = 1;
	assert_holds(INVARIANT_ALLOWED, moment);
	moment.cpus = 4;
	assert_skipped(INVARIANT_ALLOWED, moment);

	assert_broken(INVARIANT_SLEEPER, moment);
	moment.has_moved = false;
	assert_holds(INVARIANT_SLEEPER, moment);
}

TEST(real_time_tasks_take_turns_and_spread)
{
	(void)state;
	struct invariant_moment moment = {.mark = &mark, .policy = 2, .ran_ns = 153 * MS, .waited_ns = 500 * MS};

	assert_holds(INVARIANT_TURN, moment);
	moment.ran_ns = 200 * MS;
	assert_broken(INVARIANT_TURN, moment);
	moment.waited_ns = 50 * MS; /* the other one came later */
	assert_holds(INVARIANT_TURN, moment);
	moment.policy = 1;
	assert_skipped(INVARIANT_TURN, moment);

	moment.waited_ns = 3 * MS;
	assert_holds(INVARIANT_SPREAD, moment);
	moment.waited_ns = 9 * MS;
	assert_broken(INVARIANT_SPREAD, moment);

	moment.choice = 4;
	moment.cpu = 2;
	assert_holds(INVARIANT_PLACED_SEARCH, moment);
	moment.cpu = 1;
	assert_broken(INVARIANT_PLACED_SEARCH, moment);

	moment.traits = &eevdf;
	assert_skipped(INVARIANT_STARVED, moment);
	moment.starved_ns = 950 * MS;
	assert_holds(INVARIANT_STARVED, moment);
	moment.starved_ns = 1500 * MS;
	assert_broken(INVARIANT_STARVED, moment);
	moment.traits = &cfs; /* no fair server */
	assert_holds(INVARIANT_STARVED, moment);
	moment.starved_ns = 2100 * MS;
	assert_broken(INVARIANT_STARVED, moment);
	assert_skipped(INVARIANT_DEFERRED, moment);
	moment.traits = &eevdf;
	moment.deferred_ns = 949 * MS;
	assert_holds(INVARIANT_DEFERRED, moment);
	moment.deferred_ns = 900 * MS;
	assert_broken(INVARIANT_DEFERRED, moment);
	moment.mark = &no_features; /* real-time tasks have no limit */
	assert_skipped(INVARIANT_STARVED, moment);
	assert_skipped(INVARIANT_DEFERRED, moment);
}

TEST(the_first_break_is_kept)
{
	struct invariants invariants = {0};
	struct rule_entity entity = task(1, 0);
	struct invariant_moment moment = {
	    .when = WHEN_SWITCHED_IN, .traits = &eevdf, .mark = &mark, .task = &entity, .prio = 121};
	struct invariant_place place = {.since_ns = 5, .cpu = 1, .run = 2, .pid = 7};
	const struct invariant_account *account = &invariants.rows[INVARIANT_WEIGHT];

	invariants_check(&invariants, &moment, &place);
	place = (struct invariant_place){.since_ns = 6, .cpu = 3, .run = 4, .pid = 8};
	invariants_check(&invariants, &moment, &place);
	moment.when = WHEN_WOKEN;
	invariants_check(&invariants, &moment, &place);
	assert_int_equal(account->checked, 2);
	assert_int_equal(account->broken, 2);
	assert_int_equal(account->first_ns, 5);
	assert_int_equal(account->first_cpu, 1);
	assert_int_equal(account->first_run, 2);
	assert_int_equal(account->first_pid, 7);

	struct invariants sum = {0};
	invariants_sum(&sum, &(struct invariants){.rows[INVARIANT_WEIGHT].checked = 3}, 0);
	invariants_sum(&sum, &invariants, 1);
	invariants_sum(&sum, &invariants, 2);
	assert_int_equal(sum.rows[INVARIANT_WEIGHT].checked, 7);
	assert_int_equal(sum.rows[INVARIANT_WEIGHT].broken, 4);
	assert_int_equal(sum.rows[INVARIANT_WEIGHT].first_ns, 5);
	assert_int_equal(sum.rows[INVARIANT_WEIGHT].first_run, 1);
}
