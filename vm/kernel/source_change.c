/* SPDX-License-Identifier: MIT */
#include "vm/kernel/source_change.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* --- Places --- */

void source_change_add_place(struct source_change *change, const char *function, const char *file, uint32_t line)
{
	for (size_t i = 0; i < change->count; i++)
		if (strcmp(change->places[i].function, function) == 0 && strcmp(change->places[i].file, file) == 0 &&
		    change->places[i].line == line)
			return;
	if (change->count == SOURCE_PLACES_MAX) {
		change->is_cut = true;
		return;
	}
	change->places = xreallocarray(change->places, change->count + 1, sizeof(*change->places));
	struct source_place *place = &change->places[change->count++];
	*place = (struct source_place){.line = line};
	snprintf(place->function, sizeof(place->function), "%s", function);
	snprintf(place->file, sizeof(place->file), "%s", file);
}

void source_change_free(struct source_change *change)
{
	free(change->places);
	*change = (struct source_change){0};
}

/* Whether a place before this one has the same function. */
static bool is_repeated(const struct source_change *change, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(change->places[i].function, change->places[at].function) == 0)
			return true;
	return false;
}

bool source_change_names(const struct source_change *change, size_t place)
{
	return change->places[place].function[0] && !is_repeated(change, place);
}

/* --- Callers --- */

struct callers {
	const char *function;
	struct arguments *list;
	size_t count;
};

static void add_caller(struct callers *callers, const char *caller)
{
	char *word = xasprintf("%s/%s", callers->function, caller);
	bool is_new = callers->count < SOURCE_CALLERS_MAX && strcmp(callers->function, caller) != 0;

	for (size_t i = 0; i < callers->list->count && is_new; i++)
		is_new = strcmp(callers->list->items[i], word) != 0;
	if (is_new) {
		arguments_add(callers->list, "%s", word);
		callers->count++;
	}
	free(word);
}

static void find_callers(const char *path, struct callers *callers)
{
	struct buffer source = {0};
	struct source_scan scan = {.is_inside = false};
	struct source_line line;

	if (file_refuse_special(path, NULL) == STATUS_OK &&
	    file_read(path, SOURCE_BYTES_MAX, &source, NULL) == STATUS_OK && source.data)
		for (const char *rest = source.data; source_next_line(&rest, source.data + source.length, &line);) {
			source_scan_line(&scan, &line);
			/* A comment before a function is outside. */
			if (scan.is_inside && source_is_code(&line) && source_has_call(&line, callers->function))
				add_caller(callers, scan.function);
		}
	buffer_free(&source);
}

static void find_callers_in(const char *directory, struct callers *callers)
{
	char path[PATH_MAX];
	struct dirent **list = NULL;
	const int count = scandir(directory, &list, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (file_name_ends(list[i]->d_name, ".c") &&
		    file_join(path, sizeof(path), directory, list[i]->d_name, NULL) == STATUS_OK)
			find_callers(path, callers);
		free(list[i]);
	}
	free(list);
}

void source_change_callers(const struct source_change *change, const char *tree, struct arguments *callers)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < change->count; i++) {
		const struct source_place *place = &change->places[i];
		struct callers found = {place->function, callers, 0};
		if (!source_change_names(change, i))
			continue;
		if (file_join(path, sizeof(path), tree, place->file[0] ? place->file : "kernel/sched", NULL) !=
		    STATUS_OK)
			continue;
		if (place->file[0])
			find_callers(path, &found);
		else
			find_callers_in(path, &found);
	}
}
