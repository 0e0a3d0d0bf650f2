/* SPDX-License-Identifier: MIT
 *
 * DIR/SET/plan.json: written whole, read with care. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output_stream.h"
#include "vm/plan/plan.h"

static void write_set(const struct plan_set *set, struct buffer *text)
{
	struct json_writer json = {.out = text};

	json_object_begin(&json, NULL);
	json_text(&json, "plan", set->name);
	json_text(&json, "identity", set->identity);
	json_bool(&json, "deterministic", set->deterministic);
	recipe_write(&set->recipe, &json);
	json_array_begin(&json, "runs");
	for (size_t i = 0; i < set->run_count; i++)
		json_u64(&json, NULL, set->runs[i]);
	json_array_end(&json);
	json_object_end(&json);
}

static bool read_runs(const struct json_value *array, struct plan_set *set)
{
	size_t count = 0;
	uint64_t run;

	if (!array || array->kind != JSON_ARRAY)
		return false;
	for (const struct json_value *item = array->child; item; item = item->next)
		count++;
	if (count > PLAN_RUNS_MAX)
		return false;
	set->runs = xcalloc(count + 1, sizeof(*set->runs));
	for (const struct json_value *item = array->child; item; item = item->next) {
		if (item->kind != JSON_NUMBER || !number_parse_u64(item->text, &run) || run > UINT32_MAX)
			return false;
		set->runs[set->run_count++] = (uint32_t)run;
	}
	return true;
}

enum status plan_read_set(const struct json_value *json, const char *where, struct plan *plan, struct error *err)
{
	const char *name = json_member_text(json, "plan", ""), *identity = json_member_text(json, "identity", "");
	const struct json_value *kind = json_member(json, "deterministic");
	bool is_plan = name[0] && strlen(identity) == SHA256_TEXT_SIZE - 1 && kind && kind->kind == JSON_BOOL;
	struct plan_set *set = is_plan ? plan_add(plan, name, identity, kind->number != 0) : NULL;
	if (set && !json_member(json, "recipe")) {
		error_set(err, STATUS_UNSUPPORTED, where, RECIPE_MISSING);
		return error_remedy(err, "the command of picknext vm that made it, with --force, makes it again");
	}
	if (set && recipe_read(json, &set->recipe) && read_runs(json_member(json, "runs"), set))
		return STATUS_OK;
	error_set(err, STATUS_CORRUPT, where, "is not a plan of picknext vm");
	return error_remedy(err, "the command that made it, given again, replaces it");
}

enum status plan_load_set(const char *path, struct plan *plan, struct error *err)
{
	struct json_value *json = NULL;
	enum status status = json_read_file(path, &json, err);

	if (status == STATUS_OK)
		status = plan_read_set(json, path, plan, err);
	json_free(json);
	return status;
}

/* The runs of an earlier command with the same inputs come first. */
static void merge(const char *path, const struct plan_set *set, struct plan *merged)
{
	struct plan before = {0};
	struct plan_set *now = plan_add(merged, set->name, set->identity, set->deterministic);

	recipe_copy(&set->recipe, &now->recipe);
	if (plan_load_set(path, &before, NULL) == STATUS_OK && strcmp(before.sets[0].identity, set->identity) == 0)
		plan_set_add_runs(now, before.sets[0].runs, before.sets[0].run_count);
	plan_set_add_runs(now, set->runs, set->run_count);
	plan_free(&before);
}

enum status plan_set_keep(const char *directory, const struct plan_set *set, struct error *err)
{
	struct plan merged = {0};
	struct buffer text = {0};
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, PLAN_NAME, err);

	if (status != STATUS_OK)
		return status;
	merge(path, set, &merged);
	write_set(&merged.sets[0], &text);
	status = output_replace_record(path, text.data, text.length, err);
	buffer_free(&text);
	plan_free(&merged);
	return status;
}

enum status plan_load(const char *directory, struct plan *plan, struct error *err)
{
	struct dirent **list = NULL;
	char set[PATH_MAX], path[PATH_MAX];
	struct error missing = {0};
	enum status status = STATUS_OK;
	int count = scandir(directory, &list, NULL, versionsort);

	*plan = (struct plan){.directory = directory};
	if (count < 0)
		return error_system(err, errno, directory, "cannot open");
	for (int i = 0; i < count; i++) {
		if (status == STATUS_OK && list[i]->d_name[0] != '.' &&
		    file_join(set, sizeof(set), directory, list[i]->d_name, NULL) == STATUS_OK &&
		    file_join(path, sizeof(path), set, PLAN_NAME, NULL) == STATUS_OK) {
			status = plan_load_set(path, plan, &missing);
			/* A set has the name of its directory, wherever that is now. */
			if (status == STATUS_OK)
				snprintf(plan->sets[plan->count - 1].name, sizeof(plan->sets[0].name), "%.79s",
					 list[i]->d_name);
			else if (missing.status == STATUS_SYSTEM &&
				 (missing.errnum == ENOENT || missing.errnum == ENOTDIR))
				status = STATUS_OK;
			else if (err)
				*err = missing;
		}
		free(list[i]);
	}
	free(list);
	return status;
}
