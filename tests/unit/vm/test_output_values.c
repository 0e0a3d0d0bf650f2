/* SPDX-License-Identifier: MIT
 *
 * Numbers of a command's output in the JSON of its run, and how it is read back. */
#include "vm/launch/output_values.h"

#include <math.h>

#include "runs/metadata.h"
#include "support/own_directory.h"
#include "support/unit.h"

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

TEST(numbers_of_the_last_line_that_matches)
{
	static const struct option_list rules = {
	    {"max_us=max[:=] *([-0-9.e]+)", "rate=[0-9.]+ ops/s", "none=absent ([0-9]+)"}, 3};
	struct run_metadata run;
	struct error err = {0};
	bool changed;

	put("a_run1.log", "max: 5 us\nT:1 max: -12.5e1 us\nmax: x\n99 18.25 ops/s\n");
	put("a_run1.json", "{\"workload_name\": \"a\", \"values\": {\"old\": 1}}");
	put("b_run1.log", "max=7");
	assert_int_equal(output_values_add(&rules, ".", &changed, &err), STATUS_OK);
	assert_true(changed);
	assert_int_equal(access("b_run1.json", F_OK), -1);
	assert_int_equal(run_metadata_read("a_run1.json", &run, &err), STATUS_OK);
	assert_string_equal(run.workload_name, "a");
	assert_int_equal(run.value_count, 3);
	assert_string_equal(run.values[0].name, "max_us");
	assert_float_equal(run.values[0].value, -125, 0);
	assert_string_equal(run.values[1].name, "rate");
	assert_float_equal(run.values[1].value, 18.25, 0);
	assert_true(isnan(run.values[2].value));
	run_metadata_free(&run);
	assert_int_equal(output_values_add(&rules, ".", &changed, &err), STATUS_OK);
	assert_false(changed);
}

TEST(a_guest_may_write_anything)
{
	static const struct option_list rules = {{"n=n([^,]*)"}, 1};
	static const char *const numbers[] = {"0x10", "1e999", "..", "-", "+.5", "nan", "1e", "00012"};
	static const double values[] = {0, NAN, NAN, NAN, 0.5, NAN, 1, 12};
	struct run_metadata run;
	struct error err = {0};
	char log[64];
	bool changed;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(log, sizeof(log), "n%s, 7\n", numbers[i]);
		put("c_run1.log", log);
		put("c_run1.json", "{}");
		assert_int_equal(output_values_add(&rules, ".", &changed, &err), STATUS_OK);
		assert_int_equal(run_metadata_read("c_run1.json", &run, &err), STATUS_OK);
		assert_int_equal(run.value_count, 1);
		assert_true(isnan(values[i]) ? isnan(run.values[0].value) : run.values[0].value == values[i]);
		run_metadata_free(&run);
	}
	put("c_run1.json", "[1");
	assert_int_equal(output_values_add(&rules, ".", &changed, &err), STATUS_OK);
	assert_false(changed);
}

TEST(wrong_rules)
{
	static const struct option_list wrong[] = {{{"a"}, 1},   {{"=x"}, 1},         {{"A=x"}, 1},
						   {{"a=("}, 1}, {{"a=x", "a=y"}, 2}, {{"a b=x"}, 1}};
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(output_values_check(&wrong[i], &err), STATUS_USAGE);
	assert_int_equal(output_values_check(&(struct option_list){{"a_1=x=([0-9]+)"}, 1}, &err), STATUS_OK);
}

TESTS_WITH(own_directory_enter, own_directory_leave)
