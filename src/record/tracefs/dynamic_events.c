/* SPDX-License-Identifier: MIT */
#include "record/tracefs/dynamic_events.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "record/tracefs/tracefs.h"

static const char file[] = "dynamic_events", prefix[] = "picknext_";

/* A line of dynamic_events: "p:GROUP/NAME TARGET ARGUMENTS", or "r4:...". */
struct definition {
	char group[DYNAMIC_GROUP_SIZE], name[DYNAMIC_GROUP_SIZE];
};

void dynamic_events_name_group(const char *directory, char group[DYNAMIC_GROUP_SIZE])
{
	const char *dash = strrchr(directory, '-');

	snprintf(group, DYNAMIC_GROUP_SIZE, "%s%.40s", prefix, dash ? dash + 1 : "0");
}

void dynamic_events_name_own_group(char group[DYNAMIC_GROUP_SIZE])
{
	snprintf(group, DYNAMIC_GROUP_SIZE, "%s%d", prefix, (int)getpid());
}

static bool group_number(const char *group, uint64_t *number)
{
	return strncmp(group, prefix, sizeof(prefix) - 1) == 0 && number_parse_u64(group + sizeof(prefix) - 1, number);
}

bool dynamic_events_is_group(const char *system)
{
	uint64_t number;

	return group_number(system, &number);
}

enum status dynamic_events_define(const char *tracefs, const char *group, const char *name,
				  const struct key_probe *probe, struct error *err)
{
	struct buffer text = {0};

	buffer_printf(&text, "%c:%s/%s %s", probe->type, group, name, probe->text);
	enum status status = tracefs_write(tracefs, file, text.data, err);
	buffer_free(&text);
	return status;
}

/* perf_event_attr of linux/perf_event.h, which musl lacks: its first version. */
struct counter {
	uint32_t type, size;
	uint64_t config, others[6];
};

enum { COUNTS_EVENTS_OF_TRACEFS = 2, CLOSED_ON_EXEC = 8 };

/* A counter of this CPU: one of this task would make the kernel clean up a second later. */
static int open_counter(const char *tracefs, const char *group, const char *name)
{
	char path[3 * DYNAMIC_GROUP_SIZE];
	struct buffer text = {0};
	struct counter counter = {.type = COUNTS_EVENTS_OF_TRACEFS, .size = sizeof(counter)};

	snprintf(path, sizeof(path), "events/%s/%s/id", group, name);
	if (tracefs_read(tracefs, path, &text, NULL) == STATUS_OK && text.data)
		counter.config = strtoull(text.data, NULL, 10);
	buffer_free(&text);
	return counter.config ? (int)syscall(SYS_perf_event_open, &counter, -1, sched_getcpu(), -1, CLOSED_ON_EXEC)
			      : -1;
}

bool dynamic_events_occur(const char *tracefs, const char *group, const char *name)
{
	const struct timespec pause = {.tv_nsec = 1000 * 1000};
	const int counter = open_counter(tracefs, group, name);
	uint64_t count = 0;
	bool is_counted = counter >= 0;

	/* Again, because this task may have moved to another CPU before its first sleep. */
	for (int attempt = 0; is_counted && count == 0 && attempt < 20; attempt++) {
		nanosleep(&pause, NULL);
		is_counted = read(counter, &count, sizeof(count)) == sizeof(count);
	}
	if (counter >= 0)
		close(counter);
	return !is_counted || count > 0;
}

/* Reads the last error in the kernel's error log: "trace_kprobe: error: Invalid probed address ...". */
void dynamic_events_reason(const char *tracefs, const struct error *refusal, char *reason, size_t size)
{
	struct buffer text = {0};
	const char *last = NULL;

	snprintf(reason, size, "%s", strerror(refusal->errnum));
	if (refusal->errnum != EEXIST && tracefs_read(tracefs, "error_log", &text, NULL) == STATUS_OK)
		for (const char *at = text.data; (at = strstr(at, ": error: ")); at++)
			last = at + strlen(": error: ");
	if (last)
		snprintf(reason, size, "%.*s", (int)strcspn(last, "\n"), last);
	buffer_free(&text);
}

