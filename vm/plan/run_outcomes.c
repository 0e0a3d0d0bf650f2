/* SPDX-License-Identifier: MIT */
#include "vm/plan/run_outcomes.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runs/run_fields.h"

/* --- The list --- */

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

/* --- In vm.json --- */

#define MEMBER(key_, kind_, member)                                                                                    \
	.key = (key_), .kind = RUN_FIELD_##kind_, .offset = offsetof(struct run_outcome, member),                      \
	.item_size = sizeof(((struct run_outcome *)0)->member)
#define VCPU_TIME_KNOWN .known = offsetof(struct run_outcome, vcpu_time_known), .section = RUN_SECTION_WALL_CLOCK

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

static bool read_outcome(const struct json_value *object, struct run_outcome *outcome)
{
	uint64_t run;

	if (object->kind != JSON_OBJECT || !json_member_u64(object, "run", &run) || run > UINT32_MAX)
		return false;
	*outcome =
	    (struct run_outcome){.run = (uint32_t)run, .job_exit = -1, .boot_s = NAN, .total_s = NAN, .virtual_s = NAN};
	return run_fields_read(object, members, outcome, NULL, NULL) == STATUS_OK;
}

void run_outcomes_read(struct run_outcomes *outcomes, const struct json_value *boots)
{
	struct run_outcome outcome;

	for (const struct json_value *item = boots && boots->kind == JSON_ARRAY ? boots->child : NULL; item;
	     item = item->next)
		if (read_outcome(item, &outcome))
			run_outcomes_put(outcomes, &outcome);
}

void run_outcome_write(const struct run_outcome *outcome, bool deterministic, struct json_writer *json)
{
	const enum run_section left_out = deterministic ? RUN_SECTION_WALL_CLOCK : RUN_SECTION_DETERMINISTIC;
	const struct host_wait wait = {.is_known = outcome->vcpu_time_known, .time = outcome->vcpu_time};
	struct run_outcome written = *outcome;

	written.host_wait_share = host_wait_share(&wait);
	for (const struct run_field *member = members; member->key; member++)
		if (member->section != left_out)
			run_field_write(json, member, &written);
}

bool run_outcome_has_member(const char *key)
{
	for (const struct run_field *member = members; member->key; member++)
		if (strcmp(member->key, key) == 0)
			return true;
	return false;
}

void run_outcomes_write(const struct run_outcomes *outcomes, bool deterministic, struct json_writer *json)
{
	json_array_begin(json, "boots");
	for (size_t i = 0; i < outcomes->count; i++) {
		json_object_begin(json, NULL);
		json_u64(json, "run", outcomes->items[i].run);
		run_outcome_write(&outcomes->items[i], deterministic, json);
		json_object_end(json);
	}
	json_array_end(json);
}

/* --- The sum --- */

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
		sum->vcpu_time.run_ns += outcome->vcpu_time.run_ns;
		sum->vcpu_time.wait_ns += outcome->vcpu_time.wait_ns;
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

bool run_outcome_is_good(const struct run_outcome *outcome)
{
	return strcmp(outcome->end, "done") == 0 && !outcome->error[0] && outcome->traces > 0;
}
