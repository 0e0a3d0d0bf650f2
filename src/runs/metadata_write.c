/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/build.h"
#include "base/cpu_list.h"
#include "base/output_stream.h"
#include "runs/metadata.h"
#include "runs/run_fields.h"

static void write_rows(struct json_writer *json, const struct run_field *rows, const void *base);

static void write_text(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_text(json, field->key, *(const char *const *)at);
}

static void write_chars(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_text(json, field->key, at);
}

static void write_count(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_u64(json, field->key, *(const uint64_t *)at);
}

static void write_uint(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_u64(json, field->key, *(const unsigned int *)at);
}

static void write_cpu(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_u64(json, field->key, *(const uint32_t *)at);
}

static void write_int(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_i64(json, field->key, *(const int *)at);
}

static void write_real(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_real(json, field->key, *(const double *)at, field->decimals);
}

static void write_time(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_real(json, field->key, (double)*(const uint64_t *)at / 1e9, 9);
}

static void write_bool(struct json_writer *json, const struct run_field *field, const void *at)
{
	json_bool(json, field->key, *(const bool *)at);
}

static void write_cpus(struct json_writer *json, const struct run_field *field, const void *at)
{
	char text[4096];

	cpu_list_text(at, text, sizeof(text));
	json_text(json, field->key, text);
}

static void write_item(struct json_writer *json, const struct run_field *field, const void *item)
{
	const struct run_tunable *tunable = item;
	const struct run_scheduler_event *event = item;
	const struct run_value *value = item;

	if (field->kind == RUN_FIELD_TEXTS)
		json_text(json, NULL, *(const char *const *)item);
	else if (field->kind == RUN_FIELD_PIDS)
		json_i64(json, NULL, *(const pid_t *)item);
	else if (field->kind == RUN_FIELD_TEXT_MAP)
		json_text(json, tunable->name, tunable->value);
	else if (field->kind == RUN_FIELD_COUNT_MAP)
		json_u64(json, event->name, event->count);
	else if (field->kind == RUN_FIELD_REAL_MAP)
		json_real(json, value->name, value->value, 6);
	else {
		json_object_begin(json, NULL);
		write_rows(json, field->rows, item);
		json_object_end(json);
	}
}

static size_t count_items(const struct run_field *field, const void *base)
{
	const void *at = (const char *)base + field->offset;
	const char *const *texts = *(const char *const *const *)at;
	size_t count = 0;

	if (field->count)
		return *(const size_t *)(const void *)((const char *)base + field->count);
	while (texts && texts[count])
		count++;
	return count;
}

static void write_list(struct json_writer *json, const struct run_field *field, const void *base)
{
	bool is_map = field->kind >= RUN_FIELD_TEXT_MAP && field->kind <= RUN_FIELD_REAL_MAP;
	const char *items = *(const char *const *)(const void *)((const char *)base + field->offset);

	(is_map ? json_object_begin : json_array_begin)(json, field->key);
	for (size_t i = 0, count = count_items(field, base); i < count; i++)
		write_item(json, field, items + i * field->item_size);
	(is_map ? json_object_end : json_array_end)(json);
}

static void (*const writers[])(struct json_writer *json, const struct run_field *field, const void *at) = {
    [RUN_FIELD_TEXT] = write_text,     [RUN_FIELD_COUNT] = write_count, [RUN_FIELD_UINT] = write_uint,
    [RUN_FIELD_CPU] = write_cpu,       [RUN_FIELD_NATURAL] = write_int, [RUN_FIELD_REAL] = write_real,
    [RUN_FIELD_TIME] = write_time,     [RUN_FIELD_BOOL] = write_bool,   [RUN_FIELD_PID] = write_int,
    [RUN_FIELD_EXIT_CODE] = write_int, [RUN_FIELD_CPUS] = write_cpus,   [RUN_FIELD_CHARS] = write_chars,
};

static bool is_list(const struct run_field *field)
{
	return field->kind >= RUN_FIELD_TEXTS && field->kind <= RUN_FIELD_ARRAY;
}

static bool is_null(const struct run_field *field, const void *base)
{
	const void *at = (const char *)base + field->offset;

	if (field->known && !*((const bool *)base + field->known))
		return true;
	switch (field->kind) {
	case RUN_FIELD_TEXT:
		return !*(const char *const *)at;
	case RUN_FIELD_CHARS:
		return field->zero_is_null && *(const char *)at == '\0';
	case RUN_FIELD_NATURAL:
		return *(const int *)at < 0;
	case RUN_FIELD_PID:
		return *(const pid_t *)at <= 0;
	case RUN_FIELD_COUNT:
	case RUN_FIELD_TIME:
		return field->zero_is_null && *(const uint64_t *)at == 0;
	case RUN_FIELD_UINT:
		return field->zero_is_null && *(const unsigned int *)at == 0;
	case RUN_FIELD_REAL:
		return field->zero_is_null && !(*(const double *)at > 0);
	case RUN_FIELD_OBJECT: /* its first member is a text */
		return field->zero_is_null && !*(const char *const *)at;
	default:
		return is_list(field) && field->zero_is_null && count_items(field, base) == 0;
	}
}

void run_field_write(struct json_writer *json, const struct run_field *field, const void *base)
{
	if (is_null(field, base)) {
		if (!field->is_optional)
			json_null(json, field->key);
		return;
	}
	if (field->kind == RUN_FIELD_OBJECT) {
		json_object_begin(json, field->key);
		write_rows(json, field->rows, base);
		json_object_end(json);
	} else if (is_list(field)) {
		write_list(json, field, base);
	} else {
		writers[field->kind](json, field, (const char *)base + field->offset);
	}
}

static void write_rows(struct json_writer *json, const struct run_field *rows, const void *base)
{
	for (const struct run_field *field = rows; field->key; field++)
		run_field_write(json, field, base);
}

static bool has_section(const struct run_metadata *metadata, enum run_section section)
{
	switch (section) {
	case RUN_SECTION_COMMAND:
		return metadata->command.arguments || metadata->has_recording;
	case RUN_SECTION_WORK:
		return metadata->has_work;
	case RUN_SECTION_RECORDING:
		return metadata->has_recording;
	case RUN_SECTION_SCHEDULER:
		return metadata->scheduler.is_known;
	case RUN_SECTION_DETERMINISTIC:
		return metadata->is_deterministic;
	case RUN_SECTION_ADDED:
		return false;
	default:
		return true;
	}
}

void run_section_write(struct json_writer *json, const struct run_metadata *metadata, enum run_section section)
{
	struct run_metadata written = *metadata;

	written.host.picknext_version = build_version;
	written.host.picknext_commit = build_commit;
	for (const struct run_field *field = run_fields; field->key; field++)
		if (field->section == section)
			run_field_write(json, field, &written);
}

enum status run_metadata_write(const struct run_metadata *metadata, const char *path, struct error *err)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct run_metadata written = *metadata;
	const struct run_work *work = &metadata->work;

	written.end_s = metadata->start_s + metadata->duration_s;
	written.work_per_second = work->elapsed_s > 0 ? (double)work->work_done / work->elapsed_s : (double)NAN;
	written.host.picknext_version = build_version;
	written.host.picknext_commit = build_commit;
	json_object_begin(&json, NULL);
	for (const struct run_field *field = run_fields; field->key; field++)
		if (has_section(metadata, field->section))
			run_field_write(&json, field, &written);
	json_object_end(&json);
	buffer_text(&text, "\n");
	enum status status = output_replace(path, text.data, text.length, err);
	buffer_free(&text);
	return status;
}
