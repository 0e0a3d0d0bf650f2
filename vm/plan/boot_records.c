/* SPDX-License-Identifier: MIT */
#include "vm/plan/boot_records.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

static double read_real(const struct json_value *object, const char *key)
{
	const struct json_value *value = json_member(object, key);

	return value && value->kind == JSON_NUMBER ? value->number : NAN;
}

static uint64_t read_u64(const struct json_value *object, const char *key)
{
	uint64_t value;

	return json_member_u64(object, key, &value) ? value : 0;
}

static bool read_record(const struct json_value *object, struct boot_record *record)
{
	double job_exit = read_real(object, "job_exit");
	uint64_t run;

	if (object->kind != JSON_OBJECT || !json_member_u64(object, "run", &run) || run > UINT32_MAX)
		return false;
	*record = (struct boot_record){
	    .run = (uint32_t)run,
	    .job_exit = job_exit >= 0 && job_exit <= INT_MAX ? (int)job_exit : -1,
	    .traces = read_u64(object, "traces"),
	    .incomplete_files = read_u64(object, "incomplete_files"),
	    .refused_files = read_u64(object, "refused_files"),
	    .bytes = read_u64(object, "bytes"),
	    .boot_s = read_real(object, "boot_seconds"),
	    .total_s = read_real(object, "total_seconds"),
	    .virtual_s = read_real(object, "virtual_seconds"),
	};
	snprintf(record->end, sizeof(record->end), "%s", json_member_text(object, "end", ""));
	snprintf(record->error, sizeof(record->error), "%s", json_member_text(object, "error", ""));
	snprintf(record->died_before, sizeof(record->died_before), "%s", json_member_text(object, "died_before", ""));
	snprintf(record->fault, sizeof(record->fault), "%s", json_member_text(object, "kernel_fault", ""));
	snprintf(record->started_at, sizeof(record->started_at), "%s", json_member_text(object, "started_at", ""));
	record->vcpu_time_known = json_member_u64(object, "vcpu_run_ns", &record->vcpu_time.run_ns) &&
				  json_member_u64(object, "vcpu_wait_ns", &record->vcpu_time.wait_ns);
	return true;
}

void boot_records_read(struct boot_records *records, const struct json_value *boots)
{
	struct boot_record record;

	for (const struct json_value *item = boots && boots->kind == JSON_ARRAY ? boots->child : NULL; item;
	     item = item->next)
		if (read_record(item, &record))
			boot_records_put(records, &record);
}

static void write_host_wait(const struct boot_record *record, struct json_writer *json)
{
	const struct host_wait wait = {.is_known = record->vcpu_time_known, .time = record->vcpu_time};

	if (wait.is_known) {
		json_u64(json, "vcpu_run_ns", wait.time.run_ns);
		json_u64(json, "vcpu_wait_ns", wait.time.wait_ns);
	} else {
		json_null(json, "vcpu_run_ns");
		json_null(json, "vcpu_wait_ns");
	}
	json_real(json, "host_wait_share", host_wait_share(&wait), 6);
}

void boot_record_write(const struct boot_record *record, bool deterministic, struct json_writer *json)
{
	json_text(json, "end", record->end);
	json_text(json, "error", record->error[0] ? record->error : NULL);
	json_text(json, "died_before", record->died_before[0] ? record->died_before : NULL);
	json_text(json, "kernel_fault", record->fault[0] ? record->fault : NULL);
	if (record->job_exit >= 0)
		json_i64(json, "job_exit", record->job_exit);
	else
		json_null(json, "job_exit");
	json_u64(json, "traces", record->traces);
	json_u64(json, "incomplete_files", record->incomplete_files);
	json_u64(json, "refused_files", record->refused_files);
	json_u64(json, "bytes", record->bytes);
	json_text(json, "started_at", record->started_at);
	json_real(json, "boot_seconds", record->boot_s, 3);
	if (deterministic)
		json_real(json, "virtual_seconds", record->virtual_s, 9);
	else
		write_host_wait(record, json);
	json_real(json, "total_seconds", record->total_s, 3);
}

bool boot_record_has_member(const char *key)
{
	static const char *const keys[] = {"end",         "error",        "died_before",      "kernel_fault",
					   "job_exit",    "traces",       "incomplete_files", "refused_files",
					   "bytes",       "started_at",   "boot_seconds",     "virtual_seconds",
					   "vcpu_run_ns", "vcpu_wait_ns", "host_wait_share",  "total_seconds"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i], key) == 0)
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
