/* SPDX-License-Identifier: MIT
 *
 * Command lines: how they are quoted, and how they grow. */
#include "base/arguments.h"
#include "support/unit.h"

TEST(quoted_as_a_shell_reads_it)
{
	struct arguments line = {0};
	struct buffer text = {0};

	arguments_add(&line, "/usr/bin/qemu");
	arguments_option(&line, "-append", "a=%d b", 7);
	arguments_add(&line, "it's `x` $y \"z\"");
	arguments_add(&line, "%s", "");
	arguments_add(&line, "plain,one=two:/three");
	arguments_quote(&line, " ", &text);
	assert_string_equal(text.data, "/usr/bin/qemu -append 'a=7 b' 'it'\\''s `x` $y \"z\"' '' plain,one=two:/three");
	assert_int_equal(line.count, 6);
	assert_null(line.items[6]);
	arguments_free(&line);
	buffer_free(&text);
}

TEST(control_characters_stay_on_the_line)
{
	struct arguments line = {0};
	struct buffer text = {0};

	arguments_add(&line, "a\n\t7'\\b");
	arguments_add(&line, "\033[1m\xff\xc3\xa9");
	arguments_add(&line, "\xc3\xa9 b\\");
	arguments_add(&line, "\xe2\x80\xae"
			     "b"); /* U+202E: reorders what follows */
	arguments_quote(&line, " ", &text);
	assert_string_equal(text.data,
			    "$'a\\012\\0117\\047\\134b' $'\\033[1m\\377\xc3\xa9' '\xc3\xa9 b\\' $'\\342\\200\\256b'");
	arguments_free(&line);
	buffer_free(&text);
}

TEST(a_line_grows)
{
	struct arguments line = {0};
	char expected[16];

	for (int i = 0; i < 1000; i++)
		arguments_add(&line, "%d", i);
	assert_int_equal(line.count, 1000);
	for (int i = 0; i < 1000; i++) {
		snprintf(expected, sizeof(expected), "%d", i);
		assert_string_equal(line.items[i], expected);
	}
	assert_null(line.items[1000]);
	arguments_free(&line);
	assert_int_equal(line.count, 0);
}
