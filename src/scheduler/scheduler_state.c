/* SPDX-License-Identifier: MIT */
#include "scheduler/scheduler_state.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define EVENTS_BYTES_MAX 65536
#define DEPTH_MAX        4

static uint64_t read_count(const char *directory, const char *name)
{
	char path[PATH_MAX], line[64];

	if (file_join(path, sizeof(path), directory, name, NULL) != STATUS_OK ||
	    !file_read_line(path, line, sizeof(line)))
		return 0;
	return strtoull(line, NULL, 10);
}

/* Lines of a name and a count. */
static void read_events(const char *directory, struct scheduler_state *state)
{
	char path[PATH_MAX];
	struct buffer text = {0};
	char *rest;

	if (file_join(path, sizeof(path), directory, "events", NULL) == STATUS_OK &&
	    file_read(path, EVENTS_BYTES_MAX, &text, NULL) == STATUS_OK && text.length)
		for (char *line = strtok_r(text.data, "\n", &rest); line && state->event_count < SCHEDULER_EVENTS_MAX;
		     line = strtok_r(NULL, "\n", &rest)) {
			struct scheduler_event *event = &state->events[state->event_count];
			size_t length = strcspn(line, " ");
			if (length == 0 || length >= sizeof(event->name) || !line[length])
				continue;
			memcpy(event->name, line, length);
			event->name[length] = '\0';
			event->count = strtoull(line + length, NULL, 10);
			state->event_count++;
		}
	buffer_free(&text);
}

static void add_sub(struct scheduler_state *state, const char *ops)
{
	size_t used = strlen(state->subs);

	snprintf(state->subs + used, sizeof(state->subs) - used, "%s%s", used ? " " : "", ops);
}

static int is_directory(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type == DT_DIR;
}

/* The scheduler of a directory, and of those in it. The first one that is found is the machine's. */
static void read_schedulers(const char *directory, unsigned int depth, struct scheduler_state *state)
{
	char path[PATH_MAX], ops[sizeof(state->ops)];
	struct dirent **list = NULL;

	if (file_join(path, sizeof(path), directory, "ops", NULL) == STATUS_OK &&
	    file_read_line(path, ops, sizeof(ops)) && ops[0]) {
		if (state->ops[0]) {
			add_sub(state, ops);
		} else {
			snprintf(state->ops, sizeof(state->ops), "%s", ops);
			read_events(directory, state);
		}
	}
	int count = depth < DEPTH_MAX ? scandir(directory, &list, is_directory, alphasort) : 0;
	for (int i = 0; i < count; i++) {
		if (file_join(path, sizeof(path), directory, list[i]->d_name, NULL) == STATUS_OK)
			read_schedulers(path, depth + 1, state);
		free(list[i]);
	}
	free(list);
}

void scheduler_state_read(const char *directory, struct scheduler_state *state)
{
	char path[PATH_MAX];

	*state = (struct scheduler_state){0};
	if (file_join(path, sizeof(path), directory, "state", NULL) != STATUS_OK ||
	    !file_read_line(path, state->state, sizeof(state->state)))
		return;
	state->enable_seq = read_count(directory, "enable_seq");
	state->nr_rejected = read_count(directory, "nr_rejected");
	state->switch_all = read_count(directory, "switch_all") != 0;
	read_schedulers(directory, 0, state);
}

bool scheduler_is_enabled(const struct scheduler_state *state)
{
	return strcmp(state->state, "enabled") == 0 && state->ops[0];
}

bool scheduler_was_kept(const struct scheduler_state *before, const struct scheduler_state *after)
{
	return scheduler_is_enabled(before) && scheduler_is_enabled(after) && before->enable_seq == after->enable_seq;
}

void scheduler_events_subtract(const struct scheduler_state *before, struct scheduler_state *after)
{
	size_t kept = 0;

	for (size_t i = 0; i < after->event_count; i++) {
		struct scheduler_event event = after->events[i];
		for (size_t j = 0; j < before->event_count; j++)
			if (strcmp(before->events[j].name, event.name) == 0 && before->events[j].count <= event.count)
				event.count -= before->events[j].count;
		if (event.count)
			after->events[kept++] = event;
	}
	after->event_count = kept;
}

/* --- Reasons for its end --- */

static const char *find_last(const char *text, const char *wanted)
{
	const char *last = NULL;

	for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted))
		last = at;
	return last;
}

bool scheduler_find_reason(const char *log, const char *ops, char *reason, size_t size)
{
	char head[192];

	snprintf(head, sizeof(head), "BPF scheduler \"%s\" disabled (", ops);
	const char *kind = find_last(log, head);
	if (!kind)
		return false;
	kind += strlen(head);
	size_t length = strcspn(kind, "\n");
	while (length && kind[length - 1] != ')')
		length--;
	int used = snprintf(reason, size, "%.*s", length ? (int)length - 1 : 0, kind);
	/* The next line has the details, if there are any. */
	snprintf(head, sizeof(head), "sched_ext: %s: ", ops);
	const char *details = strstr(kind, head);
	if (details && used > 0 && (size_t)used < size) {
		details += strlen(head);
		snprintf(reason + used, size - (size_t)used, " (%.*s)", (int)strcspn(details, "\n"), details);
	}
	return true;
}

bool scheduler_find_exit(const char *output, char *reason, size_t size)
{
	const char *line = find_last(output, "EXIT: ");

	if (!line)
		return false;
	line += strlen("EXIT: ");
	snprintf(reason, size, "%.*s", (int)strcspn(line, "\n"), line);
	return true;
}
