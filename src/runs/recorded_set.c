/* SPDX-License-Identifier: MIT */
#include "runs/recorded_set.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"

enum status recorded_set_read(const char *directory, struct recorded_set *set, struct error *err)
{
	char path[PATH_MAX];
	struct error failure = {0};

	*set = (struct recorded_set){.number = UINT64_MAX, .host_wait_share = (double)NAN};
	enum status status = file_join(path, sizeof(path), directory, "vm.json", err);
	if (status != STATUS_OK)
		return status;
	status = json_read_file(path, &set->document, &failure);
	if (status == STATUS_SYSTEM && failure.errnum == ENOENT)
		return STATUS_OK;
	if (status != STATUS_OK) {
		if (err)
			*err = failure;
		return status;
	}
	const struct json_value *share = json_member(set->document, "host_wait_share");
	if (share && share->kind == JSON_NUMBER && share->number >= 0 && share->number <= 1)
		set->host_wait_share = share->number;
	snprintf(set->label, sizeof(set->label), "%s", json_member_text(set->document, "label", ""));
	if (!json_member_u64(set->document, "number", &set->number))
		set->number = UINT64_MAX;
	if (!json_member_u64(set->document, "runs_min", &set->runs_min) ||
	    !json_member_u64(set->document, "runs_max", &set->runs_max) || set->runs_min == 0 ||
	    set->runs_min >= set->runs_max)
		set->runs_min = set->runs_max = 0;
	recipe_read(set->document, &set->recipe);
	return STATUS_OK;
}

void recorded_set_describe(const struct recorded_set *set, char *facts[FACT_COUNT])
{
	const struct json_value *inputs = json_member(set->document, "deterministic");

	if (!inputs || inputs->kind != JSON_OBJECT)
		inputs = json_member(set->document, "inputs");
	for (enum environment_fact fact = FACT_KERNEL_IMAGE; fact <= FACT_ADDED_FILES; fact++) {
		const char *key = environment_field(fact)->key;
		const char *text = json_member_text(inputs, key, "");
		if (!facts[fact] && *text)
			facts[fact] = xstrdup(text);
	}
}

double recorded_set_seconds(const struct recorded_set *set, uint64_t run)
{
	const struct json_value *boots = json_member(set->document, "boots");
	uint64_t number, traces;

	for (const struct json_value *boot = boots ? boots->child : NULL; boot; boot = boot->next) {
		const struct json_value *seconds = json_member(boot, "total_seconds");
		if (json_member_u64(boot, "run", &number) && number == run && seconds && seconds->kind == JSON_NUMBER &&
		    seconds->number >= 0 && json_member_u64(boot, "traces", &traces) && traces)
			return seconds->number / (double)traces;
	}
	return (double)NAN;
}

void recorded_set_free(struct recorded_set *set)
{
	json_free(set->document);
	recipe_free(&set->recipe);
	*set = (struct recorded_set){0};
}
