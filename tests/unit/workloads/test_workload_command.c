/* SPDX-License-Identifier: MIT
 *
 * Somebody else's program as a workload, run for real. */
#include "support/unit.h"
#include "unit/workloads/workload_support.h"
#include "workloads/runner/command.h"

static enum status run_command(char *const *arguments, struct workload_result *result, struct error *err)
{
	static struct workload workload;
	struct workload_request request = request_for("cpu_bound_4p", 1);

	workload_of_command(&workload, "label", "own", "what it is", arguments);
	request.workload = &workload;
	request.duration_s = 5;
	assert_float_equal(workload_effective_duration_s(&request), 0, 0);
	return run_whole(&request, result, err);
}

TEST(its_end_is_told)
{
	char *const good[] = {(char *)"sh", (char *)"-c", (char *)"sleep 0.02", NULL};
	char *const bad[] = {(char *)"sh", (char *)"-c", (char *)"exit 7", NULL};
	char *const killed[] = {(char *)"sh", (char *)"-c", (char *)"kill -KILL $$", NULL};
	struct workload_result result;

	assert_int_equal(run_command(good, &result, NULL), STATUS_OK);
	assert_int_equal(result.command_code, 0);
	assert_int_equal(result.tasks, 1);
	assert_int_equal(result.work_done, 1);
	assert_true(result.elapsed_s >= 0.02);
	assert_true(result.voluntary_switches > 0);
	assert_true(result.cpu_s > 0 && result.cpu_s < result.elapsed_s);
	assert_int_equal(run_command(bad, &result, NULL), STATUS_OK);
	assert_int_equal(result.command_code, 7);
	assert_int_equal(run_command(killed, &result, NULL), STATUS_OK);
	assert_int_equal(result.command_code, 137);
}

TEST(a_program_that_cannot_run_fails)
{
	char *const arguments[] = {(char *)"/no/such/program", NULL};
	struct workload_result result;
	struct error err = {0};

	assert_int_equal(run_command(arguments, &result, &err), STATUS_SYSTEM);
	assert_string_equal(err.where, "label");
	assert_non_null(strstr(err.what, "cannot run /no/such/program"));
	assert_null(strstr(err.what, "--scratch"));
}
