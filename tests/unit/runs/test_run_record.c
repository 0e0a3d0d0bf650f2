/* SPDX-License-Identifier: MIT
 *
 * The records of boots, and what vm.json wants. */
#include <math.h>

#include "runs/recorded_set.h"
#include "support/unit.h"

static struct run_outcome record_of(uint32_t run, const char *end, const char *error, uint64_t traces)
{
	struct run_outcome record = {.run = run, .traces = traces, .boot_s = 1.5, .total_s = 2, .virtual_s = 0.25};

	snprintf(record.end, sizeof(record.end), "%s", end);
	snprintf(record.error, sizeof(record.error), "%s", error);
	snprintf(record.started_at, sizeof(record.started_at), "2026-01-0%u", run);
	return record;
}

/* Writes it and reads it again. */
static bool pass_on(const struct run_outcome *outcome, struct run_record *read)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct json_value *value;

	json_object_begin(&json, NULL);
	json_u64(&json, "run", outcome->run);
	json_text(&json, "identity", "abc");
	run_outcome_write(outcome, false, &json);
	json_array_begin(&json, "files");
	json_array_end(&json);
	json_object_end(&json);
	assert_int_equal(json_parse(text.data, text.length, "x", &value, NULL), STATUS_OK);
	const bool is_read = run_record_read(value, outcome->run, read);
	assert_false(run_record_read(value, outcome->run + 1, &(struct run_record){0}));
	json_free(value);
	buffer_free(&text);
	return is_read;
}

TEST(boots_are_written_and_read)
{
	struct run_outcome third = record_of(3, "panicked", "it panicked", 1), first = record_of(1, "done", "", 2);
	struct run_outcomes outcomes = {0};
	struct run_record read;
	struct run_outcome sum;

	first.vcpu_time_known = true;
	first.vcpu_run_ns = 300;
	first.vcpu_wait_ns = 100;
	third.job_exit = -1;
	for (int i = 0; i < 3; i++) {
		assert_true(pass_on(i < 2 ? &third : &first, &read));
		run_outcomes_put(&outcomes, &read.outcome);
		run_record_free(&read);
	}
	assert_int_equal(outcomes.count, 2);
	assert_int_equal(outcomes.items[0].run, 1);
	assert_true(outcomes.items[0].host_wait_share == 0.25);
	assert_int_equal(run_outcomes_find(&outcomes, 3)->job_exit, -1);
	assert_string_equal(run_outcomes_find(&outcomes, 3)->error, "it panicked");
	assert_null(run_outcomes_find(&outcomes, 2));
	run_outcomes_sum(&outcomes, &sum);
	assert_string_equal(sum.end, "panicked");
	assert_string_equal(sum.started_at, "2026-01-01");
	assert_int_equal(sum.traces, 3);
	assert_true(sum.vcpu_time_known && sum.vcpu_wait_ns == 100);
	assert_true(run_outcome_wait_share(&sum) == 0.25);
	assert_true(isnan(run_outcome_wait_share(&third)));
	run_outcomes_free(&outcomes);
}

TEST(damaged_records_are_none)
{
	static const char *const bad[] = {
	    "7",
	    "{}",
	    "{\"run\": -1}",
	    "{\"run\": 5, \"files\": []}",
	    "{\"run\": 5, \"identity\": \"a\"}",
	    "{\"run\": 5, \"identity\": \"a\", \"files\": [{\"name\": \"../a\", \"bytes\": 1}]}",
	    "{\"run\": 4294967301, \"identity\": \"a\", \"files\": []}"};
	struct run_record record;
	struct json_value *value;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(json_parse(bad[i], strlen(bad[i]), "x", &value, NULL), STATUS_OK);
		if (run_record_read(value, 5, &record))
			fail_msg("took %s", bad[i]);
		run_record_free(&record);
		json_free(value);
	}
}

TEST(wanted_runs_are_listed_once)
{
	static const char text[] = "{\"deterministic\": {\"identity\": \"abc\"}, \"runs\": [3, 1]}";
	static const uint32_t more[] = {1, 7, 3, 2};
	struct recorded_set set;
	struct json_value *value;

	assert_int_equal(json_parse(text, strlen(text), "x", &value, NULL), STATUS_OK);
	recorded_set_parse(value, &set);
	assert_string_equal(set.identity, "abc");
	assert_true(set.has_runs);
	recorded_set_add_runs(&set, more, 4);
	assert_int_equal(set.run_count, 4);
	assert_memory_equal(set.runs, ((uint32_t[]){3, 1, 7, 2}), 4 * sizeof(*set.runs));
	recorded_set_free(&set);
	assert_int_equal(json_parse("{\"runs\": [-1]}", 14, "x", &value, NULL), STATUS_OK);
	recorded_set_parse(value, &set);
	assert_false(set.has_runs);
	recorded_set_free(&set);
}
