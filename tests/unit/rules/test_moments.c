/* SPDX-License-Identifier: MIT
 *
 * A task that ends is taken from its queue and set to run again before its last schedule(): its slice is protected
 * anew, and it may be in another group. */
#include "rules/judge.h"
#include "rules/moments.h"
#include "rules/rules.h"
#include "rules/switch_moments.h"
#include "support/unit.h"

#define MS       UINT64_C(1000000)
#define ROOT     7
#define SCHEDULE 99
#define TASK_PID 11
#define TASK_ID  1
#define GROUP_ID 2

static uint32_t decisions;
static enum decision_verdict verdict; /* of the last one */

static void count_decision(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	(void)context;
	(void)states;
	verdict = decision->verdict;
	decisions++;
}

struct world {
	struct rules rules;
	struct rules_cpu cpu;
	struct invariants found;
	struct rules_consumer consumer;
	struct rule_entity entities[2];
};

/* Protected: on this kernel vlag is a copy of the deadline. */
static struct rule_entity entity(uint64_t id, uint64_t vruntime_ms, uint64_t deadline_ms)
{
	return (struct rule_entity){.id = id,
				    .vruntime = vruntime_ms * MS,
				    .deadline = deadline_ms * MS,
				    .protect = deadline_ms * MS,
				    .weight = RULE_NICE_0_WEIGHT,
				    .on_rq = true};
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	const struct key_path running = {
	    .depth = 2, .levels = 2, .entities = {entity(TASK_ID, 4, 6), entity(GROUP_ID, 4, 6)}, .queues = {70, ROOT}};
	const struct key_path none = {0};

	decisions = 0;
	world->consumer = (struct rules_consumer){.decide = count_decision, .invariants = &world->found};
	world->rules.consumer = &world->consumer;
	world->rules.traits = (struct rule_traits){.has_deadline = true, .has_protect = true, .run_to_parity = true};
	world->rules.mark = (struct key_mark){.hz = 250, .features = "NO_HRTICK"};
	world->rules.callers[CALLER_SCHEDULE][0] = SCHEDULE;
	world->rules.pids = calloc(1, sizeof(*world->rules.pids));
	world->rules.pids[id_map_add(&world->rules.task_ids, TASK_ID)] = TASK_PID;
	queues_begin(&world->rules.queues, &world->rules.traits);
	queues_switch(&world->rules.queues, &none, &running);
	world->cpu = (struct rules_cpu){.chain_caller = SCHEDULE, .root_queue = 1, .is_proven = true};
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	rules_free(&world->rules);
	free(world);
	return 0;
}

static uint64_t pick_of(struct world *world, uint32_t count, uint64_t queue, struct rule_entity running,
			enum invariant invariant)
{
	struct pick_level pick = {.queue = queue,
				  .level = {.entities = world->entities, .count = count, .running = 0},
				  .derived = RULE_NONE,
				  .entities = world->entities};

	world->entities[0] = running;
	world->entities[1] = entity(3, 5, 9);
	moments_pick(&world->rules, &world->cpu, &world->cpu, &pick);
	return world->found.rows[invariant].broken;
}

/* The last pick on a queue on which the running entity is not alone; how often the invariant was broken by then. */
static uint64_t pick_on(struct world *world, uint64_t queue, struct rule_entity running, enum invariant invariant)
{
	return pick_of(world, 2, queue, running, invariant);
}

TEST_WITH(an_idle_task_that_ends_gives_way_in_its_own_group, set_up, tear_down)
{
	struct world *world = *state;

	world->cpu.gives_way = TASK_ID;
	world->cpu.gives_way_weight = RULE_NICE_0_WEIGHT;
	world->cpu.gives_way_to = TASK_ID;
	assert_int_equal(pick_on(world, ROOT, entity(TASK_ID, 5, 6), INVARIANT_GIVES_WAY), 0);
	world->cpu.gives_way = TASK_ID;
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 6), INVARIANT_GIVES_WAY), 1);
	/* Another CPU has taken the woken one. */
	world->cpu.gives_way = TASK_ID;
	world->cpu.gives_way_to = TASK_ID + 9;
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 6), INVARIANT_GIVES_WAY), 1);
	/* Its exit has protected it anew, and asked for that reason. */
	world->cpu.gives_way = world->cpu.gives_way_to = TASK_ID;
	world->cpu.is_asked_anew = true;
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 6), INVARIANT_GIVES_WAY), 1);
}

