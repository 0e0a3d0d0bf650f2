/* SPDX-License-Identifier: MIT
 *
 * Lines from a guest: those of the protocol, and everything else. */
#include "support/unit.h"
#include "vm/protocol/guest_progress.h"

static struct guest_line parse(const char *text)
{
	struct guest_line line;

	guest_line_parse(text, strlen(text), &line);
	return line;
}

TEST(reads_every_kind)
{
	struct guest_line line = parse("hello 6.12.95+deb12-amd64");
	assert_int_equal(line.kind, GUEST_LINE_HELLO);
	assert_string_equal(line.name, "6.12.95+deb12-amd64");

	line = parse("progress 3 12 1 cpu_bound_4p 1234567890123 42");
	assert_int_equal(line.kind, GUEST_LINE_PROGRESS);
	assert_int_equal(line.done, 3);
	assert_int_equal(line.of, 12);
	assert_int_equal(line.run, 1);
	assert_string_equal(line.name, "cpu_bound_4p");
	assert_int_equal(line.events, 1234567890123);
	assert_true(line.seconds_left == 42.0);
	assert_true(parse("progress 0 1 0 x 0 -1").seconds_left < 0);

	line = parse("sending a_run0.dat 4096");
	assert_int_equal(line.kind, GUEST_LINE_SENDING);
	assert_int_equal(line.size, 4096);

	line = parse("trace a_run0.dat 4096 0123abcd");
	assert_int_equal(line.kind, GUEST_LINE_TRACE);
	assert_string_equal(line.name, "a_run0.dat");
	assert_int_equal(line.checksum, 0x0123abcd);

	line = parse("problem kernel without ftrace; build it in");
	assert_int_equal(line.kind, GUEST_LINE_PROBLEM);
	assert_string_equal(line.text, "kernel without ftrace; build it in");

	line = parse("note [1/2] done");
	assert_int_equal(line.kind, GUEST_LINE_NOTE);
	assert_string_equal(line.text, "[1/2] done");

	line = parse("clock 3158234567");
	assert_int_equal(line.kind, GUEST_LINE_CLOCK);
	assert_int_equal(line.size, 3158234567);

	line = parse("done 28");
	assert_int_equal(line.kind, GUEST_LINE_DONE);
	assert_int_equal(line.exit_status, 28);
}

TEST(everything_else_is_unknown)
{
	static const char *const bad[] = {
	    "",
	    " ",
	    "hello",
	    "hello ../../etc",
	    "hello .",
	    "hello a b",
	    "hello 6.1\x1b[2J",
	    "progress",
	    "progress 1 2 0 x 5",
	    "progress 3 2 0 x 5 1",
	    "progress 1 2 0 x 5 1 9",
	    "progress -1 2 0 x 5 1",
	    "progress 1 4294967296 0 x 5 1",
	    "progress 1 2 0 x 99999999999999999999 1",
	    "progress 1 2 0 x 5 nan",
	    "clock",
	    "clock -1",
	    "clock 1 2",
	    "progress 1 2 0 x 5 inf",
	    "progress 1 2 0 x 5 1e300",
	    "progress 1 2 0 x 5 -2",
	    "progress 1  2 0 x 5 1",
	    "begin",
	    "begin a b",
	    "end ../a_run0",
	    "trace a.dat 5 123",
	    "trace a.dat 5 0123abcg",
	    "trace a.dat 5 0123ABCD",
	    "trace ../a.dat 5 0123abcd",
	    "trace a.dat -5 0123abcd",
	    "done",
	    "done 256",
	    "done -1",
	    "done 0 0",
	    "Done 0",
	    "problem",
	    "a b c d e f g h i j k l",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(bad[i]).kind != GUEST_LINE_UNKNOWN)
			fail_msg("took '%s'", bad[i]);
}

TEST(takes_bytes_as_they_come)
{
	static const char stream[] = "hello 6.1\nproblem a\0b\n\ndone 0\nhal";
	struct guest_line line;
	bool whole;

	for (size_t piece = 1; piece < sizeof(stream); piece++) {
		struct guest_lines lines = {0};
		enum guest_line_kind kinds[8];
		size_t count = 0;
		for (size_t at = 0; at < sizeof(stream) - 1;) {
			size_t left = sizeof(stream) - 1 - at;
			at += guest_lines_add(&lines, stream + at, left < piece ? left : piece, &line, &whole);
			if (whole)
				kinds[count++] = line.kind;
			if (whole && line.kind == GUEST_LINE_PROBLEM)
				assert_string_equal(line.text, "a?b");
		}
		assert_int_equal(count, 4);
		assert_int_equal(kinds[0], GUEST_LINE_HELLO);
		assert_int_equal(kinds[1], GUEST_LINE_PROBLEM);
		assert_int_equal(kinds[2], GUEST_LINE_UNKNOWN);
		assert_int_equal(kinds[3], GUEST_LINE_DONE);
		assert_int_equal(lines.length, 3);
	}
}

TEST(cuts_endless_lines)
{
	struct guest_lines lines = {0};
	struct guest_line line;
	bool whole;
	char many[1000];

	memset(many, 'x', sizeof(many));
	memcpy(many, "problem ", 8);
	for (int i = 0; i < 5; i++)
		assert_int_equal(guest_lines_add(&lines, many, sizeof(many), &line, &whole), sizeof(many));
	assert_int_equal(guest_lines_add(&lines, "\ndone 1\n", 9, &line, &whole), 1);
	assert_true(whole);
	assert_int_equal(line.kind, GUEST_LINE_PROBLEM);
	assert_int_equal(strlen(line.text), GUEST_LINE_MAX - 8);
	assert_int_equal(guest_lines_add(&lines, "done 1\n", 7, &line, &whole), 7);
	assert_int_equal(line.kind, GUEST_LINE_DONE);
}

TEST(writes_what_it_reads)
{
	static const char *const lines[] = {
	    "hello 6.1.0\n",
	    "progress 1 2 0 io_mixed 77 -1\n",
	    "progress 1 2 0 io_mixed 77 90\n",
	    "sending a.dat 5\n",
	    "trace a.dat 5 00c0ffee\n",
	    "problem it is full\n",
	    "note fine\n",
	    "done 4\n",
	};
	char text[GUEST_LINE_MAX + 2];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct guest_line line;
		guest_line_parse(lines[i], strlen(lines[i]) - 1, &line);
		assert_int_equal(guest_line_format(&line, text, sizeof(text)), strlen(lines[i]));
		assert_string_equal(text, lines[i]);
	}
}

TEST(writes_one_line_only)
{
	struct guest_line line = {.kind = GUEST_LINE_PROBLEM};
	char text[GUEST_LINE_MAX + 2];

	strcpy(line.text, "first\nhello 1\nlast");
	size_t length = guest_line_format(&line, text, sizeof(text));
	assert_string_equal(text, "problem first hello 1 last\n");
	memset(line.text, 'x', GUEST_LINE_MAX);
	line.text[GUEST_LINE_MAX] = '\0';
	length = guest_line_format(&line, text, sizeof(text));
	assert_true(length <= GUEST_LINE_MAX + 1);
	assert_int_equal(text[length - 1], '\n');
}
