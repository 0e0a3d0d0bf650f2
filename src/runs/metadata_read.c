/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "runs/metadata.h"
#include "runs/run_fields.h"

#define METADATA_SIZE_MAX ((size_t)4 << 20)

struct reading {
	const char *path;
	struct error *err;
};

static enum status refuse_key(const struct reading *reading, const char *key, const char *wanted)
{
	error_set(reading->err, STATUS_CORRUPT, reading->path, "the value of \"%s\" is not %s", key, wanted);
	return error_remedy(reading->err,
			    "correct or remove the file; without it the labels come from the name of the trace");
}

/* --- Single values: false if the value has another type, which leaves the member unchanged --- */

static bool read_text(const struct json_value *object, const struct run_field *field, void *at)
{
	const char *text = json_member_text(object, field->key, NULL);

	if (text)
		*(const char **)at = text;
	return text;
}

static bool read_chars(const struct json_value *object, const struct run_field *field, void *at)
{
	const char *text = json_member_text(object, field->key, NULL);

	if (text)
		snprintf(at, field->item_size, "%s", text);
	return text;
}

static bool read_count(const struct json_value *object, const struct run_field *field, void *at)
{
	return json_member_u64(object, field->key, at);
}

static bool read_bounded(const struct json_value *object, const char *key, uint64_t max, uint64_t *value)
{
	return json_member_u64(object, key, value) && *value <= max;
}

static bool read_uint(const struct json_value *object, const struct run_field *field, void *at)
{
	uint64_t value;

	if (!read_bounded(object, field->key, UINT_MAX, &value))
		return false;
	*(unsigned int *)at = (unsigned int)value;
	return true;
}

static bool read_cpu(const struct json_value *object, const struct run_field *field, void *at)
{
	uint64_t value;

	if (!read_bounded(object, field->key, UINT32_MAX, &value))
		return false;
	*(uint32_t *)at = (uint32_t)value;
	return true;
}

static bool read_natural(const struct json_value *object, const struct run_field *field, void *at)
{
	uint64_t value;

	if (!read_bounded(object, field->key, INT_MAX, &value))
		return false;
	*(int *)at = (int)value;
	return true;
}

static bool read_real(const struct json_value *object, const struct run_field *field, void *at)
{
	const struct json_value *value = json_member(object, field->key);

	if (value->kind != JSON_NUMBER || !isfinite(value->number))
		return false;
	if (field->real_max > 0 && (value->number < 0 || value->number > field->real_max))
		return false;
	*(double *)at = value->number + 0.0; /* no -0 */
	return true;
}

/* Seconds with up to nine decimals. */
static bool read_time(const struct json_value *object, const struct run_field *field, void *at)
{
	const struct json_value *value = json_member(object, field->key);

	if (value->kind != JSON_NUMBER || !(value->number > 0 && value->number < 1.8e10))
		return false;
	*(uint64_t *)at = (uint64_t)llround(value->number * 1e9);
	return true;
}

static bool read_bool(const struct json_value *object, const struct run_field *field, void *at)
{
	const struct json_value *value = json_member(object, field->key);

	*(bool *)at = value->kind == JSON_BOOL && value->number != 0;
	return value->kind == JSON_BOOL;
}

static pid_t pid_of(const struct json_value *value)
{
	bool is_pid = value->kind == JSON_NUMBER && value->number >= 1 && value->number <= INT32_MAX;

	return is_pid ? (pid_t)value->number : 0;
}

static bool read_pid(const struct json_value *object, const struct run_field *field, void *at)
{
	*(pid_t *)at = pid_of(json_member(object, field->key));
	return *(pid_t *)at;
}

static bool read_exit_code(const struct json_value *object, const struct run_field *field, void *at)
{
	const struct json_value *value = json_member(object, field->key);
	double code = value->number;

	if (value->kind != JSON_NUMBER || !(code >= INT_MIN && code <= INT_MAX) || code != trunc(code))
		return false;
	*(int *)at = (int)code;
	return true;
}

static bool read_cpus(const struct json_value *object, const struct run_field *field, void *at)
{
	const char *text = json_member_text(object, field->key, NULL);

	if (text && cpu_list_parse(text, at))
		return true;
	CPU_ZERO((cpu_set_t *)at);
	return false;
}

static const struct {
	bool (*read)(const struct json_value *object, const struct run_field *field, void *at);
	const char *wanted; /* a value of this kind, for an error */
} readers[] = {
    [RUN_FIELD_TEXT] = {read_text, "a text"},
    [RUN_FIELD_CHARS] = {read_chars, "a text"},
    [RUN_FIELD_COUNT] = {read_count, "a count"},
    [RUN_FIELD_UINT] = {read_uint, "a count"},
    [RUN_FIELD_CPU] = {read_cpu, "the number of a CPU"},
    [RUN_FIELD_NATURAL] = {read_natural, "a number from 0 on"},
    [RUN_FIELD_REAL] = {read_real, "a number from 0 on"},
    [RUN_FIELD_TIME] = {read_time, "a time"},
    [RUN_FIELD_BOOL] = {read_bool, "true or false"},
    [RUN_FIELD_PID] = {read_pid, "a PID"},
    [RUN_FIELD_EXIT_CODE] = {read_exit_code, "an exit code"},
    [RUN_FIELD_CPUS] = {read_cpus, "a list of CPUs"},
};

