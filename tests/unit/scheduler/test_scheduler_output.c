/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>
#include <unistd.h>

#include "scheduler/scheduler_process.h"
#include "support/own_directory.h"
#include "support/unit.h"

static const char path[] = "log";

static void write_log(const char *before, size_t filler, const char *after, size_t after_length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(before, file);
	for (size_t i = 0; i < filler; i++)
		putc('x', file);
	assert_int_equal(fwrite(after, 1, after_length, file), after_length);
	assert_int_equal(fclose(file), 0);
}

static void check_read(off_t begin, const char *expected)
{
	struct buffer text = {0};

	scheduler_output_read(path, begin, &text);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

TEST(test_what_an_earlier_start_wrote_is_left_out)
{
	write_log("EXIT: one\n", 0, "two\0three", 9);
	check_read(0, "EXIT: one\ntwo three");
	check_read(10, "two three");
	check_read(19, "");
	check_read(1000, "");
	check_read(-1, "");
}

TEST(test_of_much_the_end_is_read)
{
	struct buffer text = {0};

	write_log("begin", 3 * SCHEDULER_OUTPUT_MAX, "\nEXIT: end\n", 11);
	scheduler_output_read(path, 0, &text);
	assert_int_equal(text.length, SCHEDULER_OUTPUT_MAX);
	assert_string_equal(text.data + text.length - 11, "\nEXIT: end\n");
	buffer_free(&text);
}

TEST(test_what_is_no_regular_file_is_empty)
{
	unlink(path);
	check_read(0, "");
	assert_int_equal(symlink("/etc/passwd", path), 0);
	check_read(0, "");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	check_read(0, "");
	unlink(path);
}

static void check_words(const char *text, const char *expected)
{
	char words[16];

	scheduler_output_last_words(text, strlen(text), words, sizeof(words));
	assert_string_equal(words, expected);
}

TEST(test_the_last_words_are_a_line_without_control_characters)
{
	char words[16];

	check_words("", "");
	check_words("\n\r\n", "");
	check_words("one\ntwo\r\n\n", "two");
	check_words("one\nEXIT: error\n", "error");
	check_words("EXIT: ", "EXIT: ");
	check_words("EXIT: \033[31m", "\\x1b[31m");
	memset(words, 'x', sizeof(words));
	scheduler_output_last_words("a line that is too long for it", 30, words, sizeof(words));
	assert_in_range(strlen(words), 1, sizeof(words) - 1);
}

TESTS_WITH(own_directory_enter, own_directory_leave)
