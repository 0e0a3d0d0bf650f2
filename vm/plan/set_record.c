/* SPDX-License-Identifier: MIT */
#include "vm/plan/set_record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/output_stream.h"
#include "vm/plan/run_record.h"

struct set_record {
	struct json_value *first; /* the record of the lowest run */
	struct run_outcomes boots;
};

static enum status read_cells(const char *directory, struct set_record *set, struct error *err)
{
	char path[PATH_MAX];
	uint32_t *runs;
	size_t count;
	enum status status = run_record_runs(directory, &runs, &count, err);

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		struct json_value *json = NULL;
		struct run_record record = {0};
		status = run_record_path(directory, runs[i], path, sizeof(path), err);
		if (status == STATUS_OK && json_read_file(path, &json, NULL) == STATUS_OK &&
		    run_record_read(json, runs[i], &record)) {
			run_outcomes_put(&set->boots, &record.outcome);
			if (!set->first) {
				set->first = json;
				json = NULL;
			}
		}
		run_record_free(&record);
		json_free(json);
	}
	free(runs);
	return status;
}

static void write_seeds(const struct run_outcomes *boots, struct json_writer *json)
{
	json_array_begin(json, "seeds");
	for (size_t i = 0; i < boots->count; i++)
		if (boots->items[i].traces)
			json_u64(json, NULL, boots->items[i].run);
	json_array_end(json);
}

static void write_deterministic(const struct set_record *set, const struct json_value *object, struct json_writer *json)
{
	json_object_begin(json, object->key);
	for (const struct json_value *item = object->child; item; item = item->next) {
		if (strcmp(item->key, "seeds") == 0)
			write_seeds(&set->boots, json);
		else
			json_copy(json, item->key, item);
	}
	json_object_end(json);
}

static void write_boots(const struct set_record *set, struct json_writer *json)
{
	const bool deterministic = json_member(set->first, "deterministic") != NULL;
	struct run_outcome sum;

	run_outcomes_sum(&set->boots, &sum);
	run_outcome_write(&sum, deterministic, json);
	run_outcomes_write(&set->boots, deterministic, json);
}

static void write_set(const struct set_record *set, struct buffer *text)
{
	struct json_writer json = {.out = text};

	json_object_begin(&json, NULL);
	for (const struct json_value *item = set->first->child; item; item = item->next) {
		if (strcmp(item->key, "boots") == 0)
			write_boots(set, &json);
		else if (strcmp(item->key, "deterministic") == 0 && item->kind == JSON_OBJECT)
			write_deterministic(set, item, &json);
		else if (strcmp(item->key, "files") != 0 && !run_outcome_has_member(item->key))
			json_copy(&json, item->key, item);
	}
	json_object_end(&json);
}

enum status set_record_make(const char *directory, struct buffer *text, struct error *err)
{
	struct set_record set = {0};
	enum status status = read_cells(directory, &set, err);

	if (status == STATUS_OK && set.first)
		write_set(&set, text);
	json_free(set.first);
	run_outcomes_free(&set.boots);
	return status;
}

static bool is_there(const char *path, const struct buffer *text)
{
	struct buffer now = {0};
	struct stat info;
	bool same = lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
		    file_read(path, JSON_FILE_MAX, &now, NULL) == STATUS_OK && now.length == text->length &&
		    memcmp(now.data, text->data, now.length) == 0;

	buffer_free(&now);
	return same;
}

enum status set_record_write(const char *directory, bool *changed, struct error *err)
{
	struct buffer text = {0};
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, "vm.json", err);

	if (status == STATUS_OK)
		status = set_record_make(directory, &text, err);
	bool writes = status == STATUS_OK && text.length && !is_there(path, &text);
	if (writes)
		status = output_replace_record(path, text.data, text.length, err);
	if (changed)
		*changed = writes && status == STATUS_OK;
	buffer_free(&text);
	return status;
}
