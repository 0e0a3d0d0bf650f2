/* SPDX-License-Identifier: MIT */
#include "support/text_run.h"

#define TEXT_BIRTH(cpu, us, by_pid, comm, pid, prio, target)                                                           \
	"  any-" #by_pid " [00" #cpu "] d..2. 100." us ": sched_wakeup_new: comm=" comm " pid=" #pid " prio=" #prio    \
	" target_cpu=00" #target "\n"

static void ignore(void *context, const struct task_states *states, const struct sched_event *event,
		   const struct task_step *step)
{
	(void)context;
	(void)states;
	(void)event;
	(void)step;
}

/* The tasks of PID 11 in the order of their lives; returns how many. */
static uint32_t lives(const struct task_states *states, const struct task *found[], uint32_t most)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < states->task_count; i++)
		if (states->tasks[i].pid == 11 && count < most)
			found[count++] = &states->tasks[i];
	return count;
}

static void expect_two_lives(const char *text)
{
	struct task_states states = {0};
	const struct task *life[3];

	text_run(&states, text, ignore, NULL);
	assert_int_equal(lives(&states, life, 3), 2);
	assert_string_equal(states.comms.comms[life[0]->comm].bytes, "first");
	assert_int_equal(life[0]->prio, 120);
	assert_false(life[0]->is_kernel);
	assert_string_equal(states.comms.comms[life[1]->comm].bytes, "kworker/0:9");
	assert_int_equal(life[1]->prio, 100);
	task_states_free(&states);
}

#define FIRST_LIFE(state)                                                                                              \
	TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "first", 11, 120)                                           \
	TEXT_SWITCH(0, "000010", "first", 11, 120, state, "shell", 10, 120)

/* PIDs wrap: a task does not take the name, the kind or the priority of the next task with its PID. */
TEST(test_the_dead_keep_their_names)
{
	expect_two_lives(FIRST_LIFE("X") TEXT_BIRTH(0, "000020", 10, "kworker/0:9", 11, 100, 0));
	/* The events of its death are missing. */
	expect_two_lives(FIRST_LIFE("S") TEXT_BIRTH(0, "000020", 10, "kworker/0:9", 11, 100, 0));
	/* Those of the birth are. */
	expect_two_lives(FIRST_LIFE("Z") TEXT_WAKEUP(0, "000020", 10, "kworker/0:9", 11, 100, 0));
	expect_two_lives(FIRST_LIFE("X") TEXT_SWITCH(0, "000020", "shell", 10, 120, "S", "kworker/0:9", 11, 100));
}

struct exec_seen {
	uint64_t slices, cut, cpu_time_ns;
};

static void take_exec_step(void *context, const struct task_states *states, const struct sched_event *event,
			   const struct task_step *step)
{
	struct exec_seen *seen = context;

	(void)event;
	for (unsigned int i = 0; i < step->slice_count; i++) {
		const struct task_slice *slice = &step->slices[i];
		if (states->tasks[slice->task].pid != 11 || states->tasks[slice->task].state == TASK_DEAD)
			continue;
		seen->slices++;
		seen->cut += slice->start_cut || slice->end_cut;
		seen->cpu_time_ns += slice->end_ns - slice->start_ns;
	}
}

/* Leader 11 ends, its thread 12 calls exec and is 11 from then on. */
#define EXEC_BEFORE                                                                                                    \
	TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "leader", 11, 120)                                          \
	TEXT_SWITCH(0, "000010", "leader", 11, 120, "Z", "swapper/0", 0, 120)                                          \
	TEXT_WAKEUP(0, "000020", 0, "leader", 12, 120, 0)                                                              \
	TEXT_SWITCH(0, "000030", "swapper/0", 0, 120, "R", "leader", 12, 120)

static void expect_exec(const char *text, uint64_t old_pid_acts)
{
	struct task_states states = {0};
	struct exec_seen seen = {0};
	const struct task *life[3];

	text_run(&states, text, take_exec_step, &seen);
	assert_int_equal(lives(&states, life, 3), 2);
	assert_string_equal(states.comms.comms[life[0]->comm].bytes, "leader");
	assert_string_equal(states.comms.comms[life[1]->comm].bytes, "program");
	assert_int_equal(states.faults.switches_from_other, 0);
	assert_int_equal(states.faults.acts_of_dead, old_pid_acts);
	assert_int_equal(seen.slices, 1);
	assert_int_equal(seen.cut, 0);
	assert_int_equal(seen.cpu_time_ns, 50000);
	assert_int_equal(states.cpus[0].absent_ns[CPU_UNKNOWN], 0);
	task_states_free(&states);
}

/* One task under two PIDs: its slice is whole, no time is unknown, nothing contradicts. */
TEST(test_a_thread_that_calls_exec_keeps_its_account)
{
	/* The switch from it is the first event with its new PID, or a wakeup is. */
	expect_exec(EXEC_BEFORE TEXT_SWITCH(0, "000080", "program", 11, 120, "S", "swapper/0", 0, 120), 0);
	expect_exec(EXEC_BEFORE TEXT_WAKEUP(0, "000050", 11, "shell", 10, 120, 0)
			TEXT_SWITCH(0, "000080", "program", 11, 120, "S", "shell", 10, 120),
		    0);
	/* The thread's PID has ended, too, and is no leader's. */
	expect_exec(EXEC_BEFORE TEXT_SWITCH(0, "000080", "program", 11, 120, "S", "swapper/0", 0, 120)
			TEXT_WAKEUP(0, "000090", 0, "other", 12, 120, 0),
		    1);
}

/* A task that is not known to have ended cannot leave its PID to another one; nor does a kernel thread take one. */
TEST(test_only_the_pid_of_a_dead_task_is_taken)
{
	struct task_states states = {0};

	text_run(&states,
		 TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "leader", 11, 120)
		     TEXT_SWITCH(0, "000010", "leader", 11, 120, "S", "leader", 12, 120)
			 TEXT_SWITCH(0, "000080", "program", 11, 120, "S", "swapper/0", 0, 120),
		 ignore, NULL);
	assert_int_equal(states.faults.switches_from_other, 1);
	task_states_free(&states);
	text_run(&states,
		 TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "leader", 11, 120)
		     TEXT_SWITCH(0, "000010", "leader", 11, 120, "Z", "kworker/0:1", 12, 120)
			 TEXT_SWITCH(0, "000080", "program", 11, 120, "S", "swapper/0", 0, 120),
		 ignore, NULL);
	assert_int_equal(states.faults.switches_from_other, 1);
	assert_int_equal(states.faults.acts_of_dead, 1);
	task_states_free(&states);
	/* The thread's own PID ended with the exec; a task that has it again did not get it by exec. */
	text_run(&states,
		 EXEC_BEFORE TEXT_SWITCH(0, "000080", "program", 11, 120, "S", "shell", 10, 120)
		     TEXT_WAKEUP(0, "000090", 12, "other", 14, 120, 0),
		 ignore, NULL);
	assert_int_equal(states.faults.switches_from_other, 1);
	assert_int_equal(states.tasks[states.cpus[0].current].pid, 12);
	assert_string_equal(states.comms.comms[states.tasks[text_run_task(&states, 10)].comm].bytes, "shell");
	task_states_free(&states);
}
