/* SPDX-License-Identifier: MIT
 *
 * Queues rebuilt from enqueues and switches, and the proof by sums. All tasks have nice 0: 1024 in the sums. */
#include "rules/queues.h"
#include "support/unit.h"

#define MS   UINT64_C(1000000)
#define ROOT 7

static const struct rule_traits traits = {.has_deadline = true, .has_protect = true, .run_to_parity = true};

struct world {
	struct queues queues;
	struct pick_level pick;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	queues_begin(&world->queues, &traits);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	queues_free(&world->queues);
	pick_level_free(&world->pick);
	free(world);
	return 0;
}

static struct rule_entity task(uint64_t id, uint64_t vruntime_ms, uint64_t deadline_ms)
{
	return (struct rule_entity){.id = id,
				    .vruntime = vruntime_ms * MS,
				    .deadline = deadline_ms * MS,
				    .weight = RULE_NICE_0_WEIGHT,
				    .slice = 3 * MS,
				    .on_rq = true};
}

static struct key_path path_of(struct rule_entity entity)
{
	return (struct key_path){.depth = 1, .levels = 1, .entities = {entity}, .queues = {ROOT}};
}

static void enqueue(struct world *world, struct rule_entity entity)
{
	const struct key_path path = path_of(entity);

	queues_enqueue(&world->queues, &path);
}

/* A pick on the queue, of which waiting entities wait with this sum of vruntimes. */
static const struct pick_level *pick_on(struct world *world, uint64_t queue, struct rule_entity running,
					uint32_t waiting, uint64_t vruntimes_ms)
{
	const struct key_pick event = {.queue = queue,
				       .running = running,
				       .sums = {.has_weight = true,
						.has_keys = true,
						.has_count = true,
						.weight = UINT64_C(1024) * waiting,
						.weighted = 1024 * vruntimes_ms * MS,
						.count = waiting + running.on_rq}};

	queues_pick(&world->queues, &event, &world->pick);
	return &world->pick;
}

static uint64_t rules_choice(const struct pick_level *pick)
{
	assert_int_equal(pick->gap, PICK_COMPLETE);
	const struct rule_choice choice = pick_level_choice(&traits, pick, 0);
	assert_in_range(choice.entity, 0, pick->level.count - 1);
	return pick->level.entities[choice.entity].id;
}

static void switch_tasks(struct world *world, struct rule_entity prev, struct rule_entity next)
{
	const struct key_path from = path_of(prev), to = path_of(next), none = {0};

	queues_switch(&world->queues, prev.id ? &from : &none, &to);
}

static const struct rule_entity nobody;

/* The last task of nested groups goes to sleep: each of the groups may be what sleeps delayed, at any level. */
TEST_WITH(groups_of_a_sleeper_may_all_be_delayed, set_up, tear_down)
{
	struct world *world = *state;
	struct key_path path = {.depth = 3,
				.levels = 3,
				.entities = {task(1, 1, 4), task(11, 1, 4), task(12, 1, 4)},
				.queues = {21, 22, ROOT}};

	path.entities[0].on_rq = false;
	queues_stop_group(&world->queues, &path, 1, NULL);
	queues_stop_group(&world->queues, &path, 2, NULL);
	assert_true(path.entities[1].on_rq && path.entities[1].is_delayed);
	assert_true(path.entities[2].on_rq && path.entities[2].is_delayed);
	/* A pick of another entity shows that it has left. */
	const struct pick_level pick = {.gap = PICK_SUMS_DIFFER, .level.running = RULE_NONE, .derived = RULE_NONE};
	queues_stop_group(&world->queues, &path, 1, &pick);
	assert_false(path.entities[1].on_rq);
	/* In the outer one only another that may sleep is left. */
	struct rule_entity sleeper = task(13, 1, 4);
	sleeper.is_delayed = sleeper.is_group = true;
	const struct key_path beside = {
	    .depth = 2, .levels = 2, .entities = {sleeper, path.entities[2]}, .queues = {22, ROOT}};
	queues_enqueue(&world->queues, &beside);
	queues_stop_group(&world->queues, &path, 1, NULL);
	queues_stop_group(&world->queues, &path, 2, NULL);
	assert_true(path.entities[2].on_rq && path.entities[2].is_delayed);
	/* Another task waits in the inner group. */
	const struct key_path other = {.depth = 3,
				       .levels = 3,
				       .entities = {task(2, 1, 4), path.entities[1], path.entities[2]},
				       .queues = {21, 22, ROOT}};
	queues_enqueue(&world->queues, &other);
	queues_stop_group(&world->queues, &path, 1, NULL);
	queues_stop_group(&world->queues, &path, 2, NULL);
	assert_true(path.entities[1].on_rq && !path.entities[1].is_delayed);
	assert_true(path.entities[2].on_rq && !path.entities[2].is_delayed);
}

