/* SPDX-License-Identifier: MIT
 *
 * Before the boots of a command: their order and names, how many at a time, and what vm.json has of them. */
#include "support/unit.h"
#include "vm/launch/jobs.h"
#include "vm/plan/plan.h"
#include "vm/plan/run_outcomes.h"

#include <math.h>

TEST(sets_take_turns)
{
	static const uint32_t few[] = {1, 2}, more[] = {1, 2, 7};
	static const struct cell expected[] = {{0, 1, ""}, {1, 1, ""}, {0, 2, ""}, {1, 2, ""}, {1, 7, ""}};
	struct plan plan = {0};
	size_t count;

	plan_set_add_runs(plan_add(&plan, "few", "abc", true), few, 2);
	plan_set_add_runs(plan_add(&plan, "more", "abc", true), more, 3);
	struct cell *cells = plan_cells(&plan, &count);
	assert_int_equal(count, 5);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(cells[i].set, expected[i].set);
		assert_int_equal(cells[i].run, expected[i].run);
	}
	free(cells);
	plan_free(&plan);
}

static void make_id(const char *set, const char *identity, uint32_t run, char id[CELL_ID_SIZE])
{
	struct plan plan = {0};
	size_t count;

	plan_set_add_runs(plan_add(&plan, set, identity, true), &run, 1);
	struct cell *cells = plan_cells(&plan, &count);
	memcpy(id, cells[0].id, CELL_ID_SIZE);
	free(cells);
	plan_free(&plan);
}

TEST(ids_are_of_set_inputs_and_run)
{
	char id[CELL_ID_SIZE], other[CELL_ID_SIZE];

	make_id("base", "abc", 1, id);
	assert_int_equal(strlen(id), CELL_ID_SIZE - 1);
	make_id("base", "abc", 1, other);
	assert_string_equal(id, other);
	make_id("base", "abc", 11, other);
	assert_string_not_equal(id, other);
	make_id("head", "abc", 1, other);
	assert_string_not_equal(id, other);
	make_id("bas", "eabc", 1, other);
	assert_string_not_equal(id, other);
}

TEST(shards_have_every_cell_once)
{
	static const char *const bad[] = {"",    "1",    "/",    "0/4",       "5/4",  "1/0",
					  "a/4", "1/4x", "-1/4", "1/9999999", "1/2/3"};
	struct cell_choice shards[4] = {0};
	struct error err;

	for (unsigned int i = 0; i < 4; i++) {
		char text[8];
		snprintf(text, sizeof(text), "%u/4", i + 1);
		assert_int_equal(cell_choice_parse(text, &shards[i], &err), STATUS_OK);
		assert_false(cell_choice_is_all(&shards[i]));
	}
	for (size_t place = 0; place < 11; place++) {
		unsigned int owners = 0;
		for (unsigned int i = 0; i < 4; i++)
			owners += cell_choice_has(&shards[i], place, "x");
		assert_int_equal(owners, 1);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cell_choice choice = {0};
		assert_int_equal(cell_choice_parse(bad[i], &choice, &err), STATUS_USAGE);
	}
	const struct cell_choice all = {0}, one = {.id = "x"};
	assert_true(cell_choice_is_all(&all) && cell_choice_has(&all, 7, "y"));
	assert_true(cell_choice_has(&one, 7, "x") && !cell_choice_has(&one, 7, "y"));
}

TEST(one_guest_per_free_cpu_and_memory)
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(jobs_default(&cases[i].host, cases[i].memory_mb), cases[i].jobs);
}

TEST(ticks_of_the_allowed_cpus)
{
	static const char text[] = "cpu  99 99 99 99 99 99 99 99 0 0\n"
				   "cpu0 1 2 3 40 5 6 7 8 0 0\n"
				   "cpu1 1 1 1 1 1 1 1 1 0 0\n"
				   "cpu2 0 0 0 10 0 0 0 0 0 0\n"
				   "cpu3 broken\n"
				   "intr 5 cpu2\n";
	cpu_set_t allowed;
	uint64_t all, idle;

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

static struct run_outcome record_of(uint32_t run, const char *end, const char *error, uint64_t traces)
{
	struct run_outcome record = {.run = run, .traces = traces, .boot_s = 1.5, .total_s = 2, .virtual_s = 0.25};

	snprintf(record.end, sizeof(record.end), "%s", end);
	snprintf(record.error, sizeof(record.error), "%s", error);
	snprintf(record.started_at, sizeof(record.started_at), "2026-01-0%u", run);
	return record;
}

TEST(boots_are_written_and_read)
{
	struct run_outcome third = record_of(3, "panicked", "it panicked", 1), first = record_of(1, "done", "", 2);
	struct run_outcomes records = {0}, read = {0};
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct json_value *value;
	struct run_outcome sum;

	first.vcpu_time_known = true;
	first.vcpu_time = (struct vcpu_time){300, 100};
	third.job_exit = -1;
	run_outcomes_put(&records, &third);
	run_outcomes_put(&records, &third);
	run_outcomes_put(&records, &first);
	json_object_begin(&json, NULL);
	run_outcomes_write(&records, false, &json);
	json_object_end(&json);
	assert_int_equal(json_parse(text.data, text.length, "x", &value, NULL), STATUS_OK);
	run_outcomes_read(&read, json_member(value, "boots"));
	assert_int_equal(read.count, 2);
	assert_int_equal(read.items[0].run, 1);
	assert_int_equal(run_outcomes_find(&read, 3)->job_exit, -1);
	assert_string_equal(run_outcomes_find(&read, 3)->error, "it panicked");
	assert_null(run_outcomes_find(&read, 2));
	run_outcomes_sum(&read, &sum);
	assert_string_equal(sum.end, "panicked");
	assert_string_equal(sum.started_at, "2026-01-01");
	assert_int_equal(sum.traces, 3);
	assert_true(sum.vcpu_time_known && sum.vcpu_time.wait_ns == 100);
	json_free(value);
	buffer_free(&text);
	run_outcomes_free(&records);
	run_outcomes_free(&read);
}

TEST(damaged_boots_are_left_out)
{
	static const char text[] =
	    "{\"boots\": [7, null, {}, {\"run\": -1}, {\"run\": 4294967296}, {\"run\": 5, \"end\": 3,"
	    "\"traces\": \"x\", \"job_exit\": 1e99}, {\"run\": 5, \"traces\": 2}]}";
	struct run_outcomes read = {0};
	struct json_value *value;

	assert_int_equal(json_parse(text, strlen(text), "x", &value, NULL), STATUS_OK);
	run_outcomes_read(&read, json_member(value, "boots"));
	assert_int_equal(read.count, 1);
	assert_int_equal(read.items[0].traces, 2);
	run_outcomes_read(&read, NULL);
	json_free(value);
	run_outcomes_free(&read);
}
