/* SPDX-License-Identifier: MIT
 *
 * A group (its queue is LIMITED) in another one (OUTER) that waits on the root's queue is throttled no more. */
#include "rules/rules.h"
#include "rules/throttles.h"

#include "base/memory.h"
#include "support/rule_task.h"
#include "support/unit.h"

enum { ROOT = 1, OUTER = 2, LIMITED = 3 };
enum { TASK_ID = 10, LIMITED_ID = 20, OUTER_ID = 30, HOG_ID = 40, BESIDE_ID = 60 };

struct fixture {
	struct invariants found;
	struct rules_consumer consumer;
	struct rules rules;
};

static void begin(struct fixture *fixture)
{
	struct rules *rules = &fixture->rules;
	const struct key_path path = {.depth = 3,
				      .levels = 3,
				      .entities = {task(TASK_ID, 0), task(LIMITED_ID, 0), task(OUTER_ID, 0)},
				      .queues = {LIMITED, OUTER, ROOT}};

	*fixture = (struct fixture){.rules.now_ns = 0};
	fixture->consumer.invariants = &fixture->found;
	rules->consumer = &fixture->consumer;
	rules->cpus = xcalloc(1, sizeof(*rules->cpus));
	rules->cpu_count = 1;
	rules->cpus[0].root_queue = rules->cpus[0].running_queue = ROOT;
	queues_begin(&rules->queues, &rules->traits);
	queues_enqueue(&rules->queues, &path);
}

static void unthrottle(struct fixture *fixture, bool has_tasks, bool is_last)
{
	const struct key_event keys = {.unthrottled = {.queue = LIMITED, .has_tasks = has_tasks, .is_last = is_last}};

	throttles_end(&fixture->rules, &fixture->rules.cpus[0], &keys);
}

/* A pick of a queue that has this entity; how often a group was not where it must be by then. */
static uint64_t look(struct fixture *fixture, uint64_t queue, uint64_t id)
{
	struct rule_entity entity = task(id, 0);
	const struct pick_level pick = {.queue = queue,
					.gap = PICK_COMPLETE,
					.derived = RULE_NONE,
					.level = {.entities = &entity, .count = 1, .running = RULE_NONE},
					.entities = &entity};

	entity.is_group = id == BESIDE_ID;
	throttles_pick(&fixture->rules, 0, &pick);
	return fixture->found.rows[INVARIANT_FREED].broken;
}

TEST(a_group_is_on_its_queue_when_its_throttling_ends)
{
	struct fixture fixture;

	begin(&fixture);
	unthrottle(&fixture, true, true);
	assert_int_equal(look(&fixture, ROOT, OUTER_ID), 0);
	assert_int_equal(look(&fixture, ROOT, BESIDE_ID), 0); /* a group that may have left it, with the same keys */
	assert_int_equal(look(&fixture, OUTER, LIMITED_ID), 0);
	assert_int_equal(fixture.found.rows[INVARIANT_FREED].checked, 2);
	assert_int_equal(look(&fixture, ROOT, HOG_ID), 1);
	assert_int_equal(look(&fixture, ROOT, HOG_ID), 1); /* is told once */
	unthrottle(&fixture, true, true);
	assert_int_equal(look(&fixture, OUTER, HOG_ID), 2);
	unthrottle(&fixture, true, true);
	throttles_idle(&fixture.rules, 0);
	assert_int_equal(fixture.found.rows[INVARIANT_FREED].broken, 3);
	rules_free(&fixture.rules);
}

static bool is_older(const struct fixture *fixture, uint64_t id)
{
	return queues_entity(&fixture->rules.queues, id)->is_stale;
}

/* Its deadline is another one, though the sums may show the same vruntime. */
TEST(nothing_is_decided_by_the_keys_that_a_group_had_before)
{
	const struct key_path beside = {.depth = 3,
					.levels = 3,
					.entities = {task(50, 0), task(BESIDE_ID, 0), task(OUTER_ID, 0)},
					.queues = {4, OUTER, ROOT}};
	struct fixture fixture;

	begin(&fixture);
	assert_false(queues_has_quota(&fixture.rules.queues, LIMITED));
	unthrottle(&fixture, false, true);
	assert_true(queues_has_quota(&fixture.rules.queues, LIMITED));
	assert_false(queues_has_quota(&fixture.rules.queues, OUTER));
	assert_false(is_older(&fixture, LIMITED_ID));
	unthrottle(&fixture, true, false);
	assert_true(is_older(&fixture, LIMITED_ID));
	assert_true(is_older(&fixture, OUTER_ID));
	rules_free(&fixture.rules);
	begin(&fixture);
	queues_enqueue(&fixture.rules.queues, &beside);
	unthrottle(&fixture, true, true);
	assert_true(is_older(&fixture, LIMITED_ID));
	assert_false(is_older(&fixture, OUTER_ID)); /* it has another group */
	rules_free(&fixture.rules);
}

TEST(only_until_it_may_have_been_throttled_again)
{
	const struct key_path beside = {
	    .depth = 2, .levels = 2, .entities = {task(50, 0), task(OUTER_ID, 0)}, .queues = {OUTER, ROOT}};
	const struct key_path limited = {.depth = 1, .levels = 1, .queues = {LIMITED}};
	struct fixture fixture;

	begin(&fixture);
	unthrottle(&fixture, false, true); /* it has no task */
	assert_int_equal(look(&fixture, OUTER, HOG_ID), 0);
	unthrottle(&fixture, true, false); /* a group around it is throttled */
	assert_int_equal(look(&fixture, OUTER, HOG_ID), 0);
	unthrottle(&fixture, true, true);
	throttles_leave(&fixture.rules, 0);
	assert_int_equal(look(&fixture, OUTER, HOG_ID), 0);
	unthrottle(&fixture, true, true);
	assert_int_equal(look(&fixture, LIMITED, TASK_ID), 0); /* it was found */
	assert_int_equal(look(&fixture, ROOT, HOG_ID), 0);
	/* What runs in the outer group may use up the quota of that, not the inner one's. */
	unthrottle(&fixture, true, true);
	throttles_use(&fixture.rules, &beside);
	assert_int_equal(look(&fixture, ROOT, HOG_ID), 0);
	assert_int_equal(look(&fixture, OUTER, HOG_ID), 1);
	unthrottle(&fixture, true, true);
	throttles_use(&fixture.rules, &limited);
	assert_int_equal(look(&fixture, OUTER, HOG_ID), 1);
	/* It runs in the outer group just then. */
	fixture.rules.cpus[0].running_queue = OUTER;
	unthrottle(&fixture, true, true);
	assert_int_equal(look(&fixture, ROOT, HOG_ID), 1);
	throttles_idle(&fixture.rules, 0);
	assert_int_equal(fixture.found.rows[INVARIANT_FREED].broken, 1);
	rules_free(&fixture.rules);
}
