/* SPDX-License-Identifier: MIT */
#include "trace/scheduler_mark.h"

#include <stdio.h>
#include <string.h>

void scheduler_mark_write(const struct scheduler_mark *mark, char text[SCHEDULER_MARK_SIZE])
{
	snprintf(text, SCHEDULER_MARK_SIZE, "scheduler %s %s %llu%s", mark->is_enabled ? mark->ops : "none",
		 mark->is_enabled ? "enabled" : "disabled", (unsigned long long)mark->enable_seq,
		 mark->is_enabled && !mark->has_all_tasks ? " partial" : "");
}

bool scheduler_mark_read(const char *text, size_t length, struct scheduler_mark *mark)
{
	char line[SCHEDULER_MARK_SIZE], state[16], rest[16] = "";
	unsigned long long enable_seq;

	if (length >= sizeof(line) || length < strlen("scheduler ") ||
	    memcmp(text, "scheduler ", strlen("scheduler ")) != 0)
		return false;
	memcpy(line, text, length);
	line[length] = '\0';
	if (sscanf(line, "scheduler %127s %15s %llu %15s", mark->ops, state, &enable_seq, rest) < 3)
		return false;
	mark->is_enabled = strcmp(state, "enabled") == 0;
	if (!mark->is_enabled && strcmp(state, "disabled") != 0)
		return false;
	mark->has_all_tasks = mark->is_enabled && strcmp(rest, "partial") != 0;
	mark->enable_seq = enable_seq;
	return true;
}
