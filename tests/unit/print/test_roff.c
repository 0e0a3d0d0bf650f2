/* SPDX-License-Identifier: MIT
 *
 * Texts of the manual as roff: every byte is printed as it is, and paragraphs, rows and lines keep their kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "print/manual/roff.h"

static void assert_text(const char *text, const char *wanted)
{
	struct buffer out = {0};

	roff_add_text(text, &out);
	assert_string_equal(out.data, wanted);
	buffer_free(&out);
}

static void test_bytes(void **state)
{
	struct buffer out = {0};

	(void)state;
	roff_add_words(".dot -x 'q' a\\b `c` ~ ^", 23, &out);
	assert_string_equal(out.data, "\\&.dot \\-x \\(aqq\\(aq a\\eb \\(gac\\(ga \\(ti \\(ha\n");
	buffer_clear(&out);
	roff_add_macro("SH", "A \"B\"", 5, &out);
	assert_string_equal(out.data, ".SH \"A \\(dqB\\(dq\"\n");
	buffer_free(&out);
}

/* A word that begins with a dot never begins a line. */
static void test_wrapped_dot(void **state)
{
	struct buffer out = {0};
	char text[100];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memcpy(text + 77, " .b", 3);
	roff_add_words(text, 80, &out);
	assert_non_null(strstr(out.data, "\n\\&.b\n"));
	buffer_free(&out);
}

static void test_kinds(void **state)
{
	(void)state;
	assert_text("One.\nTwo.\n\nThree.\n", "One.\n.br\nTwo.\n.PP\nThree.\n");
	assert_text("One.\n\nA HEADING\n\nTwo.\n", "One.\n.SH \"A HEADING\"\nTwo.\n");
	assert_text("  word  its text\n        goes on\n  next    text\n",
		    ".TP\nword\nits text goes on\n.TP\nnext\ntext\n");
	/* A first column that is too long has its text in the next line. */
	assert_text("  A_LONG_NAME\n             its text\n             goes on\n",
		    ".TP\nA_LONG_NAME\nits text goes on\n");
}

static void test_lines_are_kept_apart(void **state)
{
	(void)state;
	assert_text("Try:\n\n  picknext a\n  picknext b\n\nEnd.\n",
		    "Try:\n.PP\n.RS 4\n.EX\npicknext a\npicknext b\n.EE\n.RE\n.PP\nEnd.\n");
}

/* A long line continues after a backslash; formatters join it. */
static void test_long_line(void **state)
{
	struct buffer out = {0};
	char text[200];
	size_t bytes = 0;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bytes),     cmocka_unit_test(test_wrapped_dot),
	    cmocka_unit_test(test_kinds),     cmocka_unit_test(test_lines_are_kept_apart),
	    cmocka_unit_test(test_long_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