TEST_WITH(sums_of_a_damaged_trace_show_nothing, set_up, tear_down)
{
	struct world *world = *state;
	const struct rule_traits shifted = {.has_deadline = true, .has_sum_shift = true};
	const struct key_pick event = {
	    .queue = ROOT,
	    .running = task(1, 4, 9),
	    .sums = {.has_weight = true, .has_keys = true, .has_count = true, .weight = 1024, .count = 2, .shift = 64}};

	world->queues.traits = &shifted;
	queues_pick(&world->queues, &event, &world->pick);
	assert_int_not_equal(world->pick.gap, PICK_COMPLETE);
	assert_int_equal(world->pick.derived, RULE_NONE);
}

/* The sums of a pick after a group has stopped to run are complete without it, though its task has not gone to sleep.
 */
TEST_WITH(a_group_that_is_throttled_is_on_no_queue, set_up, tear_down)
{
	struct world *world = *state;
	struct key_path path = {
	    .depth = 2, .levels = 2, .entities = {task(1, 1, 4), task(11, 1, 4)}, .queues = {21, ROOT}};
	struct rule_entity other = task(12, 1, 4);
	struct pick_level pick = {.gap = PICK_COMPLETE,
				  .derived = RULE_NONE,
				  .level = {.entities = &other, .count = 1, .running = RULE_NONE},
				  .entities = &other};

	queues_stop_group(&world->queues, &path, 1, &pick);
	assert_false(path.entities[1].on_rq);
	/* It is there; it may be the one that only the sums show; it is the next to be put back. */
	other.id = 11;
	queues_stop_group(&world->queues, &path, 1, &pick);
	assert_true(path.entities[1].on_rq);
	other.id = 12;
	pick.derived = 0;
	queues_stop_group(&world->queues, &path, 1, &pick);
	assert_true(path.entities[1].on_rq);
	pick.derived = RULE_NONE;
	pick.level.running = 0;
	queues_stop_group(&world->queues, &path, 1, &pick);
	assert_true(path.entities[1].on_rq);
}

/* A group comes back from throttling without an event: the sums show its vruntime, 1 ms, and that it is eligible. */
TEST_WITH(what_waits_alone_is_derived_from_the_sums, set_up, tear_down)
{
	struct world *world = *state;
	struct rule_entity unknown = task(3, 0, 0);

	unknown.weight /= 2; /* its share has changed since the pick */
	const struct pick_level *pick = pick_on(world, ROOT, task(1, 4, 9), 1, 1);
	assert_int_equal(pick->derived, 1);
	assert_int_equal(pick->level.count, 2);
	assert_int_equal(pick->entities[1].vruntime, 1 * MS);
	assert_int_equal(pick->entities[1].weight, RULE_NICE_0_WEIGHT);
	assert_int_equal(rules_choice(pick), 0);
	pick_level_name(world->queues.traits, &world->pick, &unknown, false);
	assert_int_equal(rules_choice(pick), 3);
	assert_int_equal(pick->entities[1].vruntime, 1 * MS);
	assert_int_equal(pick->entities[1].weight, RULE_NICE_0_WEIGHT);
	assert_false(pick->entities[1].is_stale);
	/* The deadlines decide between two with the same vruntime. */
	pick = pick_on(world, ROOT, task(1, 4, 9), 1, 4);
	assert_int_equal(pick->gap, PICK_UNSEEN);
	assert_int_equal(pick->derived, RULE_NONE);
	/* The only one is what was picked. */
	pick = pick_on(world, ROOT, nobody, 1, 4);
	assert_int_equal(pick->gap, PICK_UNSEEN);
	pick_level_name(world->queues.traits, &world->pick, &unknown, false);
	assert_int_equal(rules_choice(pick), 3);
	/* The switch has the keys of its task, but not those of its group. */
	assert_false(pick->entities[0].is_stale);
	pick = pick_on(world, ROOT, nobody, 1, 4);
	unknown.is_group = true;
	pick_level_name(world->queues.traits, &world->pick, &unknown, false);
	assert_true(pick->entities[0].is_stale);
	/* With one queue per CPU the weight of a task is a share, which may have changed since, too. */
	const struct rule_traits shifted = {.has_deadline = true, .has_sum_shift = true};
	pick = pick_on(world, ROOT, nobody, 1, 4);
	unknown.is_group = false;
	pick_level_name(&shifted, &world->pick, &unknown, false);
	assert_true(pick->entities[0].is_stale);
	/* Two unknown ones could be any. */
	assert_int_equal(pick_on(world, ROOT, task(1, 4, 9), 2, 4)->gap, PICK_UNSEEN);
	/* 6 ms is not eligible among three: V is 11/3 ms. */
	enqueue(world, task(2, 1, 8));
	assert_int_equal(rules_choice(pick_on(world, ROOT, task(1, 4, 9), 2, 7)), 2);
	/* 3 ms is eligible as 1 ms is: V is 8/3 ms with 4, 3 and 1; it is not. 2 ms is. */
	assert_int_equal(pick_on(world, ROOT, task(1, 4, 9), 2, 3)->gap, PICK_UNSEEN);
}

