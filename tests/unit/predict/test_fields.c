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

#include "predict/fields.h"

#define COUNT 3

/* In memory of its own, so that a read behind it is noticed. Checks the fields, and where the next line starts. */
static enum fields_found split(const char *text, bool may_have_more, const char *first, const char *second,
			       const char *third, size_t length)
{
	const char *wanted[COUNT] = {first, second, third};
	struct csv_text fields[COUNT];
	size_t size = strlen(text);
	char *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, text, size);
	const char *at = copy;
	enum fields_found found = fields_split(&at, copy + size, (struct fields_wanted){COUNT, may_have_more}, fields);
	for (size_t i = 0; i < COUNT && found == FIELDS_OK; i++) {
		assert_int_equal(fields[i].length, strlen(wanted[i]));
		assert_memory_equal(fields[i].bytes, wanted[i], fields[i].length);
	}
	if (found == FIELDS_OK)
		assert_int_equal(at - copy, length);
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
			assert_int_equal(split(text, false, field, "", last, next), FIELDS_OK);
			assert_int_equal(split(text, true, field, "", last, next), FIELDS_OK);
		}
	}
}

static void quotes_hide_commas_and_line_ends(void **state)
{
	(void)state;
	assert_int_equal(split("a,\"b,\n\"\"c\",d\nnext", false, "a", "\"b,\n\"\"c\"", "d", 13), FIELDS_OK);
	assert_int_equal(split("a,b,\"c\"\r\nnext", false, "a", "b", "\"c\"", 9), FIELDS_OK);
	assert_int_equal(split("a,b,\"c\"", false, "a", "b", "\"c\"", 7), FIELDS_OK);
	/* Only at the start of a field it is one. */
	assert_int_equal(split("a\",b,c\nnext", false, "a\"", "b", "c", 7), FIELDS_OK);
	/* The next line's is not this one's. */
	assert_int_equal(split("a,b,c\n\"", false, "a", "b", "c", 6), FIELDS_OK);
	assert_int_equal(split("a,b,\"c\n", false, "", "", "", 0), FIELDS_OPEN_QUOTE);
	assert_int_equal(split("a,b,c,\"d\n", true, "", "", "", 0), FIELDS_OPEN_QUOTE);
}

static void fields_are_counted(void **state)
{
	(void)state;
	for (int may_have_more = 0; may_have_more < 2; may_have_more++) {
		assert_int_equal(split("a,b\n", may_have_more, "", "", "", 0), FIELDS_WRONG_NUMBER);
		assert_int_equal(split("a,\"b\"\n", may_have_more, "", "", "", 0), FIELDS_WRONG_NUMBER);
		assert_int_equal(split("\n", may_have_more, "", "", "", 0), FIELDS_WRONG_NUMBER);
	}
	assert_int_equal(split("a,b,c,d\n", false, "", "", "", 0), FIELDS_WRONG_NUMBER);
	assert_int_equal(split("a,b,c,\n", false, "", "", "", 0), FIELDS_WRONG_NUMBER);
	assert_int_equal(split("a,b,c,d\nnext", true, "a", "b", "c", 8), FIELDS_OK);
	assert_int_equal(split("a,b,c,\"d\n\"\nnext", true, "a", "b", "c", 11), FIELDS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_are_split_at_every_place),
	    cmocka_unit_test(quotes_hide_commas_and_line_ends),
	    cmocka_unit_test(fields_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
