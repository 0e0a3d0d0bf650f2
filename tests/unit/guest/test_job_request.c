/* SPDX-License-Identifier: MIT
 *
 * The words of a job: what the host selects, the guest parses. */
#include "cmd/vm/vm_options.h"
#include "guest/job_request.h"
#include "support/unit.h"

static const struct option *find(const char *name)
{
	for (const struct option *option = job_command.options; option->name; option++)
		if (strcmp(option->name, name) == 0)
			return option;
	return NULL;
}

TEST(test_guest_knows_options_without_scope)
{
	for (const struct option *option = vm_option_rows; option->name; option++) {
		if (option_is_title(option) || option->scope)
			continue;
		const struct option *known = find(option->name);
		assert_non_null(known);
		assert_int_equal(known->kind, option->kind);
	}
}

TEST(test_words_become_request)
{
	static struct job_values values;
	static const char *const words[] = {"vm", "--no-trace", "--scale=small:2", "--", "true", "--runs=7", NULL};
	const struct collection_request *request = &values.options.collection;
	struct error err = {0};

	assert_int_equal(job_request_parse(&(struct job){.words = words}, &values, &err), STATUS_OK);
	assert_int_equal(request->runs, 1);
	assert_int_equal(request->workload_count, 1);
	assert_string_equal(request->workloads[0]->command[1], "--runs=7");
	assert_true(request->untraced);
	assert_true(request->small == 2 && request->scale == 1);
	assert_string_equal(request->capture.clock, "mono");
	arguments_free(&values.recipe.words);
}

static bool wants_keys(const char *identity)
{
	static const char *const words[] = {"vm", "--keys=if-possible", "--workload=cpu_bound_4p", NULL};
	static struct job_values values;
	const struct job job = {.words = words, .identity = identity};
	struct error err = {0};

	values = (struct job_values){.options.no_trace = false};
	assert_int_equal(job_request_parse(&job, &values, &err), STATUS_OK);
	arguments_free(&values.recipe.words);
	return keys_are_wanted(values.options.collection.keys);
}

TEST(test_deterministic_guest_has_keys)
{
	assert_true(wants_keys("0123"));
	assert_false(wants_keys(NULL));
}

TEST(test_scheduler_and_drain_come_from_job)
{
	struct collection_request request = {.size = "1", .names = "cpu_bound_4p"};
	struct job job = {.scheduler = "none"};

	assert_int_equal(job_request_fill(&request, &job, NULL), STATUS_OK);
	assert_int_equal(request.drain_ms, 0);
	job.isolated_by_affinity = true;
	assert_int_equal(job_request_fill(&request, &job, NULL), STATUS_OK);
	assert_int_equal(request.drain_ms, COLLECTION_DRAIN_MS);
}