/* Its deadline is after its vruntime: a task with an earlier one is picked. */
TEST_WITH(what_waits_alone_has_no_earlier_deadline_than_its_vruntime, set_up, tear_down)
{
	struct world *world = *state;

	enqueue(world, task(2, 1, 3));
	/* 4 ms is missing, and eligible as 1 ms is: V is 5 ms. */
	const struct pick_level *pick = pick_on(world, ROOT, task(1, 10, 19), 2, 5);
	assert_int_equal(rules_choice(pick), 2);
	/* That of an earlier request is shown, and decides nothing. */
	const struct rule_entity named = task(3, 0, 2);
	pick_level_name(world->queues.traits, &world->pick, &named, true);
	assert_int_equal(rules_choice(pick), 2);
	assert_true(pick->entities[pick->proven].is_stale);
	enqueue(world, task(2, 1, 5));
	assert_int_equal(pick_on(world, ROOT, task(1, 10, 19), 2, 5)->gap, PICK_UNSEEN);
}

/* A buddy waits on its queue. */
TEST_WITH(an_unknown_buddy_is_what_waits_alone, set_up, tear_down)
{
	struct world *world = *state;
	struct key_pick event = {.queue = ROOT,
				 .running = task(1, 10, 19),
				 .sums = {.has_weight = true,
					  .has_keys = true,
					  .has_count = true,
					  .weight = 1024,
					  .weighted = 1024 * 4 * MS,
					  .count = 2}};

	event.next = 100;
	queues_pick(&world->queues, &event, &world->pick);
	assert_int_equal(world->pick.gap, PICK_COMPLETE);
	assert_int_equal(world->pick.derived, 1);
	assert_int_equal(world->pick.level.next, 1);
	/* Two are missing: it is not known which. */
	event.sums.count = 3;
	queues_pick(&world->queues, &event, &world->pick);
	assert_int_equal(world->pick.gap, PICK_UNSEEN);
	assert_int_equal(world->pick.level.next, RULE_NONE);
}

TEST_WITH(a_throttled_group_is_taken_out, set_up, tear_down)
{
	struct world *world = *state;
	struct rule_entity group = task(2, 2, 8);

	group.is_group = true;
	enqueue(world, task(1, 4, 9));
	enqueue(world, task(3, 5, 9));
	enqueue(world, group);
	assert_int_equal(rules_choice(pick_on(world, ROOT, nobody, 2, 9)), 1);
	assert_int_equal(queues_count(&world->queues, ROOT), 2);
}

TEST_WITH(picks_with_all_candidates, set_up, tear_down)
{
	struct world *world = *state;

	enqueue(world, task(1, 4, 9));
	enqueue(world, task(2, 2, 8));
	/* V = 3 ms: only 2 is eligible. */
	assert_int_equal(rules_choice(pick_on(world, ROOT, nobody, 2, 6)), 2);
	switch_tasks(world, nobody, task(2, 2, 8));
	/* 2 has run 4 ms: V = 5 ms, so that 1 is the rule's. 2 counts in V, but not in the queue's sums. */
	const struct pick_level *pick = pick_on(world, ROOT, task(2, 6, 11), 1, 4);
	assert_int_equal(pick->level.count, 2);
	assert_int_equal(pick->level.entities[pick->level.running].id, 2);
	assert_int_equal(rules_choice(pick), 1);
	switch_tasks(world, task(2, 6, 11), task(1, 4, 9));
	assert_int_equal(rules_choice(pick_on(world, ROOT, task(1, 7, 9), 1, 6)), 2);
}

