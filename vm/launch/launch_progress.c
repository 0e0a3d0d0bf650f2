/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_progress.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "vm/launch/launch_state.h"

static void format_time_left(double seconds, char *text, size_t size)
{
	if (seconds < 0)
		text[0] = '\0';
	else if (seconds < 90)
		snprintf(text, size, ", about %.0f s left", seconds);
	else
		snprintf(text, size, ", about %.0f min left", seconds / 60);
}

static void show_progress(struct launch *launch, const struct guest_line *line)
{
	char left[64];

	launch->runs_done = line->done;
	launch->runs_of = line->of;
	format_time_left(line->seconds_left, left, sizeof(left));
	message_progress("%s (%u of %u), %llu events%s", line->name,
			 line->done + 1 > line->of ? line->of : line->done + 1, line->of,
			 (unsigned long long)line->events, left);
}

static void show_trace(struct launch *launch, const struct guest_line *line)
{
	size_t length = strlen(line->name);

	if (launch->options->no_trace && length > 4)
		message_info("%s: %.*s done; its output is in %s/%s", launch->result.set, (int)length - 4, line->name,
			     launch->raw, line->name);
	if (length < 5 || strcmp(line->name + length - 4, ".dat") != 0)
		return;
	launch->runs_done++;
	message_detail("%s: %.*s done (%u of %u), %llu KiB", launch->result.set, (int)length - 4, line->name,
		       launch->runs_done, launch->runs_of, (unsigned long long)(line->size + 1023) / 1024);
}

void launch_show_problem(struct launch *launch)
{
	if (launch->problem[0])
		message_warning("%s: %s", launch->name, launch->problem);
	launch->problem[0] = '\0';
}

void launch_show_line(void *context, const struct guest_line *line)
{
	struct launch *launch = context;

	switch (line->kind) {
	case GUEST_LINE_HELLO:
		message_detail("%s: up after %.1f s", launch->name, launch->on.boot_s);
		break;
	case GUEST_LINE_PROGRESS:
		show_progress(launch, line);
		break;
	case GUEST_LINE_SENDING:
		message_progress("receiving %s, %llu KiB", line->name, (unsigned long long)(line->size + 1023) / 1024);
		break;
	case GUEST_LINE_TRACE:
		show_trace(launch, line);
		break;
	case GUEST_LINE_PROBLEM:
		launch_show_problem(launch);
		snprintf(launch->problem, sizeof(launch->problem), "%s", line->text);
		break;
	case GUEST_LINE_NOTE:
		message_detail("%s: %s", launch->name, line->text);
		break;
	case GUEST_LINE_CLOCK:
	case GUEST_LINE_DONE:
	case GUEST_LINE_UNKNOWN:
		break;
	}
}
