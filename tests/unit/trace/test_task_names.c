/* SPDX-License-Identifier: MIT */
#include "support/unit.h"
#include "trace/task_states.h"

/* bytes: 16 with what follows the name's end. */
static const struct sched_comm *wake(struct task_states *states, int32_t pid, const char bytes[SCHED_COMM_SIZE],
				     uint8_t length)
{
	struct sched_event event = {.kind = SCHED_WAKEUP, .ts_ns = states->last_ns + 1, .common_pid = -1};
	struct task_step step;

	event.wakeup.task = (struct sched_task){.pid = pid, .prio = 120, .comm.length = length};
	memcpy(event.wakeup.task.comm.bytes, bytes, SCHED_COMM_SIZE);
	assert_int_equal(task_states_step(states, &event, &step, NULL), STATUS_OK);
	assert_true(step.changes & STEP_WAKEUP);
	return task_comm(states, step.wakeup.task);
}

/* The kernel leaves what it likes after the end of a name. */
TEST(test_bytes_after_the_end_are_no_name)
{
	struct task_states states = {0};

	task_states_begin(&states, NULL, NULL);
	assert_string_equal(wake(&states, 7, "make\0\0\0\0\0\0\0\0\0\0\0", 4)->bytes, "make");
	assert_string_equal(wake(&states, 7, "make\0left over..", 4)->bytes, "make");
	assert_string_equal(wake(&states, 7, "make\0other rest.", 4)->bytes, "make");
	assert_int_equal(states.comms.count, 1);
	assert_int_equal(states.task_count, 1);
	/* The same bytes, of which more are the name: a text trace has no NUL. */
	assert_string_equal(wake(&states, 7, "maker\0\0\0\0\0\0\0\0\0\0", 4)->bytes, "make");
	assert_string_equal(wake(&states, 7, "maker\0\0\0\0\0\0\0\0\0\0", 5)->bytes, "maker");
	assert_int_equal(states.comms.count, 2);
	task_states_free(&states);
}

/* An event may have no name. */
TEST(test_a_task_keeps_its_name_without_one)
{
	const char none[SCHED_COMM_SIZE] = {0};
	struct task_states states = {0};

	task_states_begin(&states, NULL, NULL);
	assert_string_equal(wake(&states, 7, none, 0)->bytes, "<...>");
	assert_string_equal(wake(&states, 7, "first\0\0\0\0\0\0\0\0\0\0", 5)->bytes, "first");
	assert_string_equal(wake(&states, 7, none, 0)->bytes, "first");
	assert_string_equal(wake(&states, 7, none, 0)->bytes, "first");
	assert_string_equal(wake(&states, 7, "second\0\0\0\0\0\0\0\0\0", 6)->bytes, "second");
	assert_string_equal(wake(&states, 7, "first\0\0\0\0\0\0\0\0\0\0", 5)->bytes, "first");
	assert_int_equal(states.comms.count, 3);
	task_states_free(&states);
}

/* Each in its own cache lines, however many there are. */
TEST(test_many_tasks_keep_names_and_alignment)
{
	struct task_states states = {0};

	task_states_begin(&states, NULL, NULL);
	for (int32_t pid = 1; pid <= 1000; pid++)
		wake(&states, pid, pid % 2 ? "odd\0\0\0\0\0\0\0\0\0\0\0\0" : "even\0\0\0\0\0\0\0\0\0\0\0",
		     pid % 2 ? 3 : 4);
	assert_int_equal(states.task_count, 1000);
	assert_int_equal((uintptr_t)states.tasks % _Alignof(struct task), 0);
	assert_int_equal(states.comms.count, 2);
	for (uint32_t task = 0; task < states.task_count; task++)
		assert_string_equal(task_comm(&states, task)->bytes, states.tasks[task].pid % 2 ? "odd" : "even");
	task_states_free(&states);
}