TEST_WITH(a_task_that_sleeps_is_no_candidate, set_up, tear_down)
{
	struct world *world = *state;
	struct rule_entity sleeper = task(2, 6, 11);

	enqueue(world, task(1, 4, 9));
	switch_tasks(world, nobody, task(2, 2, 8));
	sleeper.on_rq = false;
	const struct pick_level *pick = pick_on(world, ROOT, sleeper, 1, 4);
	assert_int_equal(pick->level.count, 1);
	assert_int_equal(pick->level.running, RULE_NONE);
	assert_int_equal(rules_choice(pick), 1);
	switch_tasks(world, sleeper, task(1, 4, 9));
	assert_int_equal(queues_waiting(&world->queues, ROOT), 0);
}

TEST_WITH(without_proof_nothing_is_complete, set_up, tear_down)
{
	struct world *world = *state;

	enqueue(world, task(2, 2, 8));
	assert_int_equal(pick_on(world, ROOT, nobody, 3, 12)->gap, PICK_UNSEEN);
	enqueue(world, task(3, 5, 9));
	assert_int_equal(pick_on(world, ROOT, nobody, 2, 6)->gap, PICK_SUMS_DIFFER);
	const struct key_pick event = {.queue = ROOT};
	queues_pick(&world->queues, &event, &world->pick);
	assert_int_equal(world->pick.gap, PICK_NO_SUMS);
}

/* Tasks that a balance moves while they sleep are put where V is, all of them. Which of them has left then, the sums do
 * not show: as they leave when they are picked, it is that with the earliest deadline. Seen in hackbench on 7.3. */
TEST_WITH(of_equal_sleepers_the_one_that_is_picked_first_has_left, set_up, tear_down)
{
	struct world *world = *state;
	const uint64_t deadlines[] = {8, 6, 7};

	for (uint64_t i = 0; i < 3; i++) {
		struct rule_entity sleeper = task(i + 1, 3, deadlines[i]);
		sleeper.is_delayed = true;
		enqueue(world, sleeper);
	}
	enqueue(world, task(4, 5, 9));
	const struct pick_level *pick = pick_on(world, ROOT, nobody, 3, 3 + 3 + 5);
	assert_int_equal(pick->gap, PICK_COMPLETE);
	assert_int_equal(pick->left_count, 1);
	assert_int_equal(pick_level_find(pick, 2), RULE_NONE);
	assert_int_equal(rules_choice(pick), 3);
	assert_true(pick->entities[pick_level_find(pick, 1)].is_stale);
	assert_true(pick->entities[pick_level_find(pick, 3)].is_stale);
	assert_false(pick->entities[pick_level_find(pick, 4)].is_stale);
	/* One that has come since the last pick has not been picked, although its deadline is earlier. */
	struct rule_entity sleeper = task(5, 3, 4);
	sleeper.is_delayed = true;
	enqueue(world, sleeper);
	pick = pick_on(world, ROOT, nobody, 3, 3 + 3 + 5);
	assert_int_equal(pick_level_find(pick, 3), RULE_NONE);
	assert_int_equal(rules_choice(pick), 5);
	pick = pick_on(world, ROOT, nobody, 2, 3 + 5);
	assert_int_equal(rules_choice(pick), 1);
}

/* 1 to 4 sleep delayed; the sums show that 2 and 4 have left. Their weights are equal: the keys tell. */
TEST_WITH(delayed_sleepers_that_left_are_found, set_up, tear_down)
{
	struct world *world = *state;

	for (uint64_t id = 1; id <= 4; id++) {
		struct rule_entity sleeper = task(id, 10 * id, 10 * id + 3);
		sleeper.is_delayed = true;
		enqueue(world, sleeper);
	}
	enqueue(world, task(5, 15, 16));
	const struct pick_level *pick = pick_on(world, ROOT, nobody, 3, 10 + 30 + 15);
	assert_int_equal(pick->gap, PICK_COMPLETE);
	assert_int_equal(pick->left_count, 2);
	assert_int_equal(pick->level.count, 3);
	assert_int_equal(pick_level_find(pick, 2), RULE_NONE);
	assert_int_equal(pick_level_find(pick, 4), RULE_NONE);
	/* V = 55 / 3 ms; the sleeper 1 has the earliest deadline of the eligible: it is picked, and dequeued. */
	assert_int_equal(rules_choice(pick), 1);
	assert_int_equal(rules_choice(pick_on(world, ROOT, nobody, 2, 30 + 15)), 5);
	assert_int_equal(queues_waiting(&world->queues, ROOT), 1);
}

