/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"

static void make(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fclose(file);
}

TEST_WITH(the_first_that_is_there_already, own_directory_enter, own_directory_leave)
{
	size_t first, second;

	make("a");
	make("b");
	make("c");
	assert_int_equal(link("c", "also_c"), 0);
	assert_int_equal(symlink("a", "also_a"), 0);
	const char *const different[] = {"a", "b", "c", "none", "none", ".", ".", "/dev/null", "/dev/null"};
	file_find_same(different, 9, &first, &second);
	assert_true(first == 9 && second == 9);
	const char *const same[] = {"c", "b", "a", "also_a", "./a", "also_c", "b"};
	file_find_same(same, 7, &first, &second);
	assert_true(first == 2 && second == 3);
	file_find_same(same, 0, &first, &second);
	assert_true(first == 0 && second == 0);
}