/* Reads the next line; false after the last. */
static bool next_definition(const char **rest, struct definition *definition)
{
	while (**rest) {
		const char *line = *rest;
		size_t length = strcspn(line, "\n");
		*rest += length + (line[length] == '\n');
		const char *colon = memchr(line, ':', length);
		if (colon && sscanf(colon + 1, "%63[^/ \n]/%63[^ \n]", definition->group, definition->name) == 2)
			return true;
	}
	return false;
}

/* "  NAME HITS MISSED" */
static struct dynamic_count next_count(const char **rest)
{
	struct dynamic_count count = {.hits = 0};

	sscanf(*rest, "%*s %" SCNu64 " %" SCNu64, &count.hits, &count.missed);
	*rest += strcspn(*rest, "\n");
	*rest += **rest == '\n';
	return count;
}

/* kprobe_profile does not name groups, but its lines are in the order of kprobe_events. */
void dynamic_events_count(const char *tracefs, const char *group, struct dynamic_count *counts, size_t count)
{
	struct buffer events = {0}, profile = {0};
	struct definition definition;

	for (size_t i = 0; i < count; i++)
		counts[i].hits = counts[i].missed = 0;
	if (tracefs_read(tracefs, "kprobe_events", &events, NULL) == STATUS_OK &&
	    tracefs_read(tracefs, "kprobe_profile", &profile, NULL) == STATUS_OK && events.data && profile.data)
		for (const char *rest = events.data, *line = profile.data; next_definition(&rest, &definition);) {
			const struct dynamic_count one = next_count(&line);
			for (size_t i = 0; i < count && strcmp(definition.group, group) == 0; i++)
				if (strcmp(definition.name, counts[i].name) == 0)
					counts[i] = (struct dynamic_count){counts[i].name, one.hits, one.missed};
		}
	buffer_free(&events);
	buffer_free(&profile);
}

static enum status remove_one(const char *tracefs, const struct definition *definition, struct error *err)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	struct error refusal = {0};
	char text[2 * DYNAMIC_GROUP_SIZE + 8];

	snprintf(text, sizeof(text), "-:%s/%s", definition->group, definition->name);
	for (int attempt = 0;; attempt++) {
		if (tracefs_write(tracefs, file, text, &refusal) == STATUS_OK || refusal.errnum == ENOENT)
			return STATUS_OK;
		if (refusal.errnum != EBUSY || attempt == 100)
			break;
		nanosleep(&pause, NULL);
	}
	if (err) {
		*err = refusal;
		error_remedy(err, "end the process that records %s:%s, then: echo '%s' >>%s/%s", definition->group,
			     definition->name, text, tracefs, file);
	}
	return refusal.status;
}

enum status dynamic_events_remove_one(const char *tracefs, const char *group, const char *name, struct error *err)
{
	struct definition definition;

	snprintf(definition.group, sizeof(definition.group), "%s", group);
	snprintf(definition.name, sizeof(definition.name), "%s", name);
	return remove_one(tracefs, &definition, err);
}

enum status dynamic_events_remove(const char *tracefs, const char *group, struct error *err)
{
	struct buffer text = {0};
	struct definition definition;
	enum status status = tracefs_read(tracefs, file, &text, err);

	for (const char *rest = text.data; status == STATUS_OK && rest && next_definition(&rest, &definition);)
		if (strcmp(definition.group, group) == 0)
			status = remove_one(tracefs, &definition, err);
	buffer_free(&text);
	return status;
}

static bool has_instance(const char *tracefs, const char *group)
{
	char instance[TRACEFS_PATH_SIZE];

	snprintf(instance, sizeof(instance), "instances/picknext-%s", group + sizeof(prefix) - 1);
	return tracefs_has(tracefs, instance);
}

void dynamic_events_remove_stale(const char *tracefs, bool (*is_running)(uint64_t pid))
{
	struct buffer text = {0};
	struct definition definition;
	char own[DYNAMIC_GROUP_SIZE];
	uint64_t number;

	dynamic_events_name_own_group(own);
	if (tracefs_has(tracefs, file) && tracefs_read(tracefs, file, &text, NULL) == STATUS_OK)
		for (const char *rest = text.data; rest && next_definition(&rest, &definition);)
			if (group_number(definition.group, &number) && strcmp(definition.group, own) != 0 &&
			    !is_running(number) && !has_instance(tracefs, definition.group))
				remove_one(tracefs, &definition, NULL);
	buffer_free(&text);
}