TEST_WITH(the_tick_asks_for_a_group_that_runs_anew, set_up, tear_down)
{
	struct world *world = *state;

	world->cpu.has_cause = world->cpu.is_of_tick = true;
	/* The group has got another deadline at the tick, and its task ends. */
	assert_int_equal(pick_on(world, ROOT, entity(GROUP_ID, 6, 9), INVARIANT_TICK), 0);
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 6), INVARIANT_TICK), 0);
	/* No level has used its slice. */
	world->cpu.has_used = false;
	assert_int_equal(pick_on(world, ROOT, entity(GROUP_ID, 5, 6), INVARIANT_TICK), 0);
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 6), INVARIANT_TICK), 1);
	/* What it shared a queue with may have been pulled since. */
	world->cpu.has_rival = false;
	assert_int_equal(pick_of(world, 1, ROOT, entity(GROUP_ID, 5, 6), INVARIANT_TICK), 1);
	assert_int_equal(pick_of(world, 1, 70, entity(TASK_ID, 5, 6), INVARIANT_TICK), 1);
	/* A quota that is used up asks as well. */
	queues_note_quota(&world->rules.queues, 70);
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 6), INVARIANT_TICK), 1);
}

TEST_WITH(the_weight_of_a_group_is_that_of_the_last_pick, set_up, tear_down)
{
	struct world *world = *state;
	struct rules_cpu *cpu = &world->cpu;
	struct rule_entity group = entity(GROUP_ID, 5, 6), task = entity(TASK_ID, 5, 6);

	group.weight = 300;
	cpu->keys.switched.next = (struct key_path){.depth = 2, .entities = {task, group}, .queues = {70, ROOT}};
	cpu->chain[0] =
	    (struct pick_level){.queue = ROOT, .level = {.entities = &group, .count = 1}, .entities = &group};
	cpu->chain[1] = (struct pick_level){.queue = 70, .level = {.entities = &task, .count = 1}, .entities = &task};
	cpu->chain_count = 2;
	assert_int_equal(switch_find_lone(cpu).weight, 300);
	/* The lower queue is picked from once more, after a task has left it. */
	judge_repeat(&world->rules, cpu, 70);
	assert_int_equal(cpu->chain_count++, 1);
	assert_int_equal(switch_find_lone(cpu).weight, 0);
	/* From the start again. */
	judge_repeat(&world->rules, cpu, ROOT);
	assert_int_equal(cpu->chain_count, 0);
}

/* What it has run since adds to its vruntime, unless it has got other keys: then the recorded one is the least. */
TEST_WITH(a_task_that_yields_has_run_since_it_began, set_up, tear_down)
{
	struct world *world = *state;

	world->rules.now_ns = 20 * MS;
	world->cpu.began = entity(TASK_ID, 4, 6);
	world->cpu.began_ns = 19 * MS;
	world->cpu.yielded = entity(TASK_ID, 3, 6);
	moments_yield(&world->rules, &world->cpu);
	assert_int_equal(world->cpu.yielded.vruntime, 4 * MS + MS * 7 / 8 - 20000);
	world->cpu.yielded = entity(TASK_ID, 3, 5);
	moments_yield(&world->rules, &world->cpu);
	assert_int_equal(world->cpu.yielded.vruntime, 3 * MS);
}

/* A task's share changes while it runs, there and back: its deadline is scaled twice. */
TEST_WITH(a_request_that_other_weights_have_scaled_is_not_judged, set_up, tear_down)
{
	struct world *world = *state;
	struct key_path path = {.depth = 1, .levels = 1, .entities = {entity(TASK_ID, 4, 6)}, .queues = {70}};
	struct rule_entity light = entity(TASK_ID, 5, 8);

	path.entities[0].slice = 2 * MS;
	queues_enqueue(&world->rules.queues, &path);
	light.weight /= 2;
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 9), INVARIANT_DEADLINE_RENEWED), 1);
	assert_int_equal(pick_on(world, 70, light, INVARIANT_DEADLINE_RENEWED), 1);
	assert_int_equal(pick_on(world, 70, entity(TASK_ID, 5, 9), INVARIANT_DEADLINE_RENEWED), 1);
}

