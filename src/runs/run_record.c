/* SPDX-License-Identifier: MIT */
#include "runs/run_record.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "runs/run_fields.h"

#define FILES_MAX 100000 /* max number of files of a record */

/* --- How a boot ended --- */

#define MEMBER(key_, kind_, member)                                                                                    \
	.key = (key_), .kind = RUN_FIELD_##kind_, .offset = offsetof(struct run_outcome, member),                      \
	.item_size = sizeof(((struct run_outcome *)0)->member)
#define VCPU_TIME_KNOWN .known = offsetof(struct run_outcome, vcpu_time_known), .section = RUN_SECTION_WALL_CLOCK

/* All members except the number of the run. */
static const struct run_field members[] = {
    {MEMBER("end", CHARS, end)},
    {MEMBER("error", CHARS, error), .zero_is_null = true},
    {MEMBER("died_before", CHARS, died_before), .zero_is_null = true},
    {MEMBER("kernel_fault", CHARS, fault), .zero_is_null = true},
    {MEMBER("job_exit", NATURAL, job_exit)},
    {MEMBER("traces", COUNT, traces)},
    {MEMBER("incomplete_files", COUNT, incomplete_files)},
    {MEMBER("refused_files", COUNT, refused_files)},
    {MEMBER("bytes", COUNT, bytes)},
    {MEMBER("started_at", CHARS, started_at)},
    {MEMBER("boot_seconds", REAL, boot_s), .decimals = 3},
    {MEMBER("virtual_seconds", REAL, virtual_s), .decimals = 9, .section = RUN_SECTION_DETERMINISTIC},
    {MEMBER("vcpu_run_ns", COUNT, vcpu_run_ns), VCPU_TIME_KNOWN},
    {MEMBER("vcpu_wait_ns", COUNT, vcpu_wait_ns), VCPU_TIME_KNOWN},
    {MEMBER("host_wait_share", REAL, host_wait_share), .decimals = 6, .section = RUN_SECTION_WALL_CLOCK},
    {MEMBER("total_seconds", REAL, total_s), .decimals = 3},
    {0},
};

static bool read_outcome(const struct json_value *object, struct run_outcome *outcome)
{
	uint64_t run;

	if (object->kind != JSON_OBJECT || !json_member_u64(object, "run", &run) || run > UINT32_MAX)
		return false;
	*outcome =
	    (struct run_outcome){.run = (uint32_t)run, .job_exit = -1, .boot_s = NAN, .total_s = NAN, .virtual_s = NAN};
	return run_fields_read(object, members, outcome, NULL, NULL) == STATUS_OK;
}

double run_outcome_wait_share(const struct run_outcome *outcome)
{
	const double all = (double)outcome->vcpu_run_ns + (double)outcome->vcpu_wait_ns;

	return outcome->vcpu_time_known && outcome->vcpu_run_ns > 0 ? (double)outcome->vcpu_wait_ns / all : NAN;
}

void run_outcome_write(const struct run_outcome *outcome, bool deterministic, struct json_writer *json)
{
	const enum run_section left_out = deterministic ? RUN_SECTION_WALL_CLOCK : RUN_SECTION_DETERMINISTIC;
	struct run_outcome written = *outcome;

	written.host_wait_share = run_outcome_wait_share(outcome);
	for (const struct run_field *member = members; member->key; member++)
		if (member->section != left_out)
			run_field_write(json, member, &written);
}

bool run_outcome_is_good(const struct run_outcome *outcome)
{
	return strcmp(outcome->end, "done") == 0 && !outcome->error[0] && outcome->traces > 0;
}

const struct run_outcome *run_outcomes_find(const struct run_outcomes *outcomes, uint32_t run)
{
	for (size_t i = 0; i < outcomes->count; i++)
		if (outcomes->items[i].run == run)
			return &outcomes->items[i];
	return NULL;
}

void run_outcomes_put(struct run_outcomes *outcomes, const struct run_outcome *outcome)
{
	size_t at = 0;

	while (at < outcomes->count && outcomes->items[at].run < outcome->run)
		at++;
	if (at == outcomes->count || outcomes->items[at].run != outcome->run) {
		outcomes->items = xreallocarray(outcomes->items, outcomes->count + 1, sizeof(*outcomes->items));
		memmove(&outcomes->items[at + 1], &outcomes->items[at],
			(outcomes->count - at) * sizeof(*outcomes->items));
		outcomes->count++;
	}
	outcomes->items[at] = *outcome;
}

void run_outcomes_free(struct run_outcomes *outcomes)
{
	free(outcomes->items);
	*outcomes = (struct run_outcomes){0};
}

static void add_outcome(struct run_outcome *sum, const struct run_outcome *outcome)
{
	if (!sum->error[0] && outcome->error[0]) {
		memcpy(sum->error, outcome->error, sizeof(sum->error));
		memcpy(sum->end, outcome->end, sizeof(sum->end));
		sum->job_exit = outcome->job_exit;
	}
	if (!sum->died_before[0])
		memcpy(sum->died_before, outcome->died_before, sizeof(sum->died_before));
	if (!sum->fault[0])
		memcpy(sum->fault, outcome->fault, sizeof(sum->fault));
	if (strcmp(outcome->started_at, sum->started_at) < 0)
		memcpy(sum->started_at, outcome->started_at, sizeof(sum->started_at));
	sum->traces += outcome->traces;
	sum->incomplete_files += outcome->incomplete_files;
	sum->refused_files += outcome->refused_files;
	sum->bytes += outcome->bytes;
	sum->total_s += outcome->total_s;
	sum->virtual_s += outcome->virtual_s;
	if (outcome->vcpu_time_known) {
		sum->vcpu_time_known = true;
		sum->vcpu_run_ns += outcome->vcpu_run_ns;
		sum->vcpu_wait_ns += outcome->vcpu_wait_ns;
	}
}

void run_outcomes_sum(const struct run_outcomes *outcomes, struct run_outcome *sum)
{
	*sum = (struct run_outcome){.job_exit = -1, .boot_s = NAN};
	if (outcomes->count == 0)
		return;
	*sum = outcomes->items[0];
	for (size_t i = 1; i < outcomes->count; i++)
		add_outcome(sum, &outcomes->items[i]);
}

/* --- Names --- */

enum status run_record_path(const char *directory, uint32_t run, char *path, size_t size, struct error *err)
{
	char name[64];

	snprintf(name, sizeof(name), BOOTS_DIRECTORY "/run%u.json", run);
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
	enum status status = file_join(path, sizeof(path), directory, BOOTS_DIRECTORY, err);
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

/* True if name is NAME_runN.SUFFIX. */
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
	*record = (struct run_record){0};
	snprintf(record->identity, sizeof(record->identity), "%s", json_member_text(json, "identity", ""));
	return read_outcome(json, &record->outcome) && record->outcome.run == run && record->identity[0] &&
	       read_files(json_member(json, "files"), record);
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

enum status run_outcomes_load(const char *directory, struct run_outcomes *outcomes, struct error *err)
{
	struct run_record record;
	uint32_t *runs;
	size_t count;
	enum status status = run_record_runs(directory, &runs, &count, err);

	for (size_t i = 0; i < count; i++) {
		if (run_record_load(directory, runs[i], &record))
			run_outcomes_put(outcomes, &record.outcome);
		run_record_free(&record);
	}
	free(runs);
	return status;
}
