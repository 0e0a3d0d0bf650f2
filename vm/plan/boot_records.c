/* SPDX-License-Identifier: MIT */
#include "vm/plan/boot_records.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runs/run_fields.h"

/* --- The list --- */

const struct boot_record *boot_records_find(const struct boot_records *records, uint32_t run)
{
	for (size_t i = 0; i < records->count; i++)
		if (records->items[i].run == run)
			return &records->items[i];
	return NULL;
}

void boot_records_put(struct boot_records *records, const struct boot_record *record)
{
	size_t at = 0;

	while (at < records->count && records->items[at].run < record->run)
		at++;
	if (at == records->count || records->items[at].run != record->run) {
		records->items = xreallocarray(records->items, records->count + 1, sizeof(*records->items));
		memmove(&records->items[at + 1], &records->items[at], (records->count - at) * sizeof(*records->items));
		records->count++;
	}
	records->items[at] = *record;
}

void boot_records_free(struct boot_records *records)
{
	free(records->items);
	*records = (struct boot_records){0};
}

/* --- In vm.json --- */

#define MEMBER(key_, kind_, member)                                                                                    \
	.key = (key_), .kind = RUN_FIELD_##kind_, .offset = offsetof(struct boot_record, member),                      \
	.item_size = sizeof(((struct boot_record *)0)->member)
#define VCPU_TIME_KNOWN .known = offsetof(struct boot_record, vcpu_time_known), .section = RUN_SECTION_WALL_CLOCK

/* The number of the run, by which a boot is found, is not among them. */
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
    {MEMBER("vcpu_run_ns", COUNT, vcpu_time.run_ns), VCPU_TIME_KNOWN},
    {MEMBER("vcpu_wait_ns", COUNT, vcpu_time.wait_ns), VCPU_TIME_KNOWN},
    {MEMBER("host_wait_share", REAL, host_wait_share), .decimals = 6, .section = RUN_SECTION_WALL_CLOCK},
    {MEMBER("total_seconds", REAL, total_s), .decimals = 3},
    {0},
};

static bool read_record(const struct json_value *object, struct boot_record *record)
{
	uint64_t run;

	if (object->kind != JSON_OBJECT || !json_member_u64(object, "run", &run) || run > UINT32_MAX)
		return false;
	*record =
	    (struct boot_record){.run = (uint32_t)run, .job_exit = -1, .boot_s = NAN, .total_s = NAN, .virtual_s = NAN};
	return run_fields_read(object, members, record, NULL, NULL) == STATUS_OK;
}

void boot_records_read(struct boot_records *records, const struct json_value *boots)
{
	struct boot_record record;

	for (const struct json_value *item = boots && boots->kind == JSON_ARRAY ? boots->child : NULL; item;
	     item = item->next)
		if (read_record(item, &record))
			boot_records_put(records, &record);
}

void boot_record_write(const struct boot_record *record, bool deterministic, struct json_writer *json)
{
	const enum run_section left_out = deterministic ? RUN_SECTION_WALL_CLOCK : RUN_SECTION_DETERMINISTIC;
	const struct host_wait wait = {.is_known = record->vcpu_time_known, .time = record->vcpu_time};
	struct boot_record written = *record;

	written.host_wait_share = host_wait_share(&wait);
	for (const struct run_field *member = members; member->key; member++)
		if (member->section != left_out)
			run_field_write(json, member, &written);
}

bool boot_record_has_member(const char *key)
{
	for (const struct run_field *member = members; member->key; member++)
		if (strcmp(member->key, key) == 0)
			return true;
	return false;
}

void boot_records_write(const struct boot_records *records, bool deterministic, struct json_writer *json)
{
	json_array_begin(json, "boots");
	for (size_t i = 0; i < records->count; i++) {
		json_object_begin(json, NULL);
		json_u64(json, "run", records->items[i].run);
		boot_record_write(&records->items[i], deterministic, json);
		json_object_end(json);
	}
	json_array_end(json);
}

/* --- The sum --- */

static void add_record(struct boot_record *sum, const struct boot_record *record)
{
	if (!sum->error[0] && record->error[0]) {
		memcpy(sum->error, record->error, sizeof(sum->error));
		memcpy(sum->end, record->end, sizeof(sum->end));
		sum->job_exit = record->job_exit;
	}
	if (!sum->died_before[0])
		memcpy(sum->died_before, record->died_before, sizeof(sum->died_before));
	if (!sum->fault[0])
		memcpy(sum->fault, record->fault, sizeof(sum->fault));
	if (strcmp(record->started_at, sum->started_at) < 0)
		memcpy(sum->started_at, record->started_at, sizeof(sum->started_at));
	sum->traces += record->traces;
	sum->incomplete_files += record->incomplete_files;
	sum->refused_files += record->refused_files;
	sum->bytes += record->bytes;
	sum->total_s += record->total_s;
	sum->virtual_s += record->virtual_s;
	if (record->vcpu_time_known) {
		sum->vcpu_time_known = true;
		sum->vcpu_time.run_ns += record->vcpu_time.run_ns;
		sum->vcpu_time.wait_ns += record->vcpu_time.wait_ns;
	}
}

void boot_records_sum(const struct boot_records *records, struct boot_record *sum)
{
	*sum = (struct boot_record){.job_exit = -1, .boot_s = NAN};
	if (records->count == 0)
		return;
	*sum = records->items[0];
	for (size_t i = 1; i < records->count; i++)
		add_record(sum, &records->items[i]);
}

bool boot_record_is_good(const struct boot_record *record)
{
	return strcmp(record->end, "done") == 0 && !record->error[0] && record->traces > 0;
}
