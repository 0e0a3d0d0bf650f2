/* SPDX-License-Identifier: MIT
 *
 * Before the boots of a command: their order, how many at a time, and which runs are there already. */
#include "vm/launch/boot_records.h"
#include "vm/launch/cell_list.h"
#include "vm/launch/jobs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "support/own_directory.h"

static void kernels_take_turns(void **state)
{
	static const uint32_t few[] = {1, 2}, more[] = {1, 2, 7};
	const struct kernel_runs kernels[] = {{few, 2}, {more, 3}};
	static const struct cell expected[] = {{0, 1}, {1, 1}, {0, 2}, {1, 2}, {1, 7}};
	size_t count;
	(void)state;

	struct cell *cells = cell_list_make(kernels, 2, &count);
	assert_int_equal(count, 5);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(cells[i].kernel, expected[i].kernel);
		assert_int_equal(cells[i].run, expected[i].run);
	}
	free(cells);
}

static void one_guest_per_free_cpu_and_memory(void **state)
{
	static const struct {
		struct jobs_host host;
		uint64_t memory_mb;
		unsigned int jobs;
	} cases[] = {
	    {{2, 2.0, 16000}, 1024, 2},        {{2, 1.9, 16000}, 1024, 2}, {{2, 1.2, 16000}, 1024, 1},
	    {{2, 0.0, 16000}, 1024, 1},        {{8, 8.0, 4000}, 1024, 3},  {{8, 8.0, 100}, 1024, 1},
	    {{1000, 1000, 4000000}, 192, 256}, {{4, 4.3, 16000}, 1024, 4},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(jobs_default(&cases[i].host, cases[i].memory_mb), cases[i].jobs);
}

static void ticks_of_the_allowed_cpus(void **state)
{
	static const char text[] = "cpu  99 99 99 99 99 99 99 99 0 0\n"
				   "cpu0 1 2 3 40 5 6 7 8 0 0\n"
				   "cpu1 1 1 1 1 1 1 1 1 0 0\n"
				   "cpu2 0 0 0 10 0 0 0 0 0 0\n"
				   "cpu3 broken\n"
				   "intr 5 cpu2\n";
	cpu_set_t allowed;
	uint64_t all, idle;
	(void)state;

	CPU_ZERO(&allowed);
	CPU_SET(0, &allowed);
	CPU_SET(2, &allowed);
	CPU_SET(3, &allowed);
	jobs_parse_stat(text, &allowed, &all, &idle);
	assert_int_equal(all, 82);
	assert_int_equal(idle, 55);
	jobs_parse_stat("", &allowed, &all, &idle);
	assert_int_equal(all, 0);
}

static struct boot_record record_of(uint32_t run, const char *end, const char *error, uint64_t traces)
{
	struct boot_record record = {.run = run, .traces = traces, .boot_s = 1.5, .total_s = 2, .virtual_s = 0.25};

	snprintf(record.end, sizeof(record.end), "%s", end);
	snprintf(record.error, sizeof(record.error), "%s", error);
	snprintf(record.started_at, sizeof(record.started_at), "2026-01-0%u", run);
	return record;
}

static void boots_are_written_and_read(void **state)
{
	struct boot_record third = record_of(3, "panicked", "it panicked", 1), first = record_of(1, "done", "", 2);
	struct boot_records records = {0}, read = {0};
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct json_value *value;
	struct boot_record sum;
	(void)state;

	first.vcpu_time_known = true;
	first.vcpu_time = (struct vcpu_time){300, 100};
	third.job_exit = -1;
	assert_true(boot_records_put(&records, &third));
	assert_true(boot_records_put(&records, &third));
	assert_true(boot_records_put(&records, &first));
	json_object_begin(&json, NULL);
	boot_records_write(&records, false, &json);
	json_object_end(&json);
	assert_int_equal(json_parse(text.data, text.length, "x", &value, NULL), STATUS_OK);
	assert_true(boot_records_read(&read, json_member(value, "boots")));
	assert_int_equal(read.count, 2);
	assert_int_equal(read.items[0].run, 1);
	assert_int_equal(boot_records_find(&read, 3)->job_exit, -1);
	assert_string_equal(boot_records_find(&read, 3)->error, "it panicked");
	assert_null(boot_records_find(&read, 2));
	boot_records_sum(&read, &sum);
	assert_string_equal(sum.end, "panicked");
	assert_string_equal(sum.started_at, "2026-01-01");
	assert_int_equal(sum.traces, 3);
	assert_true(sum.vcpu_time_known && sum.vcpu_time.wait_ns == 100);
	json_free(value);
	buffer_free(&text);
	boot_records_free(&records);
	boot_records_free(&read);
}

static void damaged_boots_are_left_out(void **state)
{
	static const char text[] =
	    "{\"boots\": [7, null, {}, {\"run\": -1}, {\"run\": 4294967296}, {\"run\": 5, \"end\": 3,"
	    "\"traces\": \"x\", \"job_exit\": 1e99}, {\"run\": 5, \"traces\": 2}]}";
	struct boot_records read = {0};
	struct json_value *value;
	(void)state;

	assert_int_equal(json_parse(text, strlen(text), "x", &value, NULL), STATUS_OK);
	assert_true(boot_records_read(&read, json_member(value, "boots")));
	assert_int_equal(read.count, 1);
	assert_int_equal(read.items[0].traces, 2);
	assert_true(boot_records_read(&read, NULL));
	json_free(value);
	boot_records_free(&read);
}

static void put(const char *name)
{
	char path[256];

	assert_int_equal(file_join(path, sizeof(path), own_directory, name, NULL), STATUS_OK);
	assert_int_equal(file_replace(path, "x", 1, NULL), STATUS_OK);
}

static bool is_there(const char *name)
{
	char path[256];

	return file_join(path, sizeof(path), own_directory, name, NULL) == STATUS_OK && access(path, F_OK) == 0;
}

static void a_run_is_whole_with_all_its_files(void **state)
{
	struct boot_record record = record_of(2, "done", "", 2);
	(void)state;

	put("a_run2.dat");
	put("a_run2.json");
	put("b_run1_run2.dat");
	put("b_run21.dat");
	put("b_run2.dat.incomplete");
	assert_false(boot_record_is_whole(&record, own_directory));
	put("b_run1_run2.json");
	assert_true(boot_record_is_whole(&record, own_directory));
	record = record_of(2, "done", "the command failed", 2);
	assert_false(boot_record_is_whole(&record, own_directory));
	record = record_of(2, "interrupted", "", 2);
	assert_false(boot_record_is_whole(&record, own_directory));
	record = record_of(3, "done", "", 0);
	assert_false(boot_record_is_whole(&record, own_directory));

	boot_files_remove(own_directory, 2);
	assert_false(is_there("a_run2.dat") || is_there("b_run1_run2.json") || is_there("b_run2.dat.incomplete"));
	assert_true(is_there("b_run21.dat"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kernels_take_turns),
	    cmocka_unit_test(one_guest_per_free_cpu_and_memory),
	    cmocka_unit_test(ticks_of_the_allowed_cpus),
	    cmocka_unit_test(boots_are_written_and_read),
	    cmocka_unit_test(damaged_boots_are_left_out),
	    cmocka_unit_test_setup_teardown(a_run_is_whole_with_all_its_files, own_directory_enter,
					    own_directory_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
