/* SPDX-License-Identifier: MIT
 *
 * A directory in which several processes work: claims, records, and what check finds. */
#include "support/unit.h"
#include "vm/plan/plan_check.h"
#include "vm/plan/run_claims.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "runs/run_record.h"
#include "support/own_directory.h"

#define IDENTITY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void put(const char *path, const char *text)
{
	assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

/* The files and the record of a run in the set in the working directory. */
static void make_run(uint32_t run, const char *identity, const char *end)
{
	struct run_outcome boot = {.run = run, .traces = 1, .boot_s = 1, .total_s = run, .virtual_s = 0.5};
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	char path[64];

	snprintf(boot.end, sizeof(boot.end), "%s", end);
	snprintf(path, sizeof(path), "raw/a_run%u.dat", run);
	put(path, "trace");
	snprintf(path, sizeof(path), "raw/a_run%u.json", run);
	put(path, "{}");
	json_object_begin(&json, NULL);
	json_u64(&json, "run", run);
	json_text(&json, "identity", identity);
	run_outcome_write(&boot, true, &json);
	assert_int_equal(run_files_write("raw", &boot, &json, NULL), STATUS_OK);
	json_object_end(&json);
	assert_int_equal(run_record_path(".", run, path, sizeof(path), NULL), STATUS_OK);
	put(path, text.data);
	buffer_free(&text);
}

static void enter_set(const char *name)
{
	assert_int_equal(file_make_directories(name, NULL), STATUS_OK);
	assert_int_equal(chdir(name), 0);
	assert_int_equal(file_make_directories("raw", NULL), STATUS_OK);
	assert_int_equal(file_make_directories(BOOTS_DIRECTORY, NULL), STATUS_OK);
}

TEST_WITH(a_run_is_whole_with_all_its_files, own_directory_enter, own_directory_leave)
{
	struct run_record record;

	enter_set("base");
	put("raw/b_run21.dat", "x");
	make_run(2, IDENTITY, "done");
	assert_true(run_record_load(".", 2, &record));
	assert_int_equal(record.file_count, 2);
	assert_string_equal(record.files[0].name, "a_run2.dat");
	assert_int_equal(record.files[0].bytes, 5);
	assert_string_equal(record.identity, IDENTITY);
	assert_true(run_record_is_whole(&record, "raw"));
	put("raw/a_run2.dat", "cut");
	assert_string_equal(run_record_missing(&record, "raw")->name, "a_run2.dat");
	unlink("raw/a_run2.dat");
	assert_false(run_record_is_whole(&record, "raw"));
	run_record_free(&record);
	make_run(2, IDENTITY, "interrupted");
	assert_true(run_record_load(".", 2, &record));
	assert_false(run_record_is_whole(&record, "raw"));
	run_record_free(&record);

	assert_false(run_record_load(".", 3, &record));
	run_record_free(&record);
	put(BOOTS_DIRECTORY "/run3.json", "{\"run\": 2}");
	assert_false(run_record_load(".", 3, &record));
	run_record_free(&record);
	run_files_remove("raw", 2);
	assert_int_not_equal(access("raw/a_run2.json", F_OK), 0);
	assert_int_equal(access("raw/b_run21.dat", F_OK), 0);
}

/* Whether a process of its own gets the run. */
static enum claim claim_elsewhere(uint32_t run)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct run_claims claims;
		_exit(run_claims_open(&claims, ".", NULL) == STATUS_OK ? (int)run_claims_take(&claims, run) : 99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return (enum claim)WEXITSTATUS(status);
}

/* Locks are of an open file: two of one process are as two processes. */
TEST_WITH(only_the_same_inputs_work_in_a_set, own_directory_enter, own_directory_leave)
{
	struct run_claims one, again, other;

	assert_int_equal(run_claims_open(&one, ".", NULL), STATUS_OK);
	assert_int_equal(run_claims_open(&again, ".", NULL), STATUS_OK);
	assert_int_equal(run_claims_open(&other, ".", NULL), STATUS_OK);
	assert_int_equal(run_claims_join(&one, "same"), CLAIM_TAKEN);
	assert_int_equal(run_claims_join(&again, "same"), CLAIM_TAKEN);
	assert_int_equal(run_claims_join(&other, "same inputs"), CLAIM_OTHERS);
	run_claims_close(&one);
	assert_int_equal(run_claims_join(&other, "sam"), CLAIM_OTHERS);
	run_claims_close(&again);
	assert_int_equal(run_claims_join(&other, "sam"), CLAIM_TAKEN);
	run_claims_close(&other);
}

TEST_WITH(a_claim_keeps_others_away, own_directory_enter, own_directory_leave)
{
	struct run_claims claims;

	assert_int_equal(run_claims_open(&claims, ".", NULL), STATUS_OK);
	assert_int_equal(run_claims_take(&claims, 7), CLAIM_TAKEN);
	assert_int_equal(run_claims_take(&claims, 7), CLAIM_TAKEN);
	assert_int_equal(claim_elsewhere(7), CLAIM_OTHERS);
	assert_int_equal(claim_elsewhere(8), CLAIM_TAKEN);
	run_claims_lock_set(&claims);
	assert_int_equal(claim_elsewhere(UINT32_MAX), CLAIM_TAKEN);
	run_claims_unlock_set(&claims);
	run_claims_release(&claims, 7);
	assert_int_equal(claim_elsewhere(7), CLAIM_TAKEN);
	assert_int_equal(run_claims_take(&claims, 8), CLAIM_TAKEN);
	run_claims_close(&claims);
	assert_int_equal(claim_elsewhere(8), CLAIM_TAKEN);
	assert_int_equal(run_claims_open(&claims, "none", NULL), STATUS_SYSTEM);
}

#define WANTED                                                                                                         \
	"{\"deterministic\": {\"identity\": \"" IDENTITY "\"}, \"recipe\": [\"vm\"], \"runs\": [1, 2, 3, 4, 5, 6]}"

TEST_WITH(check_tells_missing_failed_and_contradicting_runs, own_directory_enter, own_directory_leave)
{
	static const enum run_state expected[] = {RUN_WHOLE,       RUN_MISSING,     RUN_FAILED,
						  RUN_CONTRADICTS, RUN_CONTRADICTS, RUN_CONTRADICTS};
	struct plan_check check;
	struct error err;

	enter_set("base");
	put("vm.json", WANTED);
	make_run(1, IDENTITY, "done");
	make_run(3, IDENTITY, "panicked");
	make_run(4, "fedcba98", "done");
	make_run(5, IDENTITY, "done");
	put("raw/a_run5.dat", "tr");
	put(BOOTS_DIRECTORY "/run6.json", "{");
	make_run(9, IDENTITY, "done");
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(plan_check_make(".", PLAN_CHECK_KERNELS, &check, NULL), STATUS_OK);
	assert_true(check.is_of_sets);
	assert_int_equal(check.count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(check.runs[i].state, expected[i]);
	assert_string_equal(check.runs[2].text, "panicked");
	assert_non_null(strstr(check.runs[4].text, "a_run5.dat"));
	assert_int_equal(check.beyond, 1);
	assert_int_equal(plan_check_complete(&check, ".", false, &err), STATUS_LOST);
	assert_non_null(strstr(err.what, "2 of 6"));
	assert_int_equal(plan_check_agrees(&check, ".", &err), STATUS_LOST);
	assert_non_null(strstr(err.what, "run 4"));
	plan_check_free(&check);
	assert_int_equal(unlink("base/raw/a_run5.dat"), 0);
	/* The set, and its raw. */
	assert_int_equal(plan_check_make("base", PLAN_CHECK_KERNELS, &check, NULL), STATUS_OK);
	assert_false(check.is_of_sets);
	assert_string_equal(check.runs[4].text, "raw/a_run5.dat is missing");
	assert_string_equal(check.runs[4].set, "base");
	plan_check_free(&check);
	/* The same length, other bytes. */
	put("base/raw/a_run1.dat", "tRace");
	assert_int_equal(plan_check_make("base/raw", PLAN_CHECK_KERNELS, &check, NULL), STATUS_OK);
	assert_int_equal(check.runs[0].state, RUN_WHOLE);
	plan_check_free(&check);
	assert_int_equal(plan_check_make("base/raw", PLAN_CHECK_CONTENTS, &check, NULL), STATUS_OK);
	assert_int_equal(check.runs[0].state, RUN_CONTRADICTS);
	plan_check_free(&check);
}

TEST_WITH(nothing_is_wanted_elsewhere, own_directory_enter, own_directory_leave)
{
	struct plan_check check;

	assert_int_equal(plan_check_make("none", PLAN_CHECK_KERNELS, &check, NULL), STATUS_OK);
	assert_int_equal(plan_check_make(".", PLAN_CHECK_KERNELS, &check, NULL), STATUS_OK);
	enter_set("base");
	put("vm.json", "{\"label\": \"of an earlier version\"}");
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(plan_check_make(".", PLAN_CHECK_KERNELS, &check, NULL), STATUS_OK);
	assert_int_equal(check.count, 0);
	assert_false(check.is_of_sets);
	put("base/vm.json", "{");
	assert_int_equal(plan_check_make(".", PLAN_CHECK_KERNELS, &check, NULL), STATUS_CORRUPT);
	plan_check_free(&check);
}
