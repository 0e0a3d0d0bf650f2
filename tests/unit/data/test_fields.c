/* SPDX-License-Identifier: MIT
 *
 * Lines are split the same at every place in a word, with and without quotes; what is wrong is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/predict/fields.h"

#define COUNT 3

/* In memory of its own, so that a read behind it is noticed. Checks the fields, and where the next line starts. */
static enum fields_found split(const char *text, size_t columns, const char *first, const char *second,
			       const char *third, size_t length)
{
	const char *wanted[COUNT] = {first, second, third};
	struct csv_text fields[COUNT];
	size_t size = strlen(text);
	char *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, text, size);
	struct fields_cursor cursor = {copy, copy + size, 7};
	enum fields_found found = fields_split(&cursor, (struct fields_wanted){columns, COUNT}, fields);
	for (size_t i = 0; i < COUNT && found == FIELDS_OK; i++) {
		assert_int_equal(fields[i].length, strlen(wanted[i]));
		assert_memory_equal(fields[i].bytes, wanted[i], fields[i].length);
	}
	assert_int_equal(cursor.at - copy, found == FIELDS_OK ? length : 0);
	uint64_t lines = 7;
	for (size_t i = 0; found == FIELDS_OK && i < length; i++)
		lines += copy[i] == '\n';
	lines += found == FIELDS_OK && (!length || copy[length - 1] != '\n');
	assert_int_equal(cursor.line, lines);
	free(copy);
	return found;
}

static void lines_are_split_at_every_place(void **state)
{
	char field[20], text[80];

	(void)state;
	for (size_t length = 0; length < 18; length++) {
		memset(field, 'x', length);
		field[length] = '\0';
		for (int form = 0; form < 4; form++) {
			static const char *const ends[] = {"\n", "\r\n", "\r\n1,2,\"3\"\n", ""};
			int size = snprintf(text, sizeof(text), "%s,,%sy%s", field, field, ends[form]);
			size_t next = form == 2 ? (size_t)(strchr(text, '\n') + 1 - text) : (size_t)size;
			char last[24];
			snprintf(last, sizeof(last), "%sy", field);
			assert_int_equal(split(text, 3, field, "", last, next), FIELDS_OK);
			assert_int_equal(split(text, 4, field, "", last, next), FIELDS_WRONG_NUMBER);
		}
	}
}

static void quotes_hide_commas_and_line_ends(void **state)
{
	(void)state;
	assert_int_equal(split("a,\"b,\n\"\"c\",d\nnext", 3, "a", "\"b,\n\"\"c\"", "d", 13), FIELDS_OK);
	assert_int_equal(split("a,b,\"c\"\r\nnext", 3, "a", "b", "\"c\"", 9), FIELDS_OK);
	assert_int_equal(split("a,b,\"c\"", 3, "a", "b", "\"c\"", 7), FIELDS_OK);
	/* Only at the start of a field it is one. */
	assert_int_equal(split("a\",b,c\nnext", 3, "a\"", "b", "c", 7), FIELDS_OK);
	/* The next line's is not this one's. */
	assert_int_equal(split("a,b,c\n\"", 3, "a", "b", "c", 6), FIELDS_OK);
	assert_int_equal(split("a,b,\"c\n", 3, "", "", "", 0), FIELDS_OPEN_QUOTE);
	assert_int_equal(split("a,b,c,\"d\n", 4, "", "", "", 0), FIELDS_OPEN_QUOTE);
}

static void fields_are_counted(void **state)
{
	(void)state;
	for (size_t columns = 3; columns < 5; columns++) {
		assert_int_equal(split("a,b\n", columns, "", "", "", 0), FIELDS_WRONG_NUMBER);
		assert_int_equal(split("a,\"b\"\n", columns, "", "", "", 0), FIELDS_WRONG_NUMBER);
		assert_int_equal(split("\n", columns, "", "", "", 0), FIELDS_WRONG_NUMBER);
		assert_int_equal(split("a,b,c,d,e\n", columns, "", "", "", 0), FIELDS_WRONG_NUMBER);
		assert_int_equal(split("a,b,\"c\",d,e\n", columns, "", "", "", 0), FIELDS_WRONG_NUMBER);
	}
	assert_int_equal(split("a,b,c,d\n", 3, "", "", "", 0), FIELDS_WRONG_NUMBER);
	assert_int_equal(split("a,b,c,\n", 3, "", "", "", 0), FIELDS_WRONG_NUMBER);
	assert_int_equal(split("a,b,c,d\nnext", 4, "a", "b", "c", 8), FIELDS_OK);
	assert_int_equal(split("a,b,c,\"d\n\"\nnext", 4, "a", "b", "c", 11), FIELDS_OK);
}

static void text_after_a_closing_quote_is_refused(void **state)
{
	static const char *const texts[] = {"\"a\"x,b,c\n",   "a,\"b\";c\n",   "a,b,\"c\"d\n", "a,b,\"c\"d",
					    "a,b,\"c\"\rd\n", "\"a\"\r,b,c\n", "\"a\"x,b\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(split(texts[i], 3, "", "", "", 0), FIELDS_TEXT_AFTER_QUOTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_are_split_at_every_place),
	    cmocka_unit_test(quotes_hide_commas_and_line_ends),
	    cmocka_unit_test(fields_are_counted),
	    cmocka_unit_test(text_after_a_closing_quote_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
