/* SPDX-License-Identifier: MIT
 *
 * The totals after each event, of events that contradict one another, against counting all CPUs again. */
#include "compare/cpu_totals.h"

#include "support/sched_feed.h"
#include "support/unit.h"

enum { CPUS = 5, PIDS = 9, EVENTS = 60000 };

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static struct sched_event draw_event(uint64_t *seed, uint64_t now)
{
	uint32_t kind = draw(seed, 120), cpu = draw(seed, CPUS);
	int32_t pid = (int32_t)draw(seed, PIDS), other = (int32_t)draw(seed, PIDS);

	if (kind < 60)
		return feed_switch(now, cpu, "a", pid, "SDRpXIT?"[draw(seed, 8)], "b", other);
	if (kind < 95)
		return feed_wakeup(now, cpu, other, "c", pid, draw(seed, CPUS));
	if (kind < 118)
		return feed_migrate(now, cpu, other, "d", pid, draw(seed, CPUS), draw(seed, CPUS));
	struct sched_event lost = feed_lost(now, cpu, 0);
	if (kind == 119)
		lost.kind = SCHED_GAP;
	return lost;
}

static void assert_totals(const struct cpu_totals *totals, const struct task_states *states)
{
	uint32_t cpus = 0, idle = 0, queued = 0, fullest = 0, emptiest = UINT32_MAX, stranded = 0;

	for (uint32_t i = 0; i < states->cpu_count; i++) {
		const struct task_cpu *cpu = &states->cpus[i];
		if ((totals->mask && !(totals->mask[0] >> i & 1)) || !cpu->seen || cpu->in_gap ||
		    cpu->current == TASK_NONE)
			continue;
		bool is_idle = states->tasks[cpu->current].is_idle;
		cpus++;
		idle += is_idle;
		const uint32_t tasks = cpu->runnable + !is_idle;
		if (cpu->hides_waiting)
			continue;
		queued += tasks;
		fullest = tasks > fullest ? tasks : fullest;
		emptiest = tasks < emptiest ? tasks : emptiest;
		stranded += is_idle ? cpu->runnable : 0;
	}
	assert_int_equal(totals->cpus, cpus);
	assert_int_equal(totals->idle, idle);
	assert_int_equal(totals->queued, queued);
	assert_int_equal(totals->imbalance, fullest > emptiest ? fullest - emptiest : 0);
	assert_int_equal(totals->stranded, stranded);
}

static void check(const uint64_t *mask, uint64_t seed)
{
	struct leave_reason_table outs = FEED_OUTS;
	struct task_states states = {0};
	uint64_t queued = 0;

	for (unsigned int run = 0; run < 3; run++) {
		struct cpu_totals totals = {.mask = mask};
		task_states_begin(&states, &outs, NULL);
		for (uint64_t now = 1000; now < 1000 + EVENTS; now++) {
			struct sched_event event = draw_event(&seed, now);
			struct task_step step;
			assert_int_equal(task_states_step(&states, &event, &step, NULL), STATUS_OK);
			cpu_totals_step(&totals, &states, &event, &step);
			assert_totals(&totals, &states);
			queued += totals.queued;
		}
		cpu_totals_free(&totals);
	}
	assert_true(queued > EVENTS);
	task_states_free(&states);
}

TEST(the_totals_are_those_of_all_cpus)
{
	static const uint64_t some[TASK_CPUS_MAX / 64] = {0x15};

	check(NULL, 1);
	check(some, 2);
}
