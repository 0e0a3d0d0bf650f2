/* SPDX-License-Identifier: MIT
 *
 * Without memory the program ends with 75 after its clean-ups, the newest first; each runs once. */
#include "base/memory.h"
#include "support/unit.h"

#include <sys/wait.h>
#include <unistd.h>

static int order_fd;

static void note(void *context)
{
	assert_int_equal(write(order_fd, context, 1), 1);
}

static void exhaust(int fd)
{
	struct cleanup first, removed, finished, second, never = {0};

	order_fd = fd;
	cleanup_add(&first, note, "1");
	cleanup_add(&removed, note, "x");
	cleanup_add(&finished, note, "f");
	cleanup_add(&second, note, "2");
	cleanup_remove(&removed);
	cleanup_remove(&removed);
	cleanup_finish(&removed);
	cleanup_finish(&never);
	cleanup_finish(&finished);
	cleanup_finish(&finished);
	/* A child ends without the clean-ups of its parent. */
	pid_t child = fork();
	if (child == 0)
		memory_exhausted();
	waitpid(child, NULL, 0);
	memory_exhausted();
}

TEST(clean_ups_run_newest_first_in_their_process)
{
	int ends[2], status;
	char order[8] = {0};

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0)
		exhaust(ends[1]);
	close(ends[1]);
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_TEMPORARY);
	assert_int_equal(read(ends[0], order, sizeof(order)), 3);
	assert_string_equal(order, "f21");
	close(ends[0]);
}

TEST(arrays_grow_and_keep_their_items)
{
	size_t capacity = 0;
	uint32_t *items = NULL;

	for (uint32_t i = 0; i < 5000; i++) {
		items = array_grow(items, &capacity, i + 1, sizeof(*items));
		assert_true(capacity > i);
		items[i] = i;
	}
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(items[i], i);
	free(items);
}
