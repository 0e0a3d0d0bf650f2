/* SPDX-License-Identifier: MIT */
#include "runs/metadata_read.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"

#define LONGEST_METADATA ((size_t)4 << 20)

static enum status bad_key(const char *path, const char *key, const char *wanted, struct error *err)
{
	error_set(err, STATUS_CORRUPT, path, "the value of \"%s\" is not %s", key, wanted);
	return error_remedy(err, "mend or remove the file: without it the labels come from the trace's name");
}

static enum status take_text(const struct json_value *json, const char *key, const char *path, char **text,
			     struct error *err)
{
	const struct json_value *value = json_member(json, key);

	if (!value)
		return STATUS_OK;
	if (value->kind != JSON_TEXT)
		return bad_key(path, key, "a text", err);
	*text = strdup(value->text);
	return *text ? STATUS_OK : error_system(err, ENOMEM, path, "cannot keep the labels");
}

/* "buffers": one object a CPU, with the counts of its per_cpu/cpuN/stats. */
static enum status take_buffers(const struct json_value *json, const char *path, struct trace *trace, struct error *err)
{
	static const char *const counts[] = {"overrun", "commit_overrun", "dropped_events"};
	const struct json_value *buffers = json_member(json, "buffers");

	if (!buffers || buffers->kind == JSON_NULL)
		return STATUS_OK;
	if (buffers->kind != JSON_ARRAY)
		return bad_key(path, "buffers", "an array", err);
	for (const struct json_value *buffer = buffers->child; buffer; buffer = buffer->next) {
		uint64_t cpu;
		uint64_t sum = 0;
		if (!json_member_u64(buffer, "cpu", &cpu) || cpu > UINT32_MAX)
			return bad_key(path, "cpu", "the number of a CPU", err);
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			uint64_t count = 0;
			if (json_member(buffer, counts[i]) && !json_member_u64(buffer, counts[i], &count))
				return bad_key(path, counts[i], "a count", err);
			sum = sum > UINT64_MAX - count ? UINT64_MAX : sum + count;
		}
		if (sum && !loss_add(&trace->loss, true, (uint32_t)cpu, sum))
			return error_system(err, ENOMEM, path, "cannot keep the losses");
	}
	return STATUS_OK;
}

static enum status take_loss(const struct json_value *json, const char *path, struct trace *trace, struct error *err)
{
	uint64_t lost = 0;
	enum status status = take_buffers(json, path, trace, err);

	if (status != STATUS_OK)
		return status;
	if (json_member(json, "lost_events") && !json_member_u64(json, "lost_events", &lost))
		return bad_key(path, "lost_events", "a count", err);
	uint64_t told = loss_events(&trace->loss);
	if (lost > told && !loss_add(&trace->loss, false, 0, lost - told))
		return error_system(err, ENOMEM, path, "cannot keep the losses");
	return STATUS_OK;
}

static enum status take_metadata(const struct json_value *json, const char *path, struct trace *trace,
				 struct error *err)
{
	if (json->kind != JSON_OBJECT)
		return error_set(err, STATUS_CORRUPT, path, "line 1: not a JSON object");
	enum status status = take_text(json, "workload_name", path, &trace->workload_type, err);
	if (status == STATUS_OK)
		status = take_text(json, "category", path, &trace->category, err);
	if (status == STATUS_OK)
		status = take_loss(json, path, trace, err);
	return status;
}

enum status metadata_parse(const char *text, size_t length, const char *path, struct trace *trace, struct error *err)
{
	struct json_value *json = NULL;
	enum status status = json_parse(text, length, path, &json, err);

	if (status == STATUS_OK)
		status = take_metadata(json, path, trace, err);
	else if (status == STATUS_CORRUPT)
		error_remedy(err, "mend or remove the file: without it the labels come from the trace's name");
	json_free(json);
	return status;
}

enum status metadata_read(const char *raw_directory, struct trace *trace, struct error *err)
{
	char path[PATH_MAX];
	struct buffer name = {0};
	struct buffer text = {0};

	buffer_printf(&name, "%s.json", trace->id);
	enum status status = name.failed ? error_system(err, ENOMEM, trace->path, "cannot read the metadata")
					 : file_join(path, sizeof(path), raw_directory, name.data, err);
	buffer_free(&name);
	if (status != STATUS_OK)
		return status;
	struct error failure = {0};
	status = file_read(path, LONGEST_METADATA, &text, &failure);
	trace->has_metadata = !(status == STATUS_SYSTEM && failure.errnum == ENOENT);
	if (status != STATUS_OK) {
		buffer_free(&text);
		if (!trace->has_metadata)
			return STATUS_OK;
		if (err)
			*err = failure;
		return status;
	}
	status = metadata_parse(text.data, text.length, path, trace, err);
	buffer_free(&text);
	return status;
}
