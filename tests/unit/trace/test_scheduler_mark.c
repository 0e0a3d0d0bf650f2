/* SPDX-License-Identifier: MIT */
#include "support/unit.h"
#include "trace/scheduler_mark.h"

TEST(test_what_is_written_is_read)
{
	static const struct scheduler_mark marks[] = {
	    {.is_enabled = true, .has_all_tasks = true, .ops = "simple", .enable_seq = 3},
	    {.is_enabled = true, .ops = "qmap", .enable_seq = UINT64_MAX},
	    {.ops = "none"},
	};
	struct scheduler_mark read;
	char text[SCHEDULER_MARK_SIZE];

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		scheduler_mark_write(&marks[i], text);
		assert_true(scheduler_mark_read(text, strlen(text), &read));
		assert_int_equal(read.is_enabled, marks[i].is_enabled);
		assert_int_equal(read.has_all_tasks, marks[i].has_all_tasks);
		assert_string_equal(read.ops, marks[i].ops);
		assert_int_equal(read.enable_seq, marks[i].enable_seq);
	}
}

TEST(test_other_texts_are_no_mark)
{
	static const char *const texts[] = {"",
					    "scheduler",
					    "scheduler simple",
					    "scheduler simple enabled",
					    "scheduler simple eager 1",
					    "a scheduler simple enabled 1"};
	char longest[4096];
	struct scheduler_mark read;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(scheduler_mark_read(texts[i], strlen(texts[i]), &read));
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "scheduler ", strlen("scheduler "));
	assert_false(scheduler_mark_read(longest, sizeof(longest), &read));
}