/* Only sleepers leave without an event. */
TEST_WITH(others_do_not_leave_unseen, set_up, tear_down)
{
	struct world *world = *state;

	enqueue(world, task(1, 10, 13));
	enqueue(world, task(2, 20, 23));
	assert_int_equal(pick_on(world, ROOT, nobody, 1, 10)->gap, PICK_SUMS_DIFFER);
}

TEST_WITH(migrated_tasks_leave, set_up, tear_down)
{
	struct world *world = *state;

	enqueue(world, task(1, 4, 9));
	enqueue(world, task(3, 5, 9));
	queues_leave(&world->queues, 3);
	queues_leave(&world->queues, 99);
	assert_int_equal(rules_choice(pick_on(world, ROOT, nobody, 1, 4)), 1);
}

/* Groups: 100 with queue 70, 200 with queue 80, both on the root queue. */
static struct key_path in_group(struct rule_entity entity, uint64_t group, uint64_t group_vruntime_ms)
{
	return (struct key_path){
	    .depth = 2,
	    .levels = 2,
	    .entities = {entity, task(group, group_vruntime_ms, group_vruntime_ms + 3)},
	    .queues = {group == 100 ? 70 : 80, ROOT},
	};
}

/* Its new weight changes its deadline, which no sum proves. */
TEST_WITH(the_keys_of_a_group_that_is_left_are_stale, set_up, tear_down)
{
	struct world *world = *state;
	const struct key_path first = in_group(task(2, 0, 3), 100, 1), second = in_group(task(3, 0, 3), 100, 1);

	queues_enqueue(&world->queues, &first);
	queues_enqueue(&world->queues, &second);
	assert_false(queues_entity(&world->queues, 100)->is_stale);
	queues_leave(&world->queues, 2);
	assert_true(queues_entity(&world->queues, 100)->is_stale);
	queues_enqueue(&world->queues, &first);
	assert_false(queues_entity(&world->queues, 100)->is_stale);
}

TEST_WITH(groups_are_picked_level_by_level, set_up, tear_down)
{
	struct world *world = *state;
	const struct key_path tasks[] = {in_group(task(1, 4, 9), 100, 20), in_group(task(2, 50, 55), 200, 10),
					 in_group(task(3, 60, 65), 200, 10)};
	const struct key_path none = {0};

	for (int i = 0; i < 3; i++)
		queues_enqueue(&world->queues, &tasks[i]);
	/* Root: V = 15 ms, group 200. Its queue: V = 55 ms, task 2. */
	assert_int_equal(rules_choice(pick_on(world, ROOT, nobody, 2, 30)), 200);
	assert_int_equal(rules_choice(pick_on(world, 80, nobody, 2, 110)), 2);
	queues_switch(&world->queues, &none, &tasks[1]);
	assert_int_equal(rules_choice(pick_on(world, ROOT, task(200, 30, 33), 1, 20)), 100);
	/* If the last task of a waiting group migrates, the group leaves, too; not if one runs. */
	queues_leave(&world->queues, 1);
	assert_int_equal(queues_waiting(&world->queues, 70), 0);
	assert_int_equal(queues_waiting(&world->queues, ROOT), 0);
}

/* A task at its exit ends in the root's group. */
TEST_WITH(a_running_task_leaves_its_group, set_up, tear_down)
{
	struct world *world = *state;
	struct key_path first = in_group(task(1, 4, 9), 100, 20), second = in_group(task(2, 5, 9), 100, 20), none = {0};
	struct rule_entity left = task(1, 30, 33);

	queues_switch(&world->queues, &none, &first);
	queues_enqueue(&world->queues, &second);
	left.on_rq = false;
	const struct key_path last = path_of(left);
	queues_switch(&world->queues, &last, &none);
	queues_enqueue(&world->queues, &second);
	assert_int_equal(queues_waiting(&world->queues, ROOT), 1);
	/* It runs in its group no more: the group leaves with its last task. */
	queues_leave(&world->queues, 2);
	assert_int_equal(queues_waiting(&world->queues, ROOT), 0);
}

