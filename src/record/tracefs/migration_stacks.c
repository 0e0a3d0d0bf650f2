/* SPDX-License-Identifier: MIT */
#include "record/tracefs/migration_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/tracefs/tracefs.h"

#define STOPPERS "comm ~ \"migration/*\""

static enum status set_trigger(const char *directory, const char *file, const char *text, struct error *err)
{
	enum status status = tracefs_write(directory, file, text, err);

	/* Without CONFIG_STACKTRACE the trigger is unknown (EINVAL); without triggers the file does not exist. */
	if (status != STATUS_OK && err && (err->errnum == EINVAL || err->errnum == ENOENT))
		error_remedy(err, "this kernel records no stacks with events; omit --migration-stacks");
	return status;
}

enum status migration_stacks_set(const char *directory, bool filter_waking, struct error *err)
{
	enum status status = STATUS_OK;

	if (filter_waking)
		status = tracefs_write(directory, "events/sched/sched_waking/filter", STOPPERS, err);
	if (status == STATUS_OK)
		status = set_trigger(directory, "events/sched/sched_waking/trigger", "stacktrace if " STOPPERS, err);
	if (status == STATUS_OK)
		status = set_trigger(directory, "events/sched/sched_migrate_task/trigger", "stacktrace", err);
	return status;
}

enum status migration_stacks_events(const struct capture_event *events, size_t count, struct capture_event **made,
				    size_t *made_count, bool *filter_waking, struct error *err)
{
	size_t migrate = count;

	*filter_waking = true;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(events[i].system, "sched") != 0)
			continue;
		if (strcmp(events[i].name, "sched_migrate_task") == 0)
			migrate = i;
		if (strcmp(events[i].name, "sched_waking") == 0)
			*filter_waking = false;
	}
	if (migrate == count) {
		error_set(err, STATUS_USAGE, NULL, "--migration-stacks needs sched_migrate_task among the events");
		return error_remedy(err, "add it to --events");
	}
	struct capture_event *list = xcalloc(count + 1, sizeof(*list));
	/* Events stay grouped by their system. */
	size_t added = *filter_waking ? 1 : 0;
	memcpy(list, events, (migrate + 1) * sizeof(*list));
	if (added)
		list[migrate + 1] = (struct capture_event){"sched", "sched_waking"};
	memcpy(list + migrate + 1 + added, events + migrate + 1, (count - migrate - 1) * sizeof(*list));
	*made = list;
	*made_count = count + added;
	return STATUS_OK;
}
