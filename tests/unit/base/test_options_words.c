/* SPDX-License-Identifier: MIT
 *
 * A command line from parsed options: what it holds, and that parsing it gives the same values again. */
#include "base/options_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct values {
	struct option_list names;
	const char *text, *word;
	uint64_t number, size;
	int64_t sign;
	double real;
	bool flag;
};

static const struct option rows[] = {
    OPTION(struct values, names, "name", .argument = "NAME", .help = "names"),
    OPTION(struct values, text, "text", .argument = "TEXT", .help = "text"),
    OPTION_CHOICES(struct values, word, "word", "a|b", .fallback = "a", .help = "word"),
    OPTION(struct values, number, "number", .argument = "N", .help = "number"),
    OPTION(struct values, size, "size", .argument = "MB", .unit = "MB", .fallback = "1024", .help = "size"),
    OPTION(struct values, sign, "sign", .argument = "N", .fallback = "-3", .help = "sign"),
    OPTION(struct values, real, "real", .argument = "F", .fallback = "0.015", .help = "real"),
    OPTION(struct values, flag, "flag", .help = "flag"),
    OPTION(struct values, flag, "old-flag", .help = "flag", .hidden = true),
    {.name = NULL},
};

static const struct command command = {
    .name = "x", .summary = "x", .operands = "", .options = rows, .values_size = sizeof(struct values)};

static void parse(int count, char **words, struct values *values)
{
	struct operands operands;

	memset(values, 0, sizeof(*values));
	assert_int_equal(options_parse(&command, values, count, words, &operands, NULL), STATUS_OK);
}

static void defaults_need_no_words(void **state)
{
	static const char *const none[] = {NULL};
	char *words[] = {"x", "--word", "a", "--size", "1G", NULL};
	struct arguments line = {0};
	struct values values;
	(void)state;

	parse(5, words, &values);
	options_words(rows, &values, none, &line);
	assert_int_equal(line.count, 0);
	arguments_free(&line);
}

static void parsed_again_they_are_the_same(void **state)
{
	static const char *const omitted[] = {"text", NULL};
	char *words[] = {"x", "--name", "-a b", "--name", "c",  "--text", "left out", "--word", "b", "--number",
			 "7", "--size", "2G",   "--sign", "-9", "--real", "0.1",      "--flag", NULL};
	struct arguments line = {0};
	struct values values, again;
	(void)state;

	parse(18, words, &values);
	arguments_add(&line, "x");
	options_words(rows, &values, omitted, &line);
	assert_int_equal(line.count, 9);
	char *moved[16]; /* the parser moves words */
	memcpy(moved, line.items, (line.count + 1) * sizeof(*moved));
	parse((int)line.count, moved, &again);
	assert_int_equal(again.names.count, 2);
	assert_string_equal(again.names.items[0], "-a b");
	assert_null(again.text);
	assert_string_equal(again.word, "b");
	assert_true(again.number == 7 && again.size == 2048 && again.sign == -9 && again.real == 0.1 && again.flag);
	arguments_free(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_need_no_words),
	    cmocka_unit_test(parsed_again_they_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
