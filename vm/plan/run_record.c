/* SPDX-License-Identifier: MIT */
#include "vm/plan/run_record.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output_stream.h"

#define FILES_MAX 100000 /* of a record that is read */

/* --- Names --- */

enum status run_record_path(const char *directory, uint32_t run, char *path, size_t size, struct error *err)
{
	char name[64];

	snprintf(name, sizeof(name), CELLS_DIRECTORY "/run%u.json", run);
	return file_join(path, size, directory, name, err);
}

/* "run12.json" */
static bool parse_name(const char *name, uint32_t *run)
{
	size_t length = strlen(name);
	char digits[16];
	uint64_t number;

	if (length < 9 || length > 3 + 10 + 5 || strncmp(name, "run", 3) != 0 || !file_name_ends(name, ".json"))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)length - 8, name + 3);
	if (!number_parse_u64(digits, &number) || number > UINT32_MAX)
		return false;
	*run = (uint32_t)number;
	return true;
}

static int by_number(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

enum status run_record_runs(const char *directory, uint32_t **runs, size_t *count, struct error *err)
{
	char path[PATH_MAX];
	size_t capacity = 0;
	uint32_t run;

	*runs = NULL;
	*count = 0;
	enum status status = file_join(path, sizeof(path), directory, CELLS_DIRECTORY, err);
	DIR *list = status == STATUS_OK ? opendir(path) : NULL;
	if (!list)
		return status;
	for (struct dirent *entry; status == STATUS_OK && (entry = readdir(list));) {
		if (!parse_name(entry->d_name, &run))
			continue;
		*runs = array_grow(*runs, &capacity, *count + 1, sizeof(**runs));
		(*runs)[(*count)++] = run;
	}
	closedir(list);
	if (*count)
		qsort(*runs, *count, sizeof(**runs), by_number);
	return status;
}

/* --- Files in raw --- */

/* Whether name is NAME_runN.SUFFIX. */
static bool is_of_run(const char *name, uint32_t run)
{
	char mark[32];

	snprintf(mark, sizeof(mark), "_run%u.", run);
	return strstr(name, mark) != NULL;
}

static enum status write_file(const char *raw, const char *name, bool hashed, struct json_writer *json,
			      struct error *err)
{
	char path[PATH_MAX], hash[SHA256_TEXT_SIZE];
	struct stat info;
	enum status status = file_join(path, sizeof(path), raw, name, err);

	if (status == STATUS_OK && stat(path, &info) < 0)
		status = error_system(err, errno, path, "cannot read");
	if (status == STATUS_OK && hashed)
		status = sha256_file(path, hash, err);
	if (status != STATUS_OK)
		return status;
	json_object_begin(json, NULL);
	json_text(json, "name", name);
	json_u64(json, "bytes", (uint64_t)info.st_size);
	json_text(json, "sha256", hashed ? hash : NULL);
	json_object_end(json);
	return STATUS_OK;
}

enum status run_files_write(const char *raw, const struct run_outcome *boot, struct json_writer *json,
			    struct error *err)
{
	struct dirent **list = NULL;
	enum status status = STATUS_OK;
	int count = scandir(raw, &list, NULL, alphasort);

	if (count < 0)
		return error_system(err, errno, raw, "cannot list");
	json_array_begin(json, "files");
	for (int i = 0; i < count; i++) {
		const char *name = list[i]->d_name;
		if (status == STATUS_OK && is_of_run(name, boot->run) && !file_name_ends(name, ".incomplete"))
			status = write_file(raw, name, run_outcome_is_good(boot), json, err);
		free(list[i]);
	}
	free(list);
	json_array_end(json);
	return status;
}

void run_files_remove(const char *raw, uint32_t run)
{
	char path[PATH_MAX];
	DIR *list = opendir(raw);

	if (!list)
		return;
	for (struct dirent *entry; (entry = readdir(list));)
		if (is_of_run(entry->d_name, run) &&
		    file_join(path, sizeof(path), raw, entry->d_name, NULL) == STATUS_OK)
			unlink(path);
	closedir(list);
}

/* --- Reading --- */

static bool read_file(const struct json_value *item, struct run_file *file)
{
	const char *name = json_member_text(item, "name", "");

	if (!name[0] || strchr(name, '/') || strlen(name) >= sizeof(file->name) ||
	    !json_member_u64(item, "bytes", &file->bytes))
		return false;
	snprintf(file->name, sizeof(file->name), "%s", name);
	snprintf(file->sha256, sizeof(file->sha256), "%s", json_member_text(item, "sha256", ""));
	return true;
}

static bool read_files(const struct json_value *files, struct run_record *record)
{
	size_t count = 0;

	if (!files || files->kind != JSON_ARRAY)
		return false;
	for (const struct json_value *item = files->child; item; item = item->next)
		count++;
	if (count > FILES_MAX)
		return false;
	record->files = xcalloc(count ? count : 1, sizeof(*record->files));
	for (const struct json_value *item = files->child; item; item = item->next)
		if (!read_file(item, &record->files[record->file_count++]))
			return false;
	return true;
}

bool run_record_read(const struct json_value *json, uint32_t run, struct run_record *record)
{
	const struct json_value *inputs = json_member(json, "deterministic");
	struct run_outcomes boots = {0};

	*record = (struct run_record){0};
	if (!inputs)
		inputs = json_member(json, "inputs");
	snprintf(record->identity, sizeof(record->identity), "%s", json_member_text(inputs, "identity", ""));
	run_outcomes_read(&boots, json_member(json, "boots"));
	bool is_one = boots.count == 1 && boots.items[0].run == run;
	if (is_one)
		record->outcome = boots.items[0];
	run_outcomes_free(&boots);
	return is_one && record->identity[0] && read_files(json_member(json, "files"), record);
}

bool run_record_load(const char *directory, uint32_t run, struct run_record *record)
{
	struct json_value *json = NULL;
	char path[PATH_MAX];

	*record = (struct run_record){0};
	bool is_read = run_record_path(directory, run, path, sizeof(path), NULL) == STATUS_OK &&
		       json_read_file(path, &json, NULL) == STATUS_OK && run_record_read(json, run, record);
	json_free(json);
	return is_read;
}

void run_record_free(struct run_record *record)
{
	free(record->files);
	*record = (struct run_record){0};
}

const struct run_file *run_record_missing(const struct run_record *record, const char *raw)
{
	char path[PATH_MAX];
	struct stat info;

	for (size_t i = 0; i < record->file_count; i++) {
		const struct run_file *file = &record->files[i];
		if (file_join(path, sizeof(path), raw, file->name, NULL) != STATUS_OK || lstat(path, &info) < 0 ||
		    !S_ISREG(info.st_mode) || (uint64_t)info.st_size != file->bytes)
			return file;
	}
	return NULL;
}

bool run_record_is_whole(const struct run_record *record, const char *raw)
{
	return run_outcome_is_good(&record->outcome) && record->file_count > 0 && !run_record_missing(record, raw);
}

/* --- The record of a set --- */

enum status set_record_read(const char *directory, struct set_record *set, struct error *err)
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

void set_record_free(struct set_record *set)
{
	json_free(set->first);
	run_outcomes_free(&set->boots);
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
	enum status status = set_record_read(directory, &set, err);

	if (status == STATUS_OK && set.first)
		write_set(&set, text);
	set_record_free(&set);
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
