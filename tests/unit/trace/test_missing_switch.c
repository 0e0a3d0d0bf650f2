/* SPDX-License-Identifier: MIT
 *
 * A switch that the kernel left out: the time in which it was, from the events around it. */
#include "support/text_run.h"

#define TEXT_OTHER(cpu, us, by_pid) "  any-" #by_pid " [00" #cpu "] d..2. 100." us ": sys_enter: NR 1\n"
#define TEXT_CHARGE(cpu, us, by_pid, comm, pid)                                                                        \
	"  any-" #by_pid " [00" #cpu "] d..2. 100." us ": sched_stat_runtime: comm=" comm " pid=" #pid                 \
	" runtime=4000 [ns]\n"

struct missing {
	uint64_t since_us, until_us; /* of the last missing switch */
	int32_t after;
};

static void take(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	struct missing *missing = context;

	if (event->kind == SCHED_STAT_RUNTIME) {
		assert_int_equal(event->stat_runtime.runtime_ns, 4000);
		assert_int_equal(event->stat_runtime.pid, 2);
	}
	if (!(step->changes & STEP_SWITCH_MISSING))
		return;
	missing->since_us = step->missing.since_ns / 1000 % 1000000;
	missing->until_us = step->missing.until_ns / 1000 % 1000000;
	missing->after = states->tasks[step->missing.after].pid;
}

static void assert_missing(const char *text, uint64_t since_us, uint64_t until_us)
{
	struct task_states states = {0};
	struct missing missing = {0};

	text_run(&states, text, take, &missing);
	assert_int_equal(missing.since_us, since_us);
	assert_int_equal(missing.until_us, until_us);
	assert_int_equal(missing.after, 2);
	task_states_free(&states);
}

/* The switch from a to b is missing. */
#define BEFORE                                                                                                         \
	TEXT_SWITCH(0, "000100", "c", 3, 120, "S", "a", 1, 120)                                                        \
	TEXT_WAKEUP(0, "000150", 1, "b", 2, 120, 0)
#define AFTER TEXT_SWITCH(0, "000900", "b", 2, 120, "S", "a", 1, 120)

TEST(good_events_of_the_task_before)
{
	assert_missing(BEFORE AFTER, 150, 900);
	assert_missing(BEFORE TEXT_OTHER(0, "000200", 1) AFTER, 200, 900);
}

/* It runs by then, so the switch was earlier. */
TEST(good_event_of_the_task_after)
{
	assert_missing(BEFORE TEXT_OTHER(0, "000400", 2) AFTER, 150, 900);
}

/* The scheduler charges it for CPU time: it runs, even if a switch is just being written. */
TEST(good_charge)
{
	assert_missing(BEFORE TEXT_CHARGE(0, "000400", 2, "b", 2) AFTER, 150, 400);
	/* By another task, such as one that wakes a third one on that CPU. */
	assert_missing(BEFORE TEXT_CHARGE(0, "000400", 1, "b", 2) AFTER, 400, 900);
}
