/* SPDX-License-Identifier: MIT */
#include "compare/run_set_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/table.h"

static const char *last_parts(const char *path, unsigned int count, size_t *length)
{
	*length = strlen(path);
	while (*length > 1 && path[*length - 1] == '/')
		--*length;
	const char *end = path + *length;
	const char *begin = end;
	while (begin > path && (begin[-1] != '/' || (--count && begin != end)))
		begin--;
	*length = (size_t)(end - begin);
	return begin;
}

static char *label_of(const struct run_set *set)
{
	const char *kernel = set->runs[0].facts[FACT_KERNEL];
	size_t length;

	for (size_t i = 1; i < set->count && kernel; i++)
		if (!set->runs[i].facts[FACT_KERNEL] || strcmp(set->runs[i].facts[FACT_KERNEL], kernel) != 0)
			kernel = NULL;
	if (kernel)
		return strdup(kernel);
	const char *part = last_parts(set->operand, 1, &length);
	return strndup(part, length);
}

static bool is_shared(const struct run_sets *sets, size_t index)
{
	for (size_t i = 0; i < sets->count; i++)
		if (i != index && strcmp(sets->items[i].label, sets->items[index].label) == 0)
			return true;
	return false;
}

bool run_sets_label(struct run_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++) {
		sets->items[i].label = label_of(&sets->items[i]);
		if (!sets->items[i].label)
			return false;
	}
	enum { PARTS_MOST = 8 };
	for (unsigned int parts = 1; parts <= PARTS_MOST; parts++) {
		bool shared[64] = {false};
		for (size_t i = 0; i < sets->count && i < 64; i++)
			shared[i] = is_shared(sets, i);
		for (size_t i = 0; i < sets->count && i < 64; i++) {
			struct buffer text = {0};
			size_t length;
			if (!shared[i])
				continue;
			const char *part = last_parts(sets->items[i].operand, parts, &length);
			buffer_add(&text, part, length);
			if (parts == PARTS_MOST)
				buffer_printf(&text, " (%zu)", i + 1);
			free(sets->items[i].label);
			sets->items[i].label = text.failed ? NULL : strdup(text.data ? text.data : "");
			buffer_free(&text);
			if (!sets->items[i].label)
				return false;
		}
	}
	return true;
}

bool run_sets_take_as_one(struct run_sets *sets)
{
	bool differ = false;

	for (size_t i = 0; i < sets->count; i++) {
		const struct run_set *set = &sets->items[i];
		if (set->count != 1 || workload_find(set->runs[0].workload))
			return true;
		differ = differ || strcmp(set->runs[0].workload, sets->items[0].runs[0].workload) != 0;
	}
	for (size_t i = 1; i < sets->count && differ; i++) {
		char *name = strdup(sets->items[0].runs[0].workload);
		if (!name)
			return false;
		free(sets->items[i].runs[0].workload);
		sets->items[i].runs[0].workload = name;
	}
	sets->taken_as_one = differ;
	return true;
}
