/* SPDX-License-Identifier: MIT */
#include "vm/plan/plan_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "vm/plan/plan.h"
#include "vm/plan/run_record.h"

static const struct run_file *find_changed(const struct run_record *record, const char *raw)
{
	char path[PATH_MAX], hash[SHA256_TEXT_SIZE];

	for (size_t i = 0; i < record->file_count; i++) {
		const struct run_file *file = &record->files[i];
		if (file_join(path, sizeof(path), raw, file->name, NULL) != STATUS_OK ||
		    sha256_file(path, hash, NULL) != STATUS_OK || strcmp(hash, file->sha256) != 0)
			return file;
	}
	return NULL;
}

static bool run_file_exists(const struct run_file *file, const char *raw)
{
	char path[PATH_MAX];

	return file_join(path, sizeof(path), raw, file->name, NULL) == STATUS_OK && file_same(path, path);
}

static void judge(const struct plan_set *set, const char *raw, const struct run_record *record, bool with_content,
		  struct checked_run *cell)
{
	const struct run_outcome *boot = &record->outcome;

	if (strcmp(record->identity, set->identity) != 0) {
		cell->state = CELL_CONTRADICTS;
		snprintf(cell->text, sizeof(cell->text), "has other inputs than the plan");
		return;
	}
	if (!run_outcome_is_good(boot)) {
		cell->state = CELL_FAILED;
		snprintf(cell->text, sizeof(cell->text), "%.500s", boot->error[0] ? boot->error : boot->end);
		return;
	}
	const struct run_file *wrong = run_record_missing(record, raw);
	if (!wrong && with_content)
		wrong = find_changed(record, raw);
	cell->state = wrong ? CELL_CONTRADICTS : CELL_WHOLE;
	if (wrong)
		snprintf(cell->text, sizeof(cell->text), "raw/%s is %s", wrong->name,
			 run_file_exists(wrong, raw) ? "not the file that was recorded" : "missing");
}

static void check_cell(const struct plan_set *set, const char *directory, const char *raw, bool with_content,
		       struct checked_run *cell)
{
	struct run_record record;
	char path[PATH_MAX];

	if (run_record_load(directory, cell->cell.run, &record)) {
		judge(set, raw, &record, with_content, cell);
	} else if (run_record_path(directory, cell->cell.run, path, sizeof(path), NULL) == STATUS_OK &&
		   file_same(path, path)) {
		cell->state = CELL_CONTRADICTS;
		snprintf(cell->text, sizeof(cell->text), CELLS_DIRECTORY "/run%u.json is damaged", cell->cell.run);
	} else {
		cell->state = CELL_MISSING;
	}
	run_record_free(&record);
}

static enum status count_beyond(const struct plan_set *set, const char *directory, struct plan_check *check,
				struct error *err)
{
	uint32_t *runs;
	size_t count;
	uint32_t *planned = plan_set_sort_runs(set);
	enum status status = run_record_runs(directory, &runs, &count, err);

	for (size_t i = 0; i < count; i++)
		check->beyond += !plan_has_run(planned, set->run_count, runs[i]);
	free(planned);
	free(runs);
	return status;
}

static void list_cells(const struct plan *plan, struct plan_check *check)
{
	struct cell *cells = plan_cells(plan, &check->count);

	check->cells = xcalloc(check->count + 1, sizeof(*check->cells));
	for (size_t i = 0; i < check->count; i++)
		check->cells[i].cell = cells[i];
	free(cells);
}

enum status plan_check_make(const struct plan *plan, const char *directory, bool with_content, struct plan_check *check,
			    struct error *err)
{
	char path[PATH_MAX], raw[PATH_MAX];

	*check = (struct plan_check){0};
	enum status status = STATUS_OK;

