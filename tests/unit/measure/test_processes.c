/* SPDX-License-Identifier: MIT
 *
 * The process of a task, from the lists of threads before and after a recording. */
#include "measure/processes.h"
#include "support/unit.h"

static const struct run_tunable rows_before[] = {
    {RUN_SINGLE_THREADED, "1-3,10,13"}, {"20 java", "20,22-24"}, {"30 old", "30-31"}};
static const struct run_tunable rows_after[] = {{RUN_SINGLE_THREADED, "1-3,13"},
						{"10 now two", "10-11"},
						{"20 java -x", "20,22"},
						{"24 ", "24-25"},
						{"x", "40"},
						{"99999999999 far", "41"},
						{"-1 y", "42"},
						{"43", "43"}};

static void assert_process(int32_t pid, bool is_born, int32_t process, const char *name)
{
	struct task_texts lists = {0};
	const struct task task = {.pid = pid, .is_born = is_born};
	const char *found;

	task_texts_add(&lists.before, rows_before, sizeof(rows_before) / sizeof(rows_before[0]));
	task_texts_add(&lists.after, rows_after, sizeof(rows_after) / sizeof(rows_after[0]));
	assert_int_equal(processes_find(&lists, &task, &found), process);
	if (process)
		assert_string_equal(found, name);
	task_texts_free(&lists);
}

TEST(of_the_lists)
{
	assert_process(2, false, 2, "");
	assert_process(22, false, 20, "java -x"); /* the latest name */
	assert_process(23, false, 20, "java");    /* has ended */
	assert_process(31, false, 30, "old");
	assert_process(11, true, 10, "now two");
	/* Has a second thread now. */
	assert_process(10, false, 10, "now two");
}

TEST(unknown)
{
	assert_process(4, false, 0, ""); /* in no list */
	assert_process(0, false, 0, "");
	assert_process(23, true, 0, "");  /* another task had the PID before */
	assert_process(24, false, 0, ""); /* the PID was used again at an unknown time */
	assert_process(24, true, 24, "");
	/* Damaged lists. */
	assert_process(40, false, 0, "");
	assert_process(41, false, 0, "");
	assert_process(42, false, 0, "");
	assert_process(43, false, 0, "");
}
