/* SPDX-License-Identifier: MIT
 *
 * Each invariant at a moment at which it holds, at one at which it is broken, and at one to which it does not apply. */
#include "rules/invariants.h"
#include "support/unit.h"

#define MS UINT64_C(1000000)

static const struct rule_traits cfs = {.has_buddies = true};
static const struct rule_traits eevdf = {.has_deadline = true, .run_to_parity = true};
static const struct key_mark mark = {.hz = 250, .wakeup_granularity_ns = MS, .features = "PLACE_LAG,WAKEUP_PREEMPTION"};

static struct rule_entity task(uint64_t id, uint64_t vruntime)
{
	return (struct rule_entity){.id = id,
				    .vruntime = vruntime,
				    .deadline = vruntime + 3 * MS,
				    .weight = RULE_NICE_0_WEIGHT,
				    .slice = 3 * MS,
				    .slice_max = 3 * MS,
				    .on_rq = true};
}

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

TEST(wakeups_are_tested)
{
	struct rule_entity woken = task(1, 0), running = task(2, 0);
	struct invariant_moment moment = {.traits = &eevdf, .mark = &mark, .task = &woken, .running = &running};
	const struct key_mark without = {.features = "NO_WAKEUP_PREEMPTION"};

	assert_int_equal(check(INVARIANT_WAKEUP_TESTED, &moment), INVARIANT_BROKEN);
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

	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_BROKEN);
	moment.is_asked = true;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_HOLDS);
	running.vruntime = 5 * MS + MS / 2;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_BROKEN);
	moment.is_asked = false;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_HOLDS);
	moment.is_same_queue = false;
	assert_int_equal(check(INVARIANT_WAKEUP_PREEMPTS, &moment), INVARIANT_NOT_APPLICABLE);
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
	moment.mark = &(const struct key_mark){.hz = 0};
	assert_int_equal(check(INVARIANT_BUDGET, &moment), INVARIANT_NOT_APPLICABLE);
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
