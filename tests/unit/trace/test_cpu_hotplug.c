/* SPDX-License-Identifier: MIT
 *
 * A CPU that is taken offline and online again, with the events that a kernel records of it. tests/vm/hotplug.bats has
 * kernels do it. */
#include <stdlib.h>

#include "support/text_run.h"

/* The time offline of CPU 1, in microseconds. */
struct seen {
	uint64_t since_us[4], until_us[4];
	unsigned int count;
	uint64_t run_us[2]; /* of the CPU: in slices */
};

#define US(ns) ((ns) / 1000 % 1000000)

static void take(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	struct seen *seen = context;

	(void)states;
	for (unsigned int i = 0; i < step->slice_count; i++)
		seen->run_us[step->slices[i].cpu] += (step->slices[i].end_ns - step->slices[i].start_ns) / 1000;
	if (step->changes & STEP_ONLINE) {
		assert_int_equal(step->offline.cpu, event->cpu);
		seen->since_us[seen->count] = US(step->offline.since_ns);
		seen->until_us[seen->count++] = US(event->ts_ns);
	}
}

#define DOWN                                                                                                           \
	TEXT_SWITCH(0, "000100", "a", 10, 120, "S", "swapper/0", 0, 120)                                               \
	TEXT_SWITCH(1, "000200", "b", 11, 120, "R", "cpuhp/1", 20, 120)                                                \
	TEXT_SWITCH(1, "000300", "cpuhp/1", 20, 120, "S", "b", 11, 120)                                                \
	TEXT_SWITCH(1, "000400", "b", 11, 120, "R", "migration/1", 21, 0)                                              \
	TEXT_WAKEUP(1, "000430", 21, "cpuhp/1", 20, 120, 1)                                                            \
	TEXT_SWITCH(1, "000450", "migration/1", 21, 0, "S", "cpuhp/1", 20, 120)                                        \
	TEXT_SWITCH(1, "000500", "cpuhp/1", 20, 120, "P", "b", 11, 120)                                                \
	TEXT_WAKEUP(0, "000590", 0, "migration/1", 21, 0, 1)                                                           \
	TEXT_SWITCH(1, "000600", "b", 11, 120, "R+", "migration/1", 21, 0)                                             \
	TEXT_MIGRATE(1, "000610", 21, "b", 11, 120, 1, 0)                                                              \
	TEXT_SWITCH(0, "000620", "swapper/0", 0, 120, "R", "b", 11, 120)

#define UP_BY(pid)                                                                                                     \
	TEXT_WAKEUP(1, "000900", 0, "migration/1", 21, 0, 1)                                                           \
	TEXT_SWITCH(1, "000910", "swapper/1", 0, 120, "R", "migration/1", 21, 0)                                       \
	TEXT_WAKEUP(0, "000915", pid, "cpuhp/1", 20, 120, 1)                                                           \
	TEXT_SWITCH(1, "000920", "migration/1", 21, 0, "S", "cpuhp/1", 20, 120)                                        \
	TEXT_SWITCH(1, "000950", "cpuhp/1", 20, 120, "S", "swapper/1", 0, 120)
#define UP UP_BY(11)

static struct seen run(struct task_states *states, const char *text)
{
	struct seen seen = {0};
	struct task_slice slice;

	text_run(states, text, take, &seen);
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++) {
		if (task_states_end_cpu(states, cpu, states->last_ns, &slice))
			seen.run_us[cpu] += (slice.end_ns - slice.start_ns) / 1000;
	}
	return seen;
}

static void assert_no_faults(const struct task_states *states)
{
	assert_int_equal(states->faults.switches_from_other, 0);
	assert_int_equal(states->faults.runs_without_wakeup, 0);
	assert_int_equal(states->faults.on_two_cpus, 0);
}

static uint64_t offline_us(const struct task_states *states, uint32_t cpu)
{
	assert_int_equal(states->cpus[cpu].observed_absent_ns[CPU_UNKNOWN], 0);
	return states->cpus[cpu].observed_absent_ns[CPU_OFFLINE] / 1000;
}

TEST(time_offline_is_neither_busy_nor_idle_nor_unknown)
{
	struct task_states states = {0};
	const struct seen seen = run(&states, DOWN UP);

	assert_no_faults(&states);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.since_us[0], 600);
	assert_int_equal(seen.until_us[0], 900);
	assert_int_equal(offline_us(&states, 1), 300);
	assert_int_equal(offline_us(&states, 0), 0);
	assert_int_equal(seen.run_us[0], 850);
	assert_int_equal(seen.run_us[1], 550);
	task_states_free(&states);
}

TEST(a_cpu_is_offline_to_the_end)
{
	struct task_states states = {0};
	const struct seen seen = run(&states, DOWN TEXT_SWITCH(0, "001600", "b", 11, 120, "S", "swapper/0", 0, 120));

	assert_no_faults(&states);
	assert_int_equal(seen.count, 0);
	assert_true(task_cpu_is_offline(&states.cpus[1]));
	assert_int_equal(offline_us(&states, 1), 1000);
	assert_int_equal(seen.run_us[1], 500);
	task_states_free(&states);
}

/* Wakeups by a CPU on its way up are not recorded: a missing wakeup is no fault while a CPU is offline. */
TEST(wakeups_by_an_offline_cpu_are_not_missing)
{
	struct task_states states = {0};

	run(&states, DOWN TEXT_SWITCH(0, "000700", "b", 11, 120, "R", "a", 10, 120) UP_BY(10));
	assert_no_faults(&states);
	task_states_free(&states);
	run(&states, DOWN UP TEXT_SWITCH(0, "001700", "b", 11, 120, "R", "a", 10, 120));
	assert_int_equal(states.faults.runs_without_wakeup, 1);
	task_states_free(&states);
}

/* A stopper has other work while the thread is parked, or the CPU could not be taken offline. */
TEST(a_stopper_that_goes_on_is_no_time_offline)
{
	struct task_states states = {0};
	const struct seen seen =
	    run(&states, DOWN TEXT_SWITCH(1, "000700", "migration/1", 21, 0, "S", "swapper/1", 0, 120)
			     TEXT_WAKEUP(0, "000790", 11, "cpuhp/1", 20, 120, 1)
				 TEXT_SWITCH(1, "000800", "swapper/1", 0, 120, "R", "cpuhp/1", 20, 120)
				     TEXT_WAKEUP(0, "000890", 11, "migration/1", 21, 0, 1)
					 TEXT_SWITCH(1, "000900", "cpuhp/1", 20, 120, "S", "migration/1", 21, 0)
					     TEXT_SWITCH(1, "001000", "migration/1", 21, 0, "S", "swapper/1", 0, 120));

	assert_no_faults(&states);
	assert_int_equal(seen.count, 0);
	assert_int_equal(offline_us(&states, 1), 0);
	assert_int_equal(seen.run_us[1], 900);
	task_states_free(&states);
}
