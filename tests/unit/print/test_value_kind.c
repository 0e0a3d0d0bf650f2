/* SPDX-License-Identifier: MIT
 *
 * What shells complete as the value of an option and as operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "print/manual/value_kind.h"

static void assert_kind(const struct option *option, enum value_kind kind, const char *words)
{
	struct buffer out = {0};

	assert_int_equal(value_kind_of_option(option, &out), kind);
	if (words)
		assert_non_null(strstr(out.data, words));
	else
		assert_int_equal(out.length, 0);
	buffer_free(&out);
}

static void test_options(void **state)
{
	(void)state;
	assert_kind(&(struct option){.name = "by", .kind = OPTION_CHOICE, .choices = "task|comm", .argument = "WHAT"},
		    VALUE_WORDS, "task comm");
	assert_kind(&(struct option){.name = "workload", .kind = OPTION_TEXT, .argument = "NAMES"}, VALUE_WORD_LIST,
		    "cpu_bound_4p");
	assert_kind(&(struct option){.name = "metric", .kind = OPTION_TEXT, .argument = "NAME"}, VALUE_WORD_LIST,
		    "fairness_jain");
	assert_kind(&(struct option){.name = "kernel", .kind = OPTION_LIST, .argument = "[LABEL=]IMAGE|DIR"},
		    VALUE_FILE, NULL);
	assert_kind(&(struct option){.name = "runs", .kind = OPTION_NUMBER, .argument = "N"}, VALUE_FREE, NULL);
}

static void test_operands(void **state)
{
	static const struct {
		const char *operands;
		enum value_kind kind;
	} cases[] = {
	    {"", VALUE_FREE},
	    {"TEXT", VALUE_FREE},
	    {"A B", VALUE_FILE},
	    {"[FILE|DIR|-]...", VALUE_FILE},
	    {"[-- COMMAND...]", VALUE_COMMAND_LINE},
	    {"NAME", VALUE_WORDS},
	    {"kernel LINE... | qemu", VALUE_WORDS},
	};
	static const struct command_group groups[] = {{NULL, {NULL}}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer words = {0};
		const struct command command = {.name = "x", .operands = cases[i].operands};
		assert_int_equal(value_kind_of_operands(groups, &command, &words), cases[i].kind);
		if (*cases[i].operands == 'k')
			assert_string_equal(words.data, "kernel qemu");
		buffer_free(&words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_operands)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