/* --- Lists and objects --- */

static enum status read_rows(const struct reading *reading, const struct json_value *object,
			     const struct run_field *rows, void *base);

static size_t count_items(const struct json_value *list)
{
	size_t count = 0;

	for (const struct json_value *item = list->child; item; item = item->next)
		count++;
	return count;
}

/* False if the item has another type and is left out. */
static bool read_item(const struct json_value *item, const struct run_field *field, void *at)
{
	struct run_tunable *tunable = at;
	struct run_scheduler_event *event = at;
	struct run_value *value = at;

	switch (field->kind) {
	case RUN_FIELD_TEXTS:
		*(const char **)at = item->text;
		return item->kind == JSON_TEXT;
	case RUN_FIELD_PIDS:
		*(pid_t *)at = pid_of(item);
		return *(pid_t *)at;
	case RUN_FIELD_TEXT_MAP:
		*tunable = (struct run_tunable){item->key, item->text};
		return item->kind == JSON_TEXT || item->kind == JSON_NUMBER;
	case RUN_FIELD_REAL_MAP:
		*value = (struct run_value){item->key, item->kind == JSON_NUMBER ? item->number : (double)NAN};
		return item->kind == JSON_NULL || (item->kind == JSON_NUMBER && isfinite(item->number));
	default: /* RUN_FIELD_COUNT_MAP */
		if (item->kind != JSON_NUMBER || !(item->number >= 0 && item->number < 0x1p64))
			return false;
		*event = (struct run_scheduler_event){item->key, (uint64_t)item->number};
		return true;
	}
}

/* Items without their first member (a CPU, a name) are left out, or refused if the field is checked. */
static enum status read_struct(const struct reading *reading, const struct json_value *item,
			       const struct run_field *field, void *at, bool *is_kept)
{
	*is_kept = readers[field->rows[0].kind].read(item, &field->rows[0], at);
	if (*is_kept)
		return read_rows(reading, item, field->rows, at);
	return field->is_checked ? refuse_key(reading, field->rows[0].key, readers[field->rows[0].kind].wanted)
				 : STATUS_OK;
}

static enum status read_list(const struct reading *reading, const struct json_value *list,
			     const struct run_field *field, void *base)
{
	bool is_map = field->kind >= RUN_FIELD_TEXT_MAP && field->kind <= RUN_FIELD_REAL_MAP;
	enum status status = STATUS_OK;
	size_t count = 0;

	if (list->kind != (is_map ? JSON_OBJECT : JSON_ARRAY))
		return field->is_checked && list->kind != JSON_NULL ? refuse_key(reading, field->key, "an array")
								    : STATUS_OK;
	char *items = xcalloc(count_items(list) + 1, field->item_size); /* a zeroed one ends texts */
	*(void **)(void *)((char *)base + field->offset) = items;
	for (const struct json_value *item = list->child; item && status == STATUS_OK; item = item->next) {
		void *at = items + count * field->item_size;
		bool is_kept;
		if (field->kind == RUN_FIELD_ARRAY)
			status = read_struct(reading, item, field, at, &is_kept);
		else
			is_kept = read_item(item, field, at);
		if (!is_kept)
			memset(at, 0, field->item_size);
		count += is_kept;
	}
	if (field->count)
		*(size_t *)(void *)((char *)base + field->count) = count;
	return status;
}

static enum status read_value(const struct reading *reading, const struct json_value *object,
			      const struct run_field *field, void *base)
{
	bool is_known = readers[field->kind].read(object, field, (char *)base + field->offset);
	bool may_be_null = field->kind == RUN_FIELD_REAL && json_member(object, field->key)->kind == JSON_NULL;

	if (field->known)
		*((bool *)base + field->known) = is_known;
	return is_known || !field->is_checked || may_be_null
		   ? STATUS_OK
		   : refuse_key(reading, field->key, readers[field->kind].wanted);
}

static enum status read_rows(const struct reading *reading, const struct json_value *object,
			     const struct run_field *rows, void *base)
{
	enum status status = STATUS_OK;

	for (const struct run_field *field = rows; field->key && status == STATUS_OK; field++) {
		const struct json_value *value = json_member(object, field->key);
		if (!value)
			continue;
		if (field->kind >= RUN_FIELD_TEXTS && field->kind <= RUN_FIELD_ARRAY) {
			status = read_list(reading, value, field, base);
		} else if (field->kind != RUN_FIELD_OBJECT) {
			status = read_value(reading, object, field, base);
		} else if (value->kind == JSON_OBJECT) {
			if (field->known)
				*((bool *)base + field->known) = true;
			status = read_rows(reading, value, field->rows, base);
		}
	}
	return status;
}

enum status run_fields_read(const struct json_value *object, const struct run_field *rows, void *base, const char *path,
			    struct error *err)
{
	const struct reading reading = {path, err};

	return read_rows(&reading, object, rows, base);
}

