/* SPDX-License-Identifier: MIT
 *
 * Texts of the manual as roff: every byte is printed as it is, and paragraphs, rows and lines keep their kinds. */
#include "print/manual/roff.h"
#include "support/unit.h"

static void assert_text(const char *text, const char *wanted)
{
	struct buffer out = {0};

	roff_add_text(text, &out);
	assert_string_equal(out.data, wanted);
	buffer_free(&out);
}

TEST(test_bytes)
{
	struct buffer out = {0};

	roff_add_words(".dot -x 'q' a\\b `c` ~ ^", 23, &out);
	assert_string_equal(out.data, "\\&.dot \\-x \\(aqq\\(aq a\\eb \\(gac\\(ga \\(ti \\(ha\n");
	buffer_clear(&out);
	roff_add_macro("SH", "A \"B\"", 5, &out);
	assert_string_equal(out.data, ".SH \"A \\(dqB\\(dq\"\n");
	buffer_free(&out);
}

/* A word that begins with a dot never begins a line. */
TEST(test_wrapped_dot)
{
	struct buffer out = {0};
	char text[100];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memcpy(text + 77, " .b", 3);
	roff_add_words(text, 80, &out);
	assert_non_null(strstr(out.data, "\n\\&.b\n"));
	buffer_free(&out);
}

TEST(test_kinds)
{
	assert_text("One.\nTwo.\n\nThree.\n", "One.\n.br\nTwo.\n.PP\nThree.\n");
	assert_text("One.\n\nA HEADING\n\nTwo.\n", "One.\n.SH \"A HEADING\"\nTwo.\n");
	assert_text("  word  its text\n        goes on\n  next    text\n",
		    ".TP\nword\nits text goes on\n.TP\nnext\ntext\n");
	/* A first column that is too long has its text in the next line. */
	assert_text("  A_LONG_NAME\n             its text\n             goes on\n",
		    ".TP\nA_LONG_NAME\nits text goes on\n");
}

TEST(test_lines_are_kept_apart)
{
	assert_text("Try:\n\n  picknext a\n  picknext b\n\nEnd.\n",
		    "Try:\n.PP\n.RS 4\n.EX\npicknext a\npicknext b\n.EE\n.RE\n.PP\nEnd.\n");
}

/* A long line continues after a backslash; formatters join it. */
TEST(test_long_line)
{
	struct buffer out = {0};
	char text[200];
	size_t bytes = 0;

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	roff_add_line(text, sizeof(text) - 1, &out);
	for (const char *at = out.data; *at; at++) {
		bytes += *at == 'x';
		if (*at == '\n' && at[1])
			assert_int_equal(at[-1], '\\');
	}
	assert_int_equal(bytes, sizeof(text) - 1);
	for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	buffer_free(&out);
}