/* A task that sleeps does not go on: what was picked was a delayed sleeper, which leaves. */
TEST_WITH(a_pick_without_a_running_task_is_no_decision, set_up, tear_down)
{
	struct world *world = *state;
	const struct task_states states = {0};

	world->entities[0] = entity(3, 5, 9);
	world->cpu.chain[0] =
	    (struct pick_level){.queue = 70,
				.level = {.entities = world->entities, .count = 1, .running = RULE_NONE},
				.derived = RULE_NONE};
	world->cpu.chain_count = 1;
	judge_stay(&world->rules, &states, &world->cpu);
	assert_int_equal(decisions, 0);
	world->cpu.chain[0].level.running = 0;
	world->cpu.chain_count = 1;
	judge_stay(&world->rules, &states, &world->cpu);
	assert_int_equal(decisions, 1);
}

static void set_prio(struct world *world, int32_t old_prio, int32_t prio)
{
	const struct pass pass = {.run.first_ns = 0};
	const struct task_step step = {.changes = 0};
	const struct sched_event event = {.kind = SCHED_PI_SETPRIO,
					  .set_prio = {.task = {.pid = TASK_PID, .prio = prio}, .old_prio = old_prio}};

	rules_step(&world->rules, &pass, &event, &step, NULL);
}

/* The task, of nice 0, begins to run with this priority; how often its weight was not that of its nice value by then.
 */
static uint64_t run_with(struct world *world, int32_t prio)
{
	const struct rule_entity known[2] = {{.id = 0}, {.id = 0}};
	const struct task_states states = {0};

	world->cpu.keys.switched.next =
	    (struct key_path){.depth = 1, .levels = 1, .entities = {entity(TASK_ID, 4, 6)}, .queues = {70}};
	world->cpu.event.switched.prev = world->cpu.event.switched.next =
	    (struct sched_task){.pid = TASK_PID, .prio = prio};
	moments_switch(&world->rules, &states, &world->cpu, known, true);
	return world->found.rows[INVARIANT_WEIGHT].broken;
}

TEST_WITH(an_inherited_priority_changes_no_weight, set_up, tear_down)
{
	struct world *world = *state;

	world->rules.keys.is_known = true;
	set_prio(world, 120, 115);
	set_prio(world, 115, 110);
	assert_int_equal(run_with(world, 110), 0);
	set_prio(world, 110, 115);
	assert_int_equal(run_with(world, 115), 0);
	set_prio(world, 115, 120);
	assert_int_equal(run_with(world, 120), 0);
	assert_int_equal(run_with(world, 115), 1);
}

/* How often it was broken after a new task was placed with this slice. */
static uint64_t place_with(struct world *world, uint64_t slice_ms)
{
	const struct task_states states = {0};
	struct key_event forked = {.enqueued = {.pid = TASK_PID, .flags = WAKEUP_OF_FORK, .has_custom_slice = true}};

	forked.enqueued.task =
	    (struct key_path){.depth = 1, .levels = 1, .entities = {entity(TASK_ID, 4, 6)}, .queues = {ROOT}};
	forked.enqueued.task.entities[0].slice = slice_ms * MS;
	moments_enqueue(&world->rules, &states, &world->cpu, &world->cpu, &forked);
	return world->found.rows[INVARIANT_SLICE_PLACED].broken;
}

TEST_WITH(the_base_slice_may_change_but_not_back, set_up, tear_down)
{
	struct world *world = *state;
	const struct key_mark mark = {.hz = 250, .base_slice_ns = 3 * MS};

	world->rules.keys.is_known = true;
	set_prio(world, 120, 120);
	rules_apply_mark(&world->rules, &mark);
	assert_int_equal(place_with(world, 3), 0);
	assert_int_equal(place_with(world, 12), 0);
	assert_int_equal(place_with(world, 12), 0);
	assert_int_equal(world->found.rows[INVARIANT_SLICE_PLACED].checked, 2);
	assert_int_equal(place_with(world, 3), 1);
}

/* What is said of a switch to the idle task. */
static enum decision_verdict go_idle(struct world *world)
{
	const struct task_states states = {0};

