/* SPDX-License-Identifier: MIT */
#include "vm/launch/recorded_traces.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

static bool is_wanted(const struct seed_list *wanted, uint64_t seed)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->seeds[i] == seed)
			return true;
	return wanted->count == 0;
}

/* name is the name of a metadata file, "io_mixed_run3.json". */
static enum status add_trace(struct recorded_traces *traces, const char *raw, const char *name, const char *identity,
			     const struct seed_list *wanted, struct error *err)
{
	struct json_value *metadata = NULL;
	size_t length = strlen(name) - strlen(".json");
	uint64_t seed;
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), raw, name, err);

	if (status == STATUS_OK)
		status = json_read_file(path, &metadata, err);
	const struct json_value *deterministic = status == STATUS_OK ? json_member(metadata, "deterministic") : NULL;
	bool is_of_run = deterministic && json_member_u64(deterministic, "seed", &seed) && seed <= SEED_MAX &&
			 length < sizeof(traces->items->name) &&
			 strcmp(json_member_text(deterministic, "identity", ""), identity) == 0;

	json_free(metadata);
	traces->total += is_of_run;
	if (status != STATUS_OK || !is_of_run || !is_wanted(wanted, seed))
		return status;
	traces->items = xreallocarray(traces->items, traces->count + 1, sizeof(*traces->items));
	struct recorded_trace *trace = &traces->items[traces->count++];
	trace->seed = (uint32_t)seed;
	snprintf(trace->name, sizeof(trace->name), "%.*s", (int)length, name);
	return STATUS_OK;
}

static int by_seed(const void *left, const void *right)
{
	const struct recorded_trace *a = left, *b = right;

	if (a->seed != b->seed)
		return a->seed < b->seed ? -1 : 1;
	return strcmp(a->name, b->name);
}

enum status recorded_traces_list(struct recorded_traces *traces, const char *raw, const char *identity,
				 const struct seed_list *wanted, struct error *err)
{
	enum status status = STATUS_OK;
	DIR *list = opendir(raw);

	*traces = (struct recorded_traces){0};
	if (!list)
		return error_system(err, errno, raw, "cannot open");
	for (struct dirent *entry; status == STATUS_OK && (entry = readdir(list));) {
		size_t length = strlen(entry->d_name);
		if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0)
			status = add_trace(traces, raw, entry->d_name, identity, wanted, err);
	}
	closedir(list);
	if (traces->count)
		qsort(traces->items, traces->count, sizeof(*traces->items), by_seed);
	return status;
}

bool recorded_traces_seeds(const struct recorded_traces *traces, struct seed_list *seeds)
{
	seeds->count = 0;
	for (size_t i = 0; i < traces->count; i++) {
		if (i > 0 && traces->items[i].seed == traces->items[i - 1].seed)
			continue;
		if (seeds->count == SEED_LIST_MAX)
			return false;
		seeds->seeds[seeds->count++] = traces->items[i].seed;
	}
	return true;
}

void recorded_traces_free(struct recorded_traces *traces)
{
	free(traces->items);
	*traces = (struct recorded_traces){0};
}
