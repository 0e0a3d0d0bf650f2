/* SPDX-License-Identifier: MIT */
#include "base/escape.h"
#include "support/unit.h"

TEST(sequences_are_told_from_broken_ones)
{
	static const struct {
		const char *bytes;
		size_t left, length;
	} known[] = {
	    {"a", 1, 1},
	    {"", 0, 0},
	    {"\xc3\xa9", 2, 2},
	    {"\xc3\xa9", 1, 0}, /* cut */
	    {"\xe4\xb8\x96", 3, 3},
	    {"\xf0\x9f\x98\x80", 4, 4},
	    {"\xf4\x8f\xbf\xbf", 4, 4}, /* U+10FFFF */
	    {"\xf4\x90\x80\x80", 4, 0}, /* above it */
	    {"\xc0\xaf", 2, 0},         /* overlong */
	    {"\xc1\xbf", 2, 0},
	    {"\xe0\x9f\xbf", 3, 0},
	    {"\xf0\x8f\xbf\xbf", 4, 0},
	    {"\xed\xa0\x80", 3, 0}, /* surrogate */
	    {"\xed\x9f\xbf", 3, 3},
	    {"\x80", 1, 0},
	    {"\xff", 1, 0},
	    {"\xe4\xb8\x41", 3, 0},
	    {"\xf5\x80\x80\x80", 4, 0},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(utf8_sequence(known[i].bytes, known[i].left), known[i].length);
}

static void check(size_t (*escape)(const char *, size_t, char *, size_t), const char *from, size_t length,
		  const char *expected)
{
	char to[256];

	assert_int_equal(escape(from, length, to, sizeof(to)), strlen(expected));
	assert_string_equal(to, expected);
}

TEST(terminals_get_no_control_characters)
{
	check(escape_terminal, "plain caf\xc3\xa9\n\t", 13, "plain caf\xc3\xa9\n\t");
	check(escape_terminal, "\x1b[31m", 5, "\\x1b[31m");
	check(escape_terminal, "a\0b\x7f\r", 5, "a\\x00b\\x7f\\x0d");
	check(escape_terminal, "\xff\xc3(", 3, "\\xff\\xc3(");
	check(escape_terminal, "\xc2\x9b\x31", 3, "\\xc2\\x9b1"); /* a control sequence in eight bits */
	check(escape_terminal, "\xc2\xa0", 2, "\xc2\xa0");
	check(escape_line,
	      "a\xe2\x80\xae"
	      "b",
	      5,
	      "a\\xe2\\x80\\xae"
	      "b");                                                                   /* U+202E reorders what follows */
	check(escape_line, "a\xc2\xad\xef\xbb\xbf", 6, "a\\xc2\\xad\\xef\\xbb\\xbf"); /* not seen: U+00AD, U+FEFF */
	check(escape_line, "a\nb\tc\xc3\xa9", 7, "a\\x0ab\\x09c\xc3\xa9");
}

TEST(what_does_not_fit_is_left_out_whole)
{
	char to[6];

	assert_int_equal(escape_terminal("abcdefgh", 8, to, sizeof(to)), 5);
	assert_string_equal(to, "abcde");
	assert_int_equal(escape_terminal("abc\xc3\xa9", 5, to, 5), 3);
	assert_string_equal(to, "abc");
	assert_int_equal(escape_terminal("abc\x01", 4, to, sizeof(to)), 3);
	assert_string_equal(to, "abc");
	assert_int_equal(escape_terminal("abc", 3, to, 1), 0);
	assert_string_equal(to, "");
	to[0] = 'x';
	assert_int_equal(escape_terminal("abc", 3, to, 0), 0);
	assert_int_equal(to[0], 'x');
}

TEST(controls_are_known)
{
	static const uint32_t controls[] = {0,      0x1f,   0x7f,   0x80,   0x9f,   0xad,    0x61c,  0x180e,
					    0x200b, 0x200d, 0x200e, 0x200f, 0x2028, 0x202a,  0x202e, 0x2060,
					    0x2066, 0x2069, 0xfe0f, 0xfeff, 0xfff9, 0xe0001, 0xe007f};
	static const uint32_t others[] = {' ',    '~',    0xa0,   0xac,   0xae,   0xe9,   0x2010,
					  0x2027, 0x202f, 0x205f, 0x4e16, 0xfffd, 0x1f600};

	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		assert_true(utf8_is_control(controls[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(utf8_is_control(others[i]));
	assert_int_equal(utf8_code("a", 1), 'a');
	assert_int_equal(utf8_code("\xc3\xa9", 2), 0xe9);
	assert_int_equal(utf8_code("\xe4\xb8\x96", 3), 0x4e16);
	assert_int_equal(utf8_code("\xf0\x9f\x98\x80", 4), 0x1f600);
}