	world->cpu.root_queue = ROOT;
	world->cpu.event.switched.prev = (struct sched_task){.pid = TASK_PID, .prio = 120};
	world->cpu.event.switched.next = (struct sched_task){.pid = 0, .prio = 120};
	judge_switch(&world->rules, &states, &world->cpu);
	return verdict;
}

/* Of a group that waits it is not known whether its tasks may run. */
TEST_WITH(a_cpu_does_not_idle_while_its_task_waits, set_up, tear_down)
{
	struct world *world = *state;
	struct key_path waiting = {
	    .depth = 2, .levels = 2, .entities = {entity(20, 4, 6), entity(21, 4, 6)}, .queues = {80, ROOT}};

	assert_int_equal(go_idle(world), VERDICT_EXPLAINED);
	waiting.entities[1].is_group = true;
	queues_enqueue(&world->rules.queues, &waiting);
	assert_int_equal(go_idle(world), VERDICT_EXPLAINED);
	waiting = (struct key_path){.depth = 1, .levels = 1, .entities = {entity(22, 4, 6)}, .queues = {ROOT}};
	waiting.entities[0].is_delayed = true;
	queues_enqueue(&world->rules.queues, &waiting);
	assert_int_equal(go_idle(world), VERDICT_EXPLAINED);
	waiting.entities[0].is_delayed = false;
	queues_enqueue(&world->rules.queues, &waiting);
	assert_int_equal(go_idle(world), VERDICT_BREAKS);
}

static void tick_at(struct world *world, uint32_t cpu, uint64_t ms)
{
	world->rules.now_ns = ms * MS;
	moments_tick(&world->rules, &world->cpu, cpu);
}

/* A guest whose host is busy has the time of its clock, and not the ticks. */
TEST_WITH(missed_ticks_void_what_depends_on_time, set_up, tear_down)
{
	struct world *world = *state;
	const struct invariant_account *row = &world->found.rows[INVARIANT_SERVICE];

	world->found.rows[INVARIANT_SERVICE].broken = world->found.rows[INVARIANT_WEIGHT].broken = 1;
	tick_at(world, 0, 90); /* the CPU was idle */
	world->cpu.is_fair = true;
	for (uint64_t ms = 94; ms < 130; ms += 8)
		tick_at(world, 0, ms);
	world->rules.mark.isolated = 1; /* an isolated CPU may have no tick */
	tick_at(world, 0, 190);
	world->cpu.fair_from_ns = 286 * MS;
	tick_at(world, 1, 290);
	assert_int_equal(world->rules.stops, STOPS_NONE);
	assert_int_equal(row->broken, 1);
	tick_at(world, 1, 390);
	assert_int_equal(world->rules.stops, STOPS_LONG);
	assert_int_equal(row->broken, 0);
	assert_int_equal(world->found.rows[INVARIANT_WEIGHT].broken, 1);
	/* Nor is it judged afterwards. */
	struct invariant_moment moment = {.when = WHEN_SERVED, .served_ns = 20 * MS};
	rules_check(&world->rules, &moment, 0, 0, TASK_PID);
	assert_int_equal(row->checked, 0);
}

/* The task runs for 25 ms, as which its vruntime advances from 4 ms to this. */
static void runs_to(struct world *world, uint64_t vruntime_ms, uint64_t weight)
{
	const struct rule_entity known[2] = {{.id = 0}, {.id = 0}};
	const struct task_states states = {0};
	struct key_path path = {.depth = 1, .levels = 1, .entities = {entity(TASK_ID, 4, 6)}, .queues = {ROOT}};

	path.entities[0].weight = weight;
	world->cpu.event.switched.prev = world->cpu.event.switched.next =
	    (struct sched_task){.pid = TASK_PID, .prio = 120};
	world->cpu.event.ts_ns = 10 * MS;
	world->cpu.keys.switched.prev.depth = 0;
	world->cpu.keys.switched.next = path;
	moments_switch(&world->rules, &states, &world->cpu, known, true);
	world->cpu.event.ts_ns = 35 * MS;
	world->cpu.keys.switched.prev = path;
	world->cpu.keys.switched.prev.entities[0].vruntime = vruntime_ms * MS;
	moments_switch(&world->rules, &states, &world->cpu, known, true);
}