	list_cells(plan, check);
	for (size_t set = 0; set < plan->count && status == STATUS_OK; set++) {
		status = file_join(path, sizeof(path), directory, plan->sets[set].name, err);
		if (status == STATUS_OK)
			status = file_join(raw, sizeof(raw), path, "raw", err);
		if (status == STATUS_OK)
			status = count_beyond(&plan->sets[set], path, check, err);
		for (size_t i = 0; i < check->count && status == STATUS_OK; i++) {
			if (check->cells[i].cell.set != set)
				continue;
			check_cell(&plan->sets[set], path, raw, with_content, &check->cells[i]);
			check->states[check->cells[i].state]++;
		}
	}
	return status;
}

void plan_check_free(struct plan_check *check)
{
	free(check->cells);
	*check = (struct plan_check){0};
}

/* --- Whether a directory is complete --- */

/* The plans of the sets in the directory, or that of the set that it is: above is then what holds it. */
static enum status load_plan(const char *directory, struct plan *plan, char above[PATH_MAX], struct error *err)
{
	char path[PATH_MAX];
	enum status status = plan_load(directory, plan, err);

	snprintf(above, PATH_MAX, "%s", directory);
	if (status != STATUS_OK || plan->count || !realpath(directory, above))
		return status;
	char *name = strrchr(above, '/');
	status = file_join(path, sizeof(path), above, PLAN_NAME, err);
	/* The traces of a set are in its raw. */
	if (status == STATUS_OK && !file_same(path, path) && strcmp(name, "/raw") == 0) {
		*name = '\0';
		status = file_join(path, sizeof(path), above, PLAN_NAME, err);
	}
	if (status != STATUS_OK || !file_same(path, path))
		return status;
	status = plan_load_set(path, plan, err);
	/* Directories may have been renamed. */
	name = strrchr(above, '/');
	if (status != STATUS_OK || !name || name == above)
		return status;
	snprintf(plan->sets[0].name, sizeof(plan->sets[0].name), "%s", name + 1);
	*name = '\0';
	return STATUS_OK;
}

/* The cells of the plans of the directory; none, if it has no plan. Free both after errors too. */
static enum status check_plans(const char *directory, bool with_content, struct plan *plan, struct plan_check *check,
			       struct error *err)
{
	char above[PATH_MAX];

	*plan = (struct plan){0};
	*check = (struct plan_check){0};
	if (!file_is_directory(directory))
		return STATUS_OK;
	enum status status = load_plan(directory, plan, above, err);
	if (status == STATUS_OK && plan->count)
		status = plan_check_make(plan, above, with_content, check, err);
	return status;
}

enum status plan_check_complete(const char *directory, bool allow, struct error *err)
{
	struct plan plan;
	struct plan_check check;
	enum status status = check_plans(directory, false, &plan, &check, err);
	const size_t missing = check.states[CELL_MISSING] + check.states[CELL_FAILED];

	if (status == STATUS_OK && missing && allow) {
		message_warning("%s: %zu of %zu runs are missing", directory, missing, check.count);
	} else if (status == STATUS_OK && missing) {
		status = error_set(err, STATUS_LOST, directory, "%zu of %zu runs are missing", missing, check.count);
		error_remedy(err, "picknext check %.300s names them; --allow incomplete takes those that are there",
			     directory);
	}
	plan_check_free(&check);
	plan_free(&plan);
	return status;
}

enum status plan_check_agrees(const char *directory, bool with_content, struct error *err)
{
	struct plan plan;
	struct plan_check check;
	enum status status = check_plans(directory, with_content, &plan, &check, err);
	const struct checked_run *first = check.cells;

	if (status == STATUS_OK && check.states[CELL_CONTRADICTS]) {
		while (first->state != CELL_CONTRADICTS)
			first++;
		status =
		    error_set(err, STATUS_LOST, directory, "%zu of %zu runs contradict what was recorded: run %u %s",
			      check.states[CELL_CONTRADICTS], check.count, first->cell.run, first->text);
	}
	plan_check_free(&check);
	plan_free(&plan);
	return status;
}
