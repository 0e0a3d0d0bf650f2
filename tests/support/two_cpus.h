/* SPDX-License-Identifier: MIT
 *
 * The rules of a trace of two CPUs, fed by hand: for unit tests of what follows it. */
#ifndef SUPPORT_TWO_CPUS_H
#define SUPPORT_TWO_CPUS_H

#include "base/memory.h"
#include "rules/rules.h"
#include "support/sched_feed.h"
#include "support/unit.h"

struct fixture {
	struct leave_reason_table outs;
	struct task_states states;
	struct invariants found;
	struct rules_consumer consumer;
	struct rules rules;
};

static inline void take(struct fixture *fixture, const struct sched_event *event)
{
	struct task_step step;

	assert_int_equal(task_states_step(&fixture->states, event, &step, NULL), STATUS_OK);
}

/* A normal task with known keys, whose entity has the number of its PID. */
static inline void add_task(struct rules *rules, int32_t pid, uint64_t queue)
{
	const struct key_path path = {.depth = 1,
				      .levels = 1,
				      .entities = {{.id = (uint64_t)pid, .weight = RULE_NICE_0_WEIGHT, .on_rq = true}},
				      .queues = {queue}};
	const uint32_t number = id_map_add(&rules->pid_ids, (uint32_t)pid);

	rules->by_pid = array_reserve(rules->by_pid, &rules->by_pid_count, number + 1, sizeof(*rules->by_pid));
	rules->by_pid[number].entity = (uint64_t)pid;
	queues_enqueue(&rules->queues, &path);
}

/* The events are what comes before the test. */
static inline void begin_with(struct fixture *fixture, const struct sched_event *events, size_t count)
{
	struct rules *rules = &fixture->rules;

	*fixture = (struct fixture){.outs = FEED_OUTS};
	fixture->consumer.invariants = &fixture->found;
	rules->consumer = &fixture->consumer;
	rules->cpus = xcalloc(2, sizeof(*rules->cpus));
	rules->cpu_count = 2;
	queues_begin(&rules->queues, &rules->traits);
	task_states_begin(&fixture->states, &fixture->outs, NULL);
	for (size_t i = 0; i < count; i++)
		take(fixture, &events[i]);
}

static inline void end(struct fixture *fixture)
{
	rules_free(&fixture->rules);
	task_states_free(&fixture->states);
}

#endif