TEST_WITH(vruntime_is_charged_with_what_a_task_ran, set_up, tear_down)
{
	struct world *world = *state;
	const struct invariant_account *row = &world->found.rows[INVARIANT_SERVICE];

	world->rules.keys.is_known = true;
	set_prio(world, 120, 120);
	runs_to(world, 29, RULE_NICE_0_WEIGHT);
	runs_to(world, 54, RULE_NICE_0_WEIGHT / 2);
	runs_to(world, 20, RULE_NICE_0_WEIGHT); /* interrupts */
	assert_int_equal(row->checked, 3);
	assert_int_equal(row->broken, 0);
	runs_to(world, 54, RULE_NICE_0_WEIGHT);
	runs_to(world, 4, RULE_NICE_0_WEIGHT);
	assert_int_equal(row->checked, 5);
	assert_int_equal(row->broken, 2);
	world->rules.has_shares = true;
	runs_to(world, 54, RULE_NICE_0_WEIGHT);
	assert_int_equal(row->checked, 5);
}

/* The deadline task runs for so long, and this is left of its budget; how often it had more than it may by then. */
static uint64_t spend(struct world *world, bool was_woken, uint64_t ran_ms, int64_t left_ms)
{
	const struct rule_entity known[2] = {{.id = 0}, {.id = 0}};
	const struct task_states states = {0};

	world->cpu.was_woken = was_woken;
	world->cpu.since_ns = world->cpu.event.ts_ns;
	world->cpu.event.ts_ns += ran_ms * MS;
	world->cpu.event.switched.prev = world->cpu.event.switched.next =
	    (struct sched_task){.pid = TASK_PID, .prio = -1};
	world->cpu.keys.switched.has_budget = true;
	world->cpu.keys.switched.budget_ns = left_ms * (int64_t)MS;
	moments_switch(&world->rules, &states, &world->cpu, known, true);
	return world->found.rows[INVARIANT_REFILLED].broken;
}

/* 3 ms in 20 ms. */
TEST_WITH(a_used_up_budget_is_refilled_once, set_up, tear_down)
{
	struct world *world = *state;
	const struct task_states states = {0};
	struct key_event woken = {.enqueued = {.pid = TASK_PID}};

	world->rules.keys.is_known = true;
	set_prio(world, -1, -1);
	world->cpu.event.ts_ns = 1000 * MS;
	for (uint64_t i = 1; i <= 4; i++) {
		woken.enqueued.deadline_ns = i * 20 * MS;
		moments_enqueue(&world->rules, &states, &world->cpu, &world->cpu, &woken);
	}
	assert_int_equal(spend(world, true, 4, -1), 0);
	world->cpu.event.ts_ns += 10 * MS; /* throttled */
	assert_int_equal(spend(world, false, 2, 0), 0);
	assert_int_equal(world->found.rows[INVARIANT_REFILLED].checked, 1);
	assert_int_equal(spend(world, true, 4, -1), 0);
	world->cpu.event.ts_ns += 10 * MS;
	assert_int_equal(spend(world, false, 2, 3), 1);
	/* Its deadline may have passed while it ran. */
	assert_int_equal(spend(world, true, 4, -1), 1);
	world->cpu.event.ts_ns += 20 * MS;
	assert_int_equal(spend(world, false, 2, 3), 1);
	assert_int_equal(world->found.rows[INVARIANT_REFILLED].checked, 2);
}

/* The root's queue has a group, which runs, of weight 1024 and then 2048; how often its request has changed by then. */
static uint64_t look_at_group(struct world *world, uint64_t now_ms, uint64_t left_ms, uint64_t weight)
{
	struct rule_entity group = entity(GROUP_ID, 10, 10 + left_ms);

	world->rules.now_ns = now_ms * MS;
	group.weight = weight;
	return pick_on(world, ROOT, group, INVARIANT_REQUEST);
}

TEST_WITH(a_running_group_keeps_its_request, set_up, tear_down)
{
	struct world *world = *state;
	const struct invariant_account *row = &world->found.rows[INVARIANT_REQUEST];
	const struct rule_entity known[2] = {{.id = 0}, {.id = 0}};
	const struct task_states states = {0};

	world->rules.keys.is_known = true;
	set_prio(world, 120, 120);
	world->cpu.event.switched.prev = world->cpu.event.switched.next =
	    (struct sched_task){.pid = TASK_PID, .prio = 120};
	assert_int_equal(look_at_group(world, 1, 8, RULE_NICE_0_WEIGHT), 0);
	assert_int_equal(look_at_group(world, 1, 4, 2 * RULE_NICE_0_WEIGHT), 0);
	assert_int_equal(row->checked, 1);
	assert_int_equal(look_at_group(world, 1, 4, RULE_NICE_0_WEIGHT), 1);
	/* It may have been placed again since. */
	moments_switch(&world->rules, &states, &world->cpu, known, true);
	assert_int_equal(look_at_group(world, 1, 4, 2 * RULE_NICE_0_WEIGHT), 1);
	assert_int_equal(row->checked, 2);
}

