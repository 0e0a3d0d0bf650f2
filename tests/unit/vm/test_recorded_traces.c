/* SPDX-License-Identifier: MIT
 *
 * Which traces of a directory belong to a deterministic run, and their seeds. */
#include "vm/launch/recorded_traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "vm/engine/private_directory.h"

static char raw[64];

static void put(const char *name, const char *text)
{
	char path[256];

	assert_int_equal(file_join(path, sizeof(path), raw, name, NULL), STATUS_OK);
	assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(raw, sizeof(raw), "/tmp/pn-unit-XXXXXX");
	assert_non_null(mkdtemp(raw));
	put("b_run10.json", "{\"deterministic\": {\"seed\": 10, \"identity\": \"this\"}}");
	put("b_run2.json", "{\"deterministic\": {\"seed\": 2, \"identity\": \"this\"}}");
	put("a_run2.json", "{\"deterministic\": {\"seed\": 2, \"identity\": \"this\"}}");
	put("a_run3.json", "{\"deterministic\": {\"seed\": 3, \"identity\": \"another\"}}");
	put("a_run4.json", "{\"deterministic\": {\"seed\": 4294967296, \"identity\": \"this\"}}");
	put("a_run5.json", "{}");
	put("a_run6.json.incomplete", "{\"deterministic\": {\"seed\": 6, \"identity\": \"this\"}}");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	directory_remove_all(raw);
	return 0;
}

static void traces_of_one_identity_by_seed(void **state)
{
	const struct seed_list all = {0}, some = {.count = 1, .seeds = {10}};
	struct recorded_traces traces;
	struct seed_list seeds;
	(void)state;

	assert_int_equal(recorded_traces_list(&traces, raw, "this", &all, NULL), STATUS_OK);
	assert_int_equal(traces.count, 3);
	assert_string_equal(traces.items[0].name, "a_run2");
	assert_string_equal(traces.items[1].name, "b_run2");
	assert_string_equal(traces.items[2].name, "b_run10");
	assert_true(recorded_traces_seeds(&traces, &seeds));
	assert_int_equal(seeds.count, 2);
	assert_int_equal(seeds.seeds[0], 2);
	assert_int_equal(seeds.seeds[1], 10);
	recorded_traces_free(&traces);
	assert_int_equal(recorded_traces_list(&traces, raw, "this", &some, NULL), STATUS_OK);
	assert_int_equal(traces.count, 1);
	assert_int_equal(traces.total, 3);
	recorded_traces_free(&traces);
	assert_int_equal(recorded_traces_list(&traces, raw, "none", &all, NULL), STATUS_OK);
	assert_int_equal(traces.count, 0);
	recorded_traces_free(&traces);
}

static void a_directory_that_cannot_be_read(void **state)
{
	const struct seed_list all = {0};
	struct recorded_traces traces;
	(void)state;

	assert_int_equal(recorded_traces_list(&traces, "/nonexistent/raw", "this", &all, NULL), STATUS_SYSTEM);
	recorded_traces_free(&traces);
	put("z.json", "{");
	assert_int_equal(recorded_traces_list(&traces, raw, "this", &all, NULL), STATUS_CORRUPT);
	recorded_traces_free(&traces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(traces_of_one_identity_by_seed, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_directory_that_cannot_be_read, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
