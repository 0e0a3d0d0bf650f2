/* SPDX-License-Identifier: MIT */
#include "record/tracefs/dynamic_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

bool dynamic_events_is_group(const char *system)
{
	uint64_t number;

	return strncmp(system, prefix, sizeof(prefix) - 1) == 0 &&
	       number_parse_u64(system + sizeof(prefix) - 1, &number);
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

void dynamic_events_remove_stale(const char *tracefs)
{
	struct buffer text = {0};
	struct definition definition;

	if (tracefs_has(tracefs, file) && tracefs_read(tracefs, file, &text, NULL) == STATUS_OK)
		for (const char *rest = text.data; rest && next_definition(&rest, &definition);)
			if (dynamic_events_is_group(definition.group) && !has_instance(tracefs, definition.group))
				remove_one(tracefs, &definition, NULL);
	buffer_free(&text);
}