/* Of a CPU whose data ends before that of others, or between them, nothing shows what it does to their queues. */
TEST_WITH(nothing_is_judged_while_a_cpus_events_are_missing, set_up, tear_down)
{
	struct world *world = *state;
	const struct key_path waiting = {.depth = 1, .levels = 1, .entities = {entity(22, 4, 6)}, .queues = {ROOT}};
	const struct sched_event event = {.kind = SCHED_WAKING};
	const struct task_step step = {.changes = 0};
	struct pass pass = {.states.open_gaps = 1};

	world->rules.keys.is_known = true;
	set_prio(world, 120, 120);
	queues_enqueue(&world->rules.queues, &waiting);
	rules_step(&world->rules, &pass, &event, &step, NULL);
	assert_int_equal(go_idle(world), VERDICT_NOT_JUDGED);
	assert_int_equal(run_with(world, 115), 0);
	pass.states.open_gaps = 0;
	rules_step(&world->rules, &pass, &event, &step, NULL);
	assert_int_equal(go_idle(world), VERDICT_BREAKS);
	assert_int_equal(run_with(world, 115), 1);
}

/* The CPU's next event; has_keys: those of a switch were just recorded. */
static void step_cpu(struct world *world, enum sched_event_kind kind, bool has_keys, unsigned int changes)
{
	const struct pass pass = {.run.first_ns = 0};
	const struct sched_event event = {
	    .kind = kind, .switched = {.prev = {.pid = 12, .prio = 120}, .next = {.pid = TASK_PID, .prio = 120}}};
	const struct task_step step = {.changes = changes};

	world->rules.cpus[0].has_keys = has_keys;
	world->rules.cpus[0].keys = (struct key_event){.kind = KEY_SWITCH};
	rules_step(&world->rules, &pass, &event, &step, NULL);
}

/* The keys of a switch come just before it. If one of both is missing, or a whole one, that is as a loss until the next
 * one. */
TEST_WITH(nothing_is_judged_from_a_missing_switch_to_the_next, set_up, tear_down)
{
	struct world *world = *state;
	const struct key_path waiting = {.depth = 1, .levels = 1, .entities = {entity(22, 4, 6)}, .queues = {ROOT}};
	const struct {
		enum sched_event_kind kind;
		bool has_keys;
	} missing[] = {{SCHED_WAKING, true}, {SCHED_SWITCH, false}};

	world->rules.keys.is_known = true;
	set_prio(world, 120, 120);
	for (size_t i = 0; i < sizeof(missing) / sizeof(*missing); i++) {
		queues_enqueue(&world->rules.queues, &waiting);
		step_cpu(world, SCHED_WAKING, false, 0);
		assert_int_equal(go_idle(world), VERDICT_BREAKS);
		step_cpu(world, missing[i].kind, missing[i].has_keys, 0);
		assert_int_equal(go_idle(world), VERDICT_NOT_JUDGED);
		step_cpu(world, SCHED_SWITCH, true, 0);
		assert_int_equal(verdict, VERDICT_NOT_JUDGED);
		/* What waited is not known any more. */
		step_cpu(world, SCHED_WAKING, false, 0);
		assert_int_equal(go_idle(world), VERDICT_EXPLAINED);
	}
	step_cpu(world, SCHED_SWITCH, true, STEP_FROM_OTHER);
	assert_int_equal(verdict, VERDICT_NOT_JUDGED);
	step_cpu(world, SCHED_SWITCH, true, STEP_SWITCH_MISSING);
	assert_int_equal(verdict, VERDICT_NOT_JUDGED);
	step_cpu(world, SCHED_SWITCH, true, 0);
	assert_int_not_equal(verdict, VERDICT_NOT_JUDGED);
}
