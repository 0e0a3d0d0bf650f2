/* SPDX-License-Identifier: MIT */
#include "dataset/notice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE_SIZE 1536

void notice_information(const struct dataset_listener *listener, const char *format, ...)
{
	char line[LINE_SIZE];
	va_list args;

	if (!listener || !listener->information)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	listener->information(line);
}

void notice_warning(const struct dataset_listener *listener, const char *format, ...)
{
	char line[LINE_SIZE];
	va_list args;

	if (!listener || !listener->warning)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	listener->warning(line);
}

void notice_findings(const struct dataset_listener *listener, const struct trace *trace)
{
	if (trace->malformed_lines)
		notice_warning(listener, "%s: %" PRIu64 " malformed line%s left out, the first is line %" PRIu64,
			       trace->path, trace->malformed_lines, trace->malformed_lines == 1 ? "" : "s",
			       trace->first_malformed_line);
	if (trace->backward_steps)
		notice_warning(listener, "%s: time goes backwards at %" PRIu64 " switch%s, whose time_diff is negative",
			       trace->path, trace->backward_steps, trace->backward_steps == 1 ? "" : "es");
	if (trace->corrected_times)
		notice_warning(listener,
			       "%s: the trace clock went backwards at %" PRIu64 " event%s, by %" PRIu64
			       " ns at most; these events have the time of the event before",
			       trace->path, trace->corrected_times, trace->corrected_times == 1 ? "" : "s",
			       trace->most_corrected_ns);
	if (trace->skipped_buffers)
		notice_warning(listener, "%s: only its main buffer is read; instances left out: %" PRIu32, trace->path,
			       trace->skipped_buffers);
	if (trace->events == 0)
		notice_warning(listener, "%s: holds no sched_switch event", trace->path);
}
