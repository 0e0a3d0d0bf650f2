/* SPDX-License-Identifier: MIT */
#include "vm/launch/guest_lines.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"

static void report_line(const struct guest_run *run, const struct guest_line *line)
{
	run->listener->hear(run->listener->context, line);
}

static void show_trace(struct guest_run *run, const struct guest_line *line)
{
	size_t length = strlen(line->name);

	if (file_name_ends(line->name, ".log") && strncmp(line->name, "scheduler_run", 13) != 0)
		snprintf(run->log, sizeof(run->log), "%s", line->name);
	if (run->launch->options->no_trace && length > 4)
		message_info("%s: %.*s done; its output is in %s/%s", run->launch->result.set, (int)length - 4,
			     line->name, run->launch->raw, line->name);
	if (!file_name_ends(line->name, ".dat"))
		return;
	run->runs_done++;
	message_detail("%s: %.*s done (%u of %u), %llu KiB", run->launch->result.set, (int)length - 4, line->name,
		       run->runs_done, run->runs_of, (unsigned long long)(line->size + 1023) / 1024);
}

void guest_lines_show_problem(struct guest_run *run)
{
	if (run->problem[0])
		message_warning("%s: %s", run->name, run->problem);
	run->problem[0] = '\0';
}

void guest_lines_take(void *context, const struct guest_line *line)
{
	struct guest_run *run = context;

	switch (line->kind) {
	case GUEST_LINE_HELLO:
		message_detail("%s: up after %.1f s", run->name, run->on.boot_s);
		break;
	case GUEST_LINE_PROGRESS:
		run->runs_done = line->done;
		run->runs_of = line->of;
		report_line(run, line);
		break;
	case GUEST_LINE_TRACE:
		show_trace(run, line);
		if (arrival_take_file(&run->arrival, line->name))
			report_line(run, line);
		break;
	case GUEST_LINE_PROBLEM:
		guest_lines_show_problem(run);
		snprintf(run->problem, sizeof(run->problem), "%s", line->text);
		break;
	case GUEST_LINE_NOTE:
		message_detail("%s: %s", run->name, line->text);
		break;
	case GUEST_LINE_SENDING:
	case GUEST_LINE_CLOCK:
	case GUEST_LINE_DONE:
	case GUEST_LINE_UNKNOWN:
		break;
	}
}

void guest_lines_show_silence(void *context, unsigned int seconds)
{
	const struct guest_run *run = context;
	char line[200];

	console_last_line(&run->console, line, sizeof(line));
	message_warning(
	    "%s: the guest has written nothing for %u s; %s %s%s; it is ended after %u s (--guest boot-timeout)",
	    run->name, seconds, run->console.path,
	    line[0] ? "ends in: " : "is empty, so the kernel image may be damaged", line, run->on.boot_timeout_s);
}