/* The kernel says that the task runs on the root's queue: its group waits there, with the keys of its next event. */
TEST_WITH(a_group_waits_when_its_running_task_has_left_it, set_up, tear_down)
{
	struct world *world = *state;
	const struct key_path first = in_group(task(1, 4, 9), 100, 20), second = in_group(task(2, 5, 9), 100, 22),
			      none = {0};

	queues_switch(&world->queues, &none, &first);
	assert_int_equal(pick_on(world, ROOT, task(1, 30, 33), 1, 20)->gap, PICK_COMPLETE);
	queues_enqueue(&world->queues, &second);
	assert_int_equal(queues_waiting(&world->queues, ROOT), 1);
	assert_int_equal(rules_choice(pick_on(world, ROOT, task(1, 30, 33), 1, 22)), 100);
}

TEST_WITH(a_loss_empties_the_queues, set_up, tear_down)
{
	struct world *world = *state;

	enqueue(world, task(1, 4, 9));
	queues_forget(&world->queues);
	assert_int_equal(queues_waiting(&world->queues, ROOT), 0);
	enqueue(world, task(1, 4, 9));
	assert_int_equal(queues_waiting(&world->queues, ROOT), 1);
}

/* Several may wait that are not known, and some that are known have left: the sums derive none before they have proven
 * the queue. What ran then is not known to run. */
TEST_WITH(nothing_is_derived_after_a_loss_until_the_queue_is_proven, set_up, tear_down)
{
	struct world *world = *state;

	switch_tasks(world, nobody, task(2, 5, 9));
	queues_forget(&world->queues);
	assert_int_equal(pick_on(world, ROOT, task(1, 4, 9), 1, 1)->gap, PICK_UNSEEN);
	enqueue(world, task(2, 5, 9));
	assert_int_equal(pick_on(world, ROOT, task(1, 4, 9), 1, 5)->gap, PICK_COMPLETE);
	assert_int_equal(pick_on(world, ROOT, task(1, 4, 9), 2, 6)->derived, 2);
}

/* Its deadline may be of a longer slice than it has: that is known since the deadline was seen to be set. */
TEST_WITH(the_longest_slice_of_a_request_is_known_since_its_deadline, set_up, tear_down)
{
	struct world *world = *state;
	struct rule_entity first = task(1, 4, 9), renewed = task(1, 9, 12), brisk = task(1, 9, 12);

	first.slice = renewed.slice = 3 * MS;
	brisk.slice = MS;
	assert_int_equal(queues_slice_max(&world->queues, &first), 0);
	enqueue(world, first);
	assert_int_equal(queues_slice_max(&world->queues, &first), 0);
	assert_int_equal(queues_slice_max(&world->queues, &renewed), 3 * MS);
	enqueue(world, renewed);
	assert_int_equal(queues_slice_max(&world->queues, &brisk), 3 * MS);
	/* Another nice level leaves the slice, other attributes may change it. */
	queues_change(&world->queues, 1, false);
	assert_int_equal(queues_slice_max(&world->queues, &brisk), 3 * MS);
	queues_change(&world->queues, 1, true);
	assert_int_equal(queues_slice_max(&world->queues, &brisk), 0);
}

TEST_WITH(groups_are_inside_of_queues, set_up, tear_down)
{
	struct world *world = *state;
	const struct key_path task_in_group = in_group(task(1, 4, 9), 100, 20);
	const uint64_t inner = task_in_group.queues[0];

	assert_false(queues_is_inside(&world->queues, inner, ROOT));
	queues_enqueue(&world->queues, &task_in_group);
	assert_true(queues_is_inside(&world->queues, inner, ROOT));
	assert_false(queues_is_inside(&world->queues, ROOT, inner));
	assert_false(queues_is_inside(&world->queues, inner, inner));
}

/* Queues that no task has shown yet. */
TEST_WITH(quotas_of_many_queues, set_up, tear_down)
{
	struct world *world = *state;

	for (uint64_t queue = 1; queue <= 300; queue++) {
		queues_note_quota(&world->queues, queue);
		assert_true(queues_has_quota(&world->queues, queue));
	}
	assert_false(queues_has_quota(&world->queues, 301));
}
