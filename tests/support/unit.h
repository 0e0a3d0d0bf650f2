/* SPDX-License-Identifier: MIT
 *
 * Every unit test includes this: cmocka, the headers that must come before it, and main(), which runs the tests of the
 * file in their order. */
#ifndef SUPPORT_UNIT_H
#define SUPPORT_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Hardly a test uses the state that cmocka passes to all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { UNIT_TESTS_MAX = 64 };

static struct CMUnitTest unit_tests[UNIT_TESTS_MAX];
static size_t unit_test_count;
static CMFixtureFunction unit_begin, unit_end;

static void unit_add(struct CMUnitTest test)
{
	if (unit_test_count == UNIT_TESTS_MAX)
		abort();
	unit_tests[unit_test_count++] = test;
}

/* TEST(name) { ... } */
#define TEST(name) TEST_WITH(name, NULL, NULL)
/* The same between functions for cmocka; the second may be NULL. */
#define TEST_WITH(name, set_up, tear_down)                                                                             \
	static void name(void **state);                                                                                \
	__attribute__((constructor)) static void add_##name(void)                                                      \
	{                                                                                                              \
		unit_add((struct CMUnitTest){#name, name, set_up, tear_down, NULL});                                   \
	}                                                                                                              \
	static void name(void **state)

/* Before the first test and after the last one. */
#define TESTS_WITH(set_up, tear_down)                                                                                  \
	__attribute__((constructor)) static void add_around_tests(void)                                                \
	{                                                                                                              \
		unit_begin = set_up;                                                                                   \
		unit_end = tear_down;                                                                                  \
	}

int main(void)
{
	return _cmocka_run_group_tests(program_invocation_short_name, unit_tests, unit_test_count, unit_begin,
				       unit_end);
}

#endif
