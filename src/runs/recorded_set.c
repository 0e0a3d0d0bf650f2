/* SPDX-License-Identifier: MIT */
#include "runs/recorded_set.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

/* The inputs, of a deterministic guest or of one on wall-clock time. */
static const struct json_value *find_inputs(const struct recorded_set *set)
{
	const struct json_value *inputs = json_member(set->document, "deterministic");

	return inputs && inputs->kind == JSON_OBJECT ? inputs : json_member(set->document, "inputs");
}

static bool read_runs(const struct json_value *array, struct recorded_set *set)
{
	size_t count = 0;
	uint64_t run;

	if (!array || array->kind != JSON_ARRAY)
		return false;
	for (const struct json_value *item = array->child; item; item = item->next)
		count++;
	if (count > RECORDED_RUNS_MAX)
		return false;
	set->runs = xcalloc(count + 1, sizeof(*set->runs));
	for (const struct json_value *item = array->child; item; item = item->next) {
		if (item->kind != JSON_NUMBER || !number_parse_u64(item->text, &run) || run > UINT32_MAX)
			return false;
		set->runs[set->run_count++] = (uint32_t)run;
	}
	return true;
}

void recorded_set_parse(struct json_value *document, struct recorded_set *set)
{
	*set = (struct recorded_set){.document = document, .number = UINT64_MAX};
	snprintf(set->label, sizeof(set->label), "%s", json_member_text(document, "label", ""));
	if (!json_member_u64(document, "number", &set->number))
		set->number = UINT64_MAX;
	recipe_read(document, &set->recipe);
	snprintf(set->identity, sizeof(set->identity), "%s", json_member_text(find_inputs(set), "identity", ""));
	set->has_runs = read_runs(json_member(document, "runs"), set);
}

enum status recorded_set_read(const char *directory, struct recorded_set *set, struct error *err)
{
	struct json_value *document = NULL;
	char path[PATH_MAX];
	struct error failure = {0};

	*set = (struct recorded_set){.number = UINT64_MAX};
	enum status status = file_join(path, sizeof(path), directory, "vm.json", err);
	if (status != STATUS_OK)
		return status;
	status = json_read_file(path, &document, &failure);
	if (status == STATUS_SYSTEM && failure.errnum == ENOENT)
		return STATUS_OK;
	if (status == STATUS_OK)
		recorded_set_parse(document, set);
	else if (err)
		*err = failure;
	return status;
}

enum status recorded_set_read_boots(const char *directory, struct recorded_set *set, struct error *err)
{
	enum status status = recorded_set_read(directory, set, err);

	return status == STATUS_OK ? run_outcomes_load(directory, &set->boots, err) : status;
}

static int compare_runs(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

void recorded_set_add_runs(struct recorded_set *set, const uint32_t *runs, size_t count)
{
	const size_t before = set->run_count;
	uint32_t *sorted = xcalloc(before + 1, sizeof(*sorted));

	if (before)
		memcpy(sorted, set->runs, before * sizeof(*sorted));
	qsort(sorted, before, sizeof(*sorted), compare_runs);
	set->runs = xreallocarray(set->runs, before + count + 1, sizeof(*set->runs));
	for (size_t i = 0; i < count; i++)
		if (!bsearch(&runs[i], sorted, before, sizeof(*sorted), compare_runs))
			set->runs[set->run_count++] = runs[i];
	free(sorted);
}

double recorded_set_wait_share(const struct recorded_set *set)
{
	struct run_outcome sum;

	run_outcomes_sum(&set->boots, &sum);
	return run_outcome_wait_share(&sum);
}

size_t recorded_set_faults(const struct recorded_set *set, const struct run_outcome **first)
{
	size_t count = 0;

	*first = NULL;
	for (size_t i = 0; i < set->boots.count; i++) {
		const struct run_outcome *boot = &set->boots.items[i];
		if (!boot->fault[0])
			continue;
		if (count++ == 0)
			*first = boot;
	}
	return count;
}

void recorded_set_describe(const struct recorded_set *set, char *facts[FACT_COUNT])
{
	const struct json_value *inputs = find_inputs(set);

	for (enum environment_fact fact = FACT_KERNEL_IMAGE; fact <= FACT_ADDED_FILES; fact++) {
		const char *key = environment_field(fact)->key;
		const char *text = json_member_text(inputs, key, "");
		if (!facts[fact] && *text)
			facts[fact] = xstrdup(text);
	}
}

double recorded_set_seconds(const struct recorded_set *set, uint64_t run)
{
	const struct run_outcome *boot = run <= UINT32_MAX ? run_outcomes_find(&set->boots, (uint32_t)run) : NULL;

	return boot && boot->traces && boot->total_s >= 0 ? boot->total_s / (double)boot->traces : (double)NAN;
}

void recorded_set_free(struct recorded_set *set)
{
	json_free(set->document);
	recipe_free(&set->recipe);
	free(set->runs);
	run_outcomes_free(&set->boots);
	*set = (struct recorded_set){0};
}