/* --- The document --- */

/* Possible ranges: a number outside is a mistake. */
static const struct {
	const char *key;
	double min, max;
	bool is_whole;
} limits[] = {
    {"start_time", 0, 1e11, false},
    {"end_time", 0, 1e11, false},
    {"duration_seconds", 0, 1e9, false},
    {"events", 0, 1e15, true},
    {"sched_switch_events", 0, 1e15, true},
    {"lost_events", 0, 1e15, true},
    {"num_cpus", 1, 8192, true},
    {"hz", 1, 1e5, true},
    {"buffer_size_kb", 0, 1e12, true},
    {"scale", 0, 1e6, false},
    {"timed_seconds", 0, 1e9, false},
    {"elapsed_seconds", 0, 1e9, false},
    {"tasks", 0, 1e9, true},
    {"work_done", 0, 1e18, true},
    {"work_per_second", 0, 1e15, false},
};

static enum status check_limits(const struct reading *reading, const struct run_metadata *metadata)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const struct json_value *value = json_member(metadata->document, limits[i].key);
		if (!value || value->kind != JSON_NUMBER)
			continue;
		if (value->number >= limits[i].min && value->number <= limits[i].max &&
		    (!limits[i].is_whole || value->number == trunc(value->number)))
			continue;
		char wanted[80];
		snprintf(wanted, sizeof(wanted), "a %snumber from %g to %g", limits[i].is_whole ? "whole " : "",
			 limits[i].min, limits[i].max);
		return refuse_key(reading, limits[i].key, wanted);
	}
	const struct json_value *end = json_member(metadata->document, "end_time");
	if (end && end->kind == JSON_NUMBER && metadata->end_s < metadata->start_s)
		return refuse_key(reading, "end_time", "start_time or later");
	return STATUS_OK;
}

static enum status read_document(const char *path, struct run_metadata *metadata, struct error *err)
{
	if (metadata->document->kind != JSON_OBJECT)
		return error_set(err, STATUS_CORRUPT, path, "line 1: not a JSON object");
	const struct reading reading = {path, err};
	enum status status = read_rows(&reading, metadata->document, run_fields, metadata);
	if (status == STATUS_OK)
		status = check_limits(&reading, metadata);
	metadata->has_work = metadata->work.work_unit;
	metadata->has_recording = metadata->recording.ended_by;
	return status;
}

static void clear_metadata(struct run_metadata *metadata)
{
	*metadata = (struct run_metadata){.host.tracer_cpu = -1,
					  .work = {.scale = (double)NAN, .timed_s = (double)NAN},
					  .work_per_second = (double)NAN,
					  .host_wait_share = (double)NAN};
}

enum status run_metadata_parse(const char *text, size_t length, const char *path, struct run_metadata *metadata,
			       struct error *err)
{
	clear_metadata(metadata);
	enum status status = json_parse(text, length, path, &metadata->document, err);
	if (status == STATUS_OK)
		status = read_document(path, metadata, err);
	else if (status == STATUS_CORRUPT)
		error_remedy(err, "correct or remove the file; without it the labels come from the name of the trace");
	return status;
}

enum status run_metadata_read(const char *path, struct run_metadata *metadata, struct error *err)
{
	struct buffer text = {0};
	struct error failure = {0};

	clear_metadata(metadata);
	enum status status = file_read_regular(path, METADATA_SIZE_MAX, &text, &failure);
	if (status == STATUS_OK)
		status = run_metadata_parse(text.data, text.length, path, metadata, &failure);
	else if (status == STATUS_SYSTEM && failure.errnum == ENOENT)
		status = STATUS_OK;
	if (status != STATUS_OK && err)
		*err = failure;
	buffer_free(&text);
	return status;
}

void run_metadata_free(struct run_metadata *metadata)
{
	losses_free(&metadata->losses);
	free(metadata->buffers);
	free(metadata->work.roles);
	free(metadata->work.cgroups);
	free(metadata->host.tunables);
	free((void *)(uintptr_t)metadata->command.arguments);
	free(metadata->recording.threads);
	free(metadata->recording.event_names);
	free(metadata->recording.cgroups_before);
	free(metadata->recording.cgroups_after);
	free(metadata->recording.processes_before);
	free(metadata->recording.processes_after);
	free(metadata->scheduler.events);
	free(metadata->values);
	free(metadata->key_misses);
	free(metadata->functions);
	free(metadata->recipe.words.items);
	json_free(metadata->document);
	clear_metadata(metadata);
}

void run_metadata_add_losses(const struct run_metadata *metadata, struct losses *losses)
{
	for (size_t i = 0; i < metadata->buffer_count; i++) {
		const struct ring_stats *buffer = &metadata->buffers[i];
		uint64_t lost = ring_stats_lost(buffer);
		if (lost)
			losses_add(losses, &(struct loss){.cpu = buffer->cpu, .events = lost});
	}
	uint64_t known = losses_events(losses);
	if (metadata->lost_events > known)
		losses_add(losses, &(struct loss){.cpu = LOSS_CPU_UNKNOWN, .events = metadata->lost_events - known});
}
