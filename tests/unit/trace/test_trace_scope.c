/* SPDX-License-Identifier: MIT
 *
 * The tasks and CPUs that a trace follows: lists written into a trace.dat and read back, and lists that make no
 * sense. */
#include "support/trace_recipe.h"
#include "support/unit.h"
#include "trace/format/tracedat.h"
#include "trace/trace_scope.h"

/* The scope of a trace with these lines; NULL: without the line. */
static struct trace_scope scope_of(const char *followed, const char *offline_cpus)
{
	struct trace_recipe recipe;
	struct buffer file = {0};
	struct tracedat trace;
	struct trace_scope scope;

	trace_begin(&recipe, 2);
	recipe.stats[1] = STATS("17", "5");
	recipe.header.followed = followed;
	recipe.header.offline_cpus = offline_cpus;
	assert_true(trace_build(&recipe, &file));
	assert_int_equal(tracedat_parse((const uint8_t *)file.data, file.length, "a.dat", &trace, NULL), STATUS_OK);
	assert_int_equal(trace.cpus[1].overrun, 17);
	trace_scope_open(&scope, &trace);
	tracedat_free(&trace);
	buffer_free(&file);
	trace_end(&recipe);
	return scope;
}

TEST(lists_are_read_back)
{
	struct trace_scope scope = scope_of(" 9 7 12", " 1,3-4");

	assert_true(trace_scope_is_part(&scope));
	assert_int_equal(scope.followed_count, 3);
	assert_true(trace_scope_has(&scope, 7) && trace_scope_has(&scope, 9) && trace_scope_has(&scope, 12));
	assert_false(trace_scope_has(&scope, 0) || trace_scope_has(&scope, 8) || trace_scope_has(&scope, 1));
	assert_true(trace_scope_begins_offline(&scope, 1) && trace_scope_begins_offline(&scope, 4));
	assert_false(trace_scope_begins_offline(&scope, 0) || trace_scope_begins_offline(&scope, UINT32_MAX));
	trace_scope_free(&scope);
}

TEST(without_lists_all_is_told)
{
	struct trace_scope scope = scope_of(NULL, NULL);

	assert_false(trace_scope_is_part(&scope));
	assert_true(trace_scope_has(&scope, 7) && trace_scope_has(NULL, 7));
	assert_false(trace_scope_begins_offline(&scope, 1) || trace_scope_begins_offline(NULL, 1));
	trace_scope_free(&scope);
}

TEST(nonsense_follows_nothing)
{
	static const char *const lists[] = {"", " ", " 0", " -", " x,,", " 99999999999999999999999", " 2147483648"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct trace_scope scope = scope_of(lists[i], " 3-1,x");
		assert_true(trace_scope_is_part(&scope));
		assert_int_equal(scope.followed_count, 0);
		assert_false(trace_scope_has(&scope, 0) || trace_scope_has(&scope, 1));
		assert_int_equal(CPU_COUNT(&scope.offline), 0);
		trace_scope_free(&scope);
	}
}
