/* SPDX-License-Identifier: MIT */
#include "vm/plan/plan_check.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "runs/recorded_set.h"
#include "runs/run_list.h"

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

static void judge(const struct recorded_set *set, const char *raw, const struct run_record *record,
		  enum plan_check_depth depth, struct checked_run *run)
{
	const struct run_outcome *boot = &record->outcome;

	if (strcmp(record->identity, set->identity) != 0) {
		run->state = RUN_CONTRADICTS;
		snprintf(run->text, sizeof(run->text), "has other inputs than vm.json");
		return;
	}
	if (!run_outcome_is_good(boot)) {
		run->state = RUN_FAILED;
		snprintf(run->text, sizeof(run->text), "%.500s", boot->error[0] ? boot->error : boot->end);
		return;
	}
	const struct run_file *wrong = run_record_missing(record, raw);
	if (!wrong && depth == PLAN_CHECK_CONTENTS)
		wrong = find_changed(record, raw);
	run->state = wrong ? RUN_CONTRADICTS : RUN_WHOLE;
	if (wrong)
		snprintf(run->text, sizeof(run->text), "raw/%s is %s", wrong->name,
			 run_file_exists(wrong, raw) ? "not the file that was recorded" : "missing");
}

static void check_run(const struct recorded_set *set, const char *directory, const char *raw,
		      enum plan_check_depth depth, struct checked_run *run)
{
	struct run_record record;
	char path[PATH_MAX];

	if (run_record_load(directory, run->run, &record)) {
		judge(set, raw, &record, depth, run);
	} else if (run_record_path(directory, run->run, path, sizeof(path), NULL) == STATUS_OK &&
		   file_same(path, path)) {
		run->state = RUN_CONTRADICTS;
		snprintf(run->text, sizeof(run->text), BOOTS_DIRECTORY "/run%u.json is damaged", run->run);
	} else {
		run->state = RUN_MISSING;
	}
	run_record_free(&record);
}

/* Runs with a record. */
static enum status count_records(const char *directory, size_t *count, struct error *err)
{
	uint32_t *runs;
	enum status status = run_record_runs(directory, &runs, count, err);

	free(runs);
	return status;
}

static enum status check_runs(const struct recorded_set *set, const char *directory, const char *name,
			      enum plan_check_depth depth, struct plan_check *check, struct error *err)
{
	char raw[PATH_MAX];
	size_t records;
	enum status status = file_join(raw, sizeof(raw), directory, "raw", err);

	if (status == STATUS_OK)
		status = count_records(directory, &records, err);
	if (status != STATUS_OK)
		return status;
	check->runs = xreallocarray(check->runs, check->count + set->run_count + 1, sizeof(*check->runs));
	for (size_t i = 0; i < set->run_count; i++) {
		struct checked_run *run = &check->runs[check->count++];
		*run = (struct checked_run){.run = set->runs[i]};
		snprintf(run->set, sizeof(run->set), "%s", name);
		check_run(set, directory, raw, depth, run);
		check->states[run->state]++;
		records -= records && run->state != RUN_MISSING;
	}
	check->beyond += records;
	return STATUS_OK;
}

static void check_kernels(const struct run_list *list, const char *name, struct plan_check *check)
{
	char text[sizeof(check->runs->text)];
	const struct run *run = NULL;

	while ((run = run_list_other_kernel(list, run, text, sizeof(text)))) {
		check->runs = xreallocarray(check->runs, check->count + 1, sizeof(*check->runs));
		struct checked_run *added = &check->runs[check->count++];
		*added = (struct checked_run){.run = (uint32_t)run->number, .state = RUN_CONTRADICTS};
		snprintf(added->set, sizeof(added->set), "%s", name);
		memcpy(added->text, text, sizeof(text));
		check->states[RUN_CONTRADICTS]++;
	}
}

static enum status check_traces(const char *directory, const char *name, struct plan_check *check, struct error *err)
{
	char raw[PATH_MAX];
	struct run_list list = {0};
	enum status status = run_directory_of(directory, raw, err);

	if (status == STATUS_OK && run_directory_has_traces(raw)) {
		status = run_list_find(raw, NULL, &list, err);
		if (status == STATUS_OK)
			status = run_list_read_metadata(&list, err);
		if (status == STATUS_OK)
			check_kernels(&list, name, check);
		run_list_free(&list);
	}
	return status;
}

/* *is_set: vm.json wants runs. */
static enum status check_set(const char *directory, const char *name, enum plan_check_depth depth,
			     struct plan_check *check, bool *is_set, struct error *err)
{
	struct recorded_set set;
	enum status status = recorded_set_read(directory, &set, err);

	*is_set = status == STATUS_OK && set.has_runs && set.run_count;
	if (*is_set)
		status = check_runs(&set, directory, name, depth, check, err);
	recorded_set_free(&set);
	return status == STATUS_OK && depth != PLAN_CHECK_RECORDS ? check_traces(directory, name, check, err) : status;
}

/* The sets in the directory, by name. */
static enum status check_sets(const char *directory, enum plan_check_depth depth, struct plan_check *check,
			      struct error *err)
{
	struct dirent **list = NULL;
	char path[PATH_MAX];
	enum status status = STATUS_OK;
	int count = scandir(directory, &list, NULL, versionsort);

	for (int i = 0; i < count; i++) {
		const char *name = list[i]->d_name;
		bool is_set = false;
		if (status == STATUS_OK && name[0] != '.' &&
		    file_join(path, sizeof(path), directory, name, NULL) == STATUS_OK && file_is_directory(path))
			status = check_set(path, name, depth, check, &is_set, err);
		check->is_of_sets |= is_set;
		free(list[i]);
	}
	free(list);
	return status;
}

enum status plan_check_make(const char *directory, enum plan_check_depth depth, struct plan_check *check,
			    struct error *err)
{
	char path[PATH_MAX];
	bool is_set;

	*check = (struct plan_check){0};
	if (!file_is_directory(directory))
		return STATUS_OK;
	enum status status = check_sets(directory, depth, check, err);
	if (status != STATUS_OK || check->is_of_sets || !realpath(directory, path))
		return status;
	/* DIR/SET/raw stands for DIR/SET. */
	char *name = strrchr(path, '/');
	if (strcmp(name, "/raw") == 0)
		*name = '\0';
	name = strrchr(path, '/');
	return name ? check_set(path, name + 1, depth, check, &is_set, err) : STATUS_OK;
}

void plan_check_free(struct plan_check *check)
{
	free(check->runs);
	*check = (struct plan_check){0};
}

enum status plan_check_complete(const struct plan_check *check, const char *directory, bool allow, struct error *err)
{
	const size_t missing = check->states[RUN_MISSING] + check->states[RUN_FAILED];

	if (missing == 0)
		return STATUS_OK;
	if (allow) {
		message_warning("%s: %zu of %zu runs are missing", directory, missing, check->count);
		return STATUS_OK;
	}
	error_set(err, STATUS_LOST, directory, "%zu of %zu runs are missing", missing, check->count);
	return error_remedy(err, "picknext check %.300s lists them; --allow incomplete uses the others", directory);
}

enum status plan_check_agrees(const struct plan_check *check, const char *directory, struct error *err)
{
	const struct checked_run *first = check->runs;

	if (check->states[RUN_CONTRADICTS] == 0)
		return STATUS_OK;
	while (first->state != RUN_CONTRADICTS)
		first++;
	return error_set(err, STATUS_LOST, directory, "runs that contradict their set: %zu; run %u %s",
			 check->states[RUN_CONTRADICTS], first->run, first->text);
}
