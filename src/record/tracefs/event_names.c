/* SPDX-License-Identifier: MIT */
#include "record/tracefs/event_names.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest_name.h"
#include "record/tracefs/dynamic_events.h"

enum { PATTERN_SIZE = 128, NEAREST_MAX = 3 };

static int by_system_and_name(const void *a, const void *b)
{
	const struct capture_event *first = a;
	const struct capture_event *second = b;
	int order = strcmp(first->system, second->system);

	return order ? order : strcmp(first->name, second->name);
}

static void add_line(struct event_names *names, char *line)
{
	char *colon = strchr(line, ':');

	if (!colon || colon == line || !colon[1] || strncmp(line, "ftrace:", 7) == 0)
		return;
	*colon = '\0';
	/* Key events of another recording. */
	if (dynamic_events_is_group(line))
		return;
	names->all[names->count++] = (struct capture_event){line, colon + 1};
}

void event_names_read(const char *available, struct event_names *names)
{
	size_t lines = 1;

	*names = (struct event_names){.text = xstrdup(available)};
	for (const char *at = available; *at; at++)
		lines += *at == '\n';
	names->all = xcalloc(lines, sizeof(*names->all));
	char *rest = names->text;
	for (char *line; (line = strsep(&rest, "\n"));)
		add_line(names, line);
	qsort(names->all, names->count, sizeof(*names->all), by_system_and_name);
}

static bool matches(const struct capture_event *event, const char *pattern)
{
	char full[2 * PATTERN_SIZE];

	if (!strchr(pattern, ':'))
		return fnmatch(pattern, event->name, 0) == 0 || fnmatch(pattern, event->system, 0) == 0;
	snprintf(full, sizeof(full), "%s:%s", event->system, event->name);
	return fnmatch(pattern, full, 0) == 0;
}

/* Similar names for the remedy: full names if a full name was given. */
static void list_candidates(const struct event_names *names, bool full, char **list)
{
	for (size_t i = 0; i < names->count; i++)
		list[i] =
		    full ? xasprintf("%s:%s", names->all[i].system, names->all[i].name) : xstrdup(names->all[i].name);
	list[names->count] = NULL;
}

/* First the nearest by edit distance, then those that contain the word. */
static void add_near(char **list, size_t count, const char *word, char *near, size_t size)
{
	size_t length = 0;

	for (int found = 0; found < NEAREST_MAX; found++) {
		const char *best = nearest_name(word, (const char *const *)list);
		for (size_t i = 0; !best && i < count; i++)
			if (strlen(word) >= 3 && strstr(list[i], word))
				best = list[i];
		if (!best || length + strlen(best) + 3 > size)
			return;
		length += (size_t)snprintf(near + length, size - length, "%s%s", length ? ", " : "", best);
		for (size_t i = 0; i < count; i++)
			if (list[i] == best)
				list[i][0] = '\0';
	}
}

static enum status unknown_event(const struct event_names *names, const char *pattern, struct error *err)
{
	char near[300] = "";
	char **list = xcalloc(names->count + 1, sizeof(*list));

	list_candidates(names, strchr(pattern, ':') != NULL, list);
	add_near(list, names->count, pattern, near, sizeof(near));
	for (size_t i = 0; i < names->count; i++)
		free(list[i]);
	free(list);
	error_set(err, STATUS_USAGE, "--events", "this kernel has no event '%s'", pattern);
	if (near[0])
		return error_remedy(err, "did you mean %s? (available_events in tracefs lists all)", near);
	return error_remedy(err, "available_events in tracefs lists all");
}

static enum status choose_one(const struct event_names *names, const char *pattern, bool *chosen, struct error *err)
{
	bool found = false;

	for (size_t i = 0; i < names->count; i++) {
		if (!matches(&names->all[i], pattern))
			continue;
		chosen[i] = true;
		found = true;
	}
	return found ? STATUS_OK : unknown_event(names, pattern, err);
}

static enum status choose_list(const struct event_names *names, const char *wanted, bool *chosen, struct error *err)
{
	enum status status = STATUS_OK;

	while (wanted && status == STATUS_OK) {
		char pattern[PATTERN_SIZE];
		size_t length = strcspn(wanted, ",");
		if (length == 0 || length >= sizeof(pattern)) {
			status = error_set(err, STATUS_USAGE, "--events",
					   "expected names separated by commas, not '%s'", wanted);
			break;
		}
		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, wanted);
		status = choose_one(names, pattern, chosen, err);
		wanted = wanted[length] ? wanted + length + 1 : NULL;
	}
	return status;
}

enum status event_names_choose(struct event_names *names, const char *const *wanted, size_t count, struct error *err)
{
	bool *chosen = xcalloc(names->count + 1, sizeof(*chosen));
	enum status status = STATUS_OK;
	size_t kept = 0;

	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = choose_list(names, wanted[i], chosen, err);
	for (size_t i = 0; i < names->count && status == STATUS_OK; i++)
		if (chosen[i])
			names->all[kept++] = names->all[i];
	if (status == STATUS_OK)
		names->count = kept;
	free(chosen);
	return status;
}

void event_names_free(struct event_names *names)
{
	free(names->text);
	free(names->all);
	*names = (struct event_names){0};
}
