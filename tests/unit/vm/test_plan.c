/* SPDX-License-Identifier: MIT
 *
 * A directory of cells: claims, records, vm.json made from them, plans, and what check finds. */
#include "support/unit.h"
#include "vm/plan/plan.h"
#include "vm/plan/plan_check.h"
#include "vm/plan/run_claims.h"
#include "vm/plan/run_record.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "support/own_directory.h"

#define IDENTITY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void put(const char *path, const char *text)
{
	assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

/* The files and the record of a run in the set in the working directory. */
static void make_cell(uint32_t run, const char *identity, const char *end)
{
	struct run_outcome boot = {.run = run, .traces = 1, .boot_s = 1, .total_s = run, .virtual_s = 0.5};
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	char path[64];

	snprintf(boot.end, sizeof(boot.end), "%s", end);
	snprintf(boot.started_at, sizeof(boot.started_at), "2026-01-01T00:00:%02uZ", 59 - run);
	snprintf(path, sizeof(path), "raw/a_run%u.dat", run);
	put(path, "trace");
	snprintf(path, sizeof(path), "raw/a_run%u.json", run);
	put(path, "{}");
	json_object_begin(&json, NULL);
	json_object_begin(&json, "kernel");
	json_text(&json, "release", "6.12");
	json_real(&json, "exact", 0.125, 3);
	json_object_end(&json);
	json_object_begin(&json, "deterministic");
	json_text(&json, "identity", identity);
	json_array_begin(&json, "seeds");
	json_u64(&json, NULL, run);
	json_array_end(&json);
	json_object_end(&json);
	run_outcome_write(&boot, true, &json);
	run_outcomes_write(&(struct run_outcomes){&boot, 1}, true, &json);
	json_text(&json, "picknext_version", "x");
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
	assert_int_equal(file_make_directories(CELLS_DIRECTORY, NULL), STATUS_OK);
}

TEST_WITH(a_cell_is_whole_with_all_its_files, own_directory_enter, own_directory_leave)
{
	struct run_record record;

	enter_set("base");
	put("raw/b_run21.dat", "x");
	make_cell(2, IDENTITY, "done");
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
	make_cell(2, IDENTITY, "interrupted");
	assert_true(run_record_load(".", 2, &record));
	assert_false(run_record_is_whole(&record, "raw"));
	run_record_free(&record);

	assert_false(run_record_load(".", 3, &record));
	run_record_free(&record);
	put(CELLS_DIRECTORY "/run3.json", "{\"boots\": [{\"run\": 2}]}");
	assert_false(run_record_load(".", 3, &record));
	run_record_free(&record);
	run_files_remove("raw", 2);
	assert_int_not_equal(access("raw/a_run2.json", F_OK), 0);
	assert_int_equal(access("raw/b_run21.dat", F_OK), 0);
}

TEST_WITH(vm_json_does_not_depend_on_the_order, own_directory_enter, own_directory_leave)
{
	static const uint32_t orders[][3] = {{1, 2, 10}, {10, 2, 1}};
	struct buffer texts[2] = {0};
	struct json_value *json;
	bool changed;

	enter_set("base");
	assert_int_equal(set_record_make(".", &texts[0], NULL), STATUS_OK);
	assert_int_equal(texts[0].length, 0);
	for (size_t order = 0; order < 2; order++) {
		for (size_t i = 0; i < 3; i++) {
			make_cell(orders[order][i], IDENTITY, "done");
			assert_int_equal(set_record_write(".", &changed, NULL), STATUS_OK);
		}
		assert_int_equal(set_record_make(".", &texts[order], NULL), STATUS_OK);
	}
	assert_string_equal(texts[0].data, texts[1].data);
	assert_int_equal(set_record_write(".", &changed, NULL), STATUS_OK);
	assert_false(changed);
	assert_int_equal(json_read_file("vm.json", &json, NULL), STATUS_OK);
	assert_string_equal(json_member_text(json_member(json, "kernel"), "release", ""), "6.12");
	assert_string_equal(json_member(json_member(json, "kernel"), "exact")->text, "0.125");
	assert_int_equal(json_member(json, "traces")->number, 3);
	assert_int_equal(json_member(json, "total_seconds")->number, 13);
	assert_string_equal(json_member_text(json, "started_at", ""), "2026-01-01T00:00:49Z");
	assert_string_equal(json_member_text(json, "picknext_version", ""), "x");
	assert_null(json_member(json, "files"));
	const struct json_value *seeds = json_member(json_member(json, "deterministic"), "seeds");
	assert_int_equal(seeds->child->next->next->number, 10);
	json_free(json);
	buffer_free(&texts[0]);
	buffer_free(&texts[1]);
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

static struct plan_set *add_set(struct plan *plan, const char *name, const uint32_t *runs, size_t count)
{
	struct plan_set *set = plan_add(plan, name, IDENTITY, true);

	plan_set_add_runs(set, runs, count);
	arguments_add(&set->recipe.words, "vm");
	arguments_add(&set->recipe.words, "--kernel=a b");
	arguments_add(&set->recipe.words, "--");
	arguments_add(&set->recipe.words, "sh");
	return set;
}

static void add_command(const struct plan *plan, uint32_t run, struct buffer *text)
{
	const struct cell cell = {.run = run, .id = "00ff"};

	buffer_clear(text);
	plan_command_write(plan, &cell, text);
}

/* No command takes more than SEED_LIST_MAX seeds. */
TEST(a_long_plan_has_commands_for_one_run)
{
	enum { RUNS = 40000 };
	uint32_t *runs = xcalloc(RUNS, sizeof(*runs));
	struct plan plan = {.directory = "out"};
	struct buffer text = {0};

	for (uint32_t i = 0; i < RUNS; i++)
		runs[i] = 2 * (i + 1);
	struct plan_set *set = add_set(&plan, "base", runs, RUNS);
	plan_set_add_runs(set, runs, RUNS);
	assert_int_equal(set->run_count, RUNS);
	add_command(&plan, 62, &text);
	assert_non_null(strstr(text.data, " --seeds=62 --cells=00ff"));
	plan.sets[0].deterministic = false;
	add_command(&plan, 62, &text);
	assert_non_null(strstr(text.data, " --runs=63 --cells=00ff"));
	buffer_free(&text);
	plan_free(&plan);
	free(runs);
}

TEST_WITH(a_plan_grows_at_its_end, own_directory_enter, own_directory_leave)
{
	static const uint32_t first[] = {1, 2, 3}, then[] = {2, 7};
	struct plan plan = {0}, kept = {0};
	struct buffer text = {0};
	struct error err;

	assert_int_equal(plan_set_keep(".", add_set(&plan, "base", first, 3), NULL), STATUS_OK);
	assert_int_equal(plan_set_keep(".", add_set(&plan, "base", then, 2), NULL), STATUS_OK);
	assert_int_equal(plan_load_set("plan.json", &kept, NULL), STATUS_OK);
	assert_int_equal(kept.sets[0].run_count, 4);
	assert_int_equal(kept.sets[0].runs[3], 7);
	kept.directory = "out dir";
	add_command(&kept, 7, &text);
	assert_string_equal(strstr(text.data, " vm "),
			    " vm '--kernel=a b' '--output-dir=out dir' --seeds=1-3,7 --cells=00ff -- sh");
	plan_free(&kept);
	/* With other inputs it is another plan. */
	memset(plan.sets[1].identity, 'f', 64);
	assert_int_equal(plan_set_keep(".", &plan.sets[1], NULL), STATUS_OK);
	assert_int_equal(plan_load_set("plan.json", &kept, NULL), STATUS_OK);
	assert_int_equal(kept.sets[0].run_count, 2);
	plan_free(&kept);
	/* One on wall-clock time, whose runs are numbered. */
	plan.directory = "out";
	plan.sets[0].deterministic = false;
	buffer_clear(&text);
	add_command(&plan, 2, &text);
	assert_non_null(strstr(text.data, " --runs=4 --cells=00ff"));
	buffer_free(&text);
	plan_free(&plan);
	for (size_t i = 0; i < 3; i++) {
		static const char *const bad[] = {"{}", "[]",
						  "{\"plan\": \"x\", \"identity\": \"" IDENTITY
						  "\", \"deterministic\": true, \"recipe\": [1]}"};
		put("bad.json", bad[i]);
		assert_int_equal(plan_load_set("bad.json", &kept, &err), STATUS_CORRUPT);
		plan_free(&kept);
	}
	put("old.json", "{\"plan\": \"x\", \"identity\": \"" IDENTITY "\", \"deterministic\": true, \"runs\": [1]}");
	assert_int_equal(plan_load_set("old.json", &kept, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.remedy, "--force"));
	plan_free(&kept);
}

TEST_WITH(the_list_and_its_parts, own_directory_enter, own_directory_leave)
{
	static const uint32_t runs[] = {1, 2, 3}, more[] = {4};
	struct plan plan = {.directory = "out"};
	struct buffer all = {0}, part = {0}, longer = {0};
	const struct cell_choice every = {0};

	add_set(&plan, "base", runs, 3);
	add_set(&plan, "head", runs, 3);
	plan_write_text(&plan, &every, &all);
	assert_non_null(strstr(all.data, "  # base, seed 1\n"));
	for (uint64_t shard = 1; shard <= 2; shard++) {
		const struct cell_choice choice = {.shard = shard, .shards = 2};
		plan_write_text(&plan, &choice, &part);
	}
	assert_int_equal(part.length, all.length);
	/* Another seed for both is at the end; the commands name it, so only places are compared. */
	plan_set_add_runs(&plan.sets[0], more, 1);
	plan_set_add_runs(&plan.sets[1], more, 1);
	plan_write_json(&plan, &every, &longer);
	struct json_value *json;
	assert_int_equal(json_parse(longer.data, longer.length, "x", &json, NULL), STATUS_OK);
	const struct json_value *cell = json_member(json, "cells")->child;
	const char *line = all.data;
	for (size_t i = 0; i < 8; i++, cell = cell->next) {
		const char *id = i < 6 ? strstr(line, "--cells=") + 8 : NULL;
		if (id)
			assert_int_equal(strncmp(json_member_text(cell, "id", ""), id, CELL_ID_SIZE - 1), 0);
		else
			assert_int_equal(json_member(cell, "run")->number, 4);
		line = id ? id : line;
	}
	assert_null(cell);
	json_free(json);
	buffer_free(&all);
	buffer_free(&part);
	buffer_free(&longer);
	plan_free(&plan);
}

TEST_WITH(check_tells_missing_failed_and_contradicting_cells, own_directory_enter, own_directory_leave)
{
	static const uint32_t runs[] = {1, 2, 3, 4, 5, 6};
	static const enum cell_state expected[] = {CELL_WHOLE,       CELL_MISSING,     CELL_FAILED,
						   CELL_CONTRADICTS, CELL_CONTRADICTS, CELL_CONTRADICTS};
	static const char other[] = "fedcba98";
	struct plan plan = {0};
	struct plan_check check;

	enter_set("base");
	assert_int_equal(plan_set_keep(".", add_set(&plan, "base", runs, 6), NULL), STATUS_OK);
	plan_free(&plan);
	make_cell(1, IDENTITY, "done");
	make_cell(3, IDENTITY, "panicked");
	make_cell(4, other, "done");
	make_cell(5, IDENTITY, "done");
	put("raw/a_run5.dat", "tr");
	put(CELLS_DIRECTORY "/run6.json", "{");
	make_cell(9, IDENTITY, "done");
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(plan_load(".", &plan, NULL), STATUS_OK);
	assert_int_equal(plan.count, 1);
	assert_int_equal(plan_check_make(&plan, ".", false, &check, NULL), STATUS_OK);
	assert_int_equal(check.count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(check.cells[i].state, expected[i]);
	assert_string_equal(check.cells[2].text, "panicked");
	assert_non_null(strstr(check.cells[4].text, "a_run5.dat"));
	assert_int_equal(check.beyond, 1);
	plan_check_free(&check);
	assert_int_equal(unlink("base/raw/a_run5.dat"), 0);
	assert_int_equal(plan_check_make(&plan, ".", false, &check, NULL), STATUS_OK);
	assert_string_equal(check.cells[4].text, "raw/a_run5.dat is missing");
	plan_check_free(&check);
	/* The same length, other bytes. */
	put("base/raw/a_run1.dat", "tRace");
	assert_int_equal(plan_check_make(&plan, ".", false, &check, NULL), STATUS_OK);
	assert_int_equal(check.cells[0].state, CELL_WHOLE);
	plan_check_free(&check);
	assert_int_equal(plan_check_make(&plan, ".", true, &check, NULL), STATUS_OK);
	assert_int_equal(check.cells[0].state, CELL_CONTRADICTS);
	plan_check_free(&check);
	plan_free(&plan);
}
