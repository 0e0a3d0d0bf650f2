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
static void test_the_dead_keep_their_names(void **state)
{
	(void)state;
	expect_two_lives(FIRST_LIFE("X") TEXT_BIRTH(0, "000020", 10, "kworker/0:9", 11, 100, 0));
	/* The events of its death are missing. */
	expect_two_lives(FIRST_LIFE("S") TEXT_BIRTH(0, "000020", 10, "kworker/0:9", 11, 100, 0));
	/* Those of the birth are. */
	expect_two_lives(FIRST_LIFE("Z") TEXT_WAKEUP(0, "000020", 10, "kworker/0:9", 11, 100, 0));
	expect_two_lives(FIRST_LIFE("X") TEXT_SWITCH(0, "000020", "shell", 10, 120, "S", "kworker/0:9", 11, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_the_dead_keep_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
