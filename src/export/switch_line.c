/* SPDX-License-Identifier: MIT */
#include "export/switch_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "sched/comm_table.h"

void duration_text(uint64_t duration_ns, char text[DURATION_TEXT_SIZE])
{
	/* In tenths of the unit, rounded, so that 9999.96 does not become 10000.0. */
	uint64_t tenths = (duration_ns + 50) / 100;
	const char *unit = "us";

	if (tenths > 99999) {
		tenths = (duration_ns + 50000) / 100000;
		unit = "ms";
	}
	if (tenths > 99999) {
		tenths = (duration_ns + 50000000) / 100000000;
		unit = "s ";
	}
	snprintf(text, DURATION_TEXT_SIZE, "%4" PRIu64 ".%u%s", tenths / 10, (unsigned int)(tenths % 10), unit);
}

void switch_line_time(uint64_t time_ns, struct buffer *out)
{
	buffer_printf(out, "%5" PRIu64 ".%03u", time_ns / 1000000, (unsigned int)(time_ns % 1000000 / 1000));
}

static void add_task(const struct sched_task *task, struct buffer *out)
{
	comm_add_padded(&task->comm, 15, out);
	buffer_printf(out, " [%5" PRId32 "]", task->pid);
}

void switch_line_heading(struct buffer *out)
{
	buffer_text(out, " TIME(ms) | CPU | PREV            [PID]    RAN FOR   ST| NEXT            [PID]\n"
			 "----------|-----|--------------------------------------|------------------------\n");
}

void switch_line_add(const struct switch_line *line, struct buffer *out)
{
	char runtime[DURATION_TEXT_SIZE] = "?";

	if (line->runtime_known)
		duration_text(line->runtime_ns, runtime);
	switch_line_time(line->time_ns, out);
	buffer_printf(out, " | %3" PRIu32 " | ", line->cpu);
	add_task(line->prev, out);
	buffer_printf(out, " (%8s) %-2s| ", runtime, line->state);
	add_task(line->next, out);
	buffer_text(out, "\n");
}

void switch_line_mark(uint64_t time_ns, const char *text, size_t length, struct buffer *out)
{
	switch_line_time(time_ns, out);
	buffer_text(out, " | --- mark: ");
	escape_line_add(text, length, out);
	buffer_text(out, "\n");
}

void switch_line_lost(uint64_t time_ns, uint32_t cpu, bool known, uint64_t count, struct buffer *out)
{
	switch_line_time(time_ns, out);
	buffer_printf(out, " | %3" PRIu32 " | --- ", cpu);
	if (known)
		buffer_printf(out, "%" PRIu64 " ", count);
	buffer_text(out, "events lost here\n");
}
