/* SPDX-License-Identifier: MIT */
#include "export/switch_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/shorten.h"
#include "trace/comm_table.h"

/* Enough for a line without its state: two names, and numbers. */
#define SWITCH_LINE_MAX (2 * COMM_PADDED_MAX + 6 * DECIMAL_MAX + 64)

/* At most DURATION_TEXT_SIZE - 1 characters; returns the end. */
static char *put_duration(char *to, uint64_t duration_ns)
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
	to = decimal_put_padded(to, tenths / 10, 4, ' ');
	*to++ = '.';
	*to++ = (char)('0' + tenths % 10);
	*to++ = unit[0];
	*to++ = unit[1];
	return to;
}

void duration_text(uint64_t duration_ns, char text[DURATION_TEXT_SIZE])
{
	*put_duration(text, duration_ns) = '\0';
}

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

static char *put_time(char *to, uint64_t time_ns)
{
	to = decimal_put_padded(to, time_ns / 1000000, 5, ' ');
	*to++ = '.';
	return decimal_put_fixed(to, (uint32_t)(time_ns % 1000000 / 1000), 3);
}

/* Adds the bytes that were written after the end of out. */
static void advance(struct buffer *out, char *end)
{
	*end = '\0';
	out->length = (size_t)(end - out->data);
}

void switch_line_time(uint64_t time_ns, struct buffer *out)
{
	char *to = buffer_reserve(out, SWITCH_LINE_MAX);

	if (to)
		advance(out, put_time(to, time_ns));
}

static char *put_task(char *to, const struct sched_task *task)
{
	to = put_text(comm_put_padded(to, &task->comm, 15), " [");
	if (task->pid >= 0)
		to = decimal_put_padded(to, (uint64_t)task->pid, 5, ' ');
	else
		to += sprintf(to, "%5" PRId32, task->pid);
	*to++ = ']';
	return to;
}

struct switch_line_form switch_line_form_of(unsigned int width)
{
	enum { WIDE = 80, RUNTIME = 11, NAME = 15, NO_TASKS = 23, TASK_MIN = 8 };
	struct switch_line_form form = {.name_width = NAME};

	form.has_runtime = width == 0 || width >= WIDE;
	form.has_pids = width == 0 || width >= WIDE - RUNTIME;
	if (form.has_pids)
		return form;
	form.name_width = width > NO_TASKS ? (width - NO_TASKS) / 2 : 0;
	if (form.name_width < TASK_MIN)
		form.name_width = TASK_MIN;
	return form;
}

static bool is_wide(const struct switch_line_form *form)
{
	return form->has_runtime && form->has_pids;
}

void switch_line_heading(const struct switch_line_form *form, struct buffer *out)
{
	const unsigned int task = form->name_width + (form->has_pids ? 8 : 0);

	if (is_wide(form)) {
		buffer_text(out, " TIME(ms) | CPU | PREV            [PID]    RAN FOR   ST| NEXT            [PID]\n"
				 "----------|-----|--------------------------------------|------------------------\n");
		return;
	}
	buffer_text(out, "# Left out at this width: RAN FOR\n");
	buffer_printf(out, " TIME(ms) | CPU | %-*s ST| %s\n", (int)task,
		      form->has_pids ? "PREV            [PID]" : "PREV-PID",
		      form->has_pids ? "NEXT            [PID]" : "NEXT-PID");
}

void switch_line_name(const struct sched_comm *comm, unsigned int width, struct buffer *out)
{
	char name[SHORTEN_SIZE], shown[SHORTEN_SIZE];

	*comm_put_padded(name, comm, 0) = '\0';
	shorten(name, (struct shortening){width, (width - 1) / 2}, shown);
	const unsigned int columns = (unsigned int)utf8_columns(shown, strlen(shown));
	buffer_printf(out, "%s%*s", shown, (int)(columns < width ? width - columns : 0), "");
}

/* Adds a label such as "kwo...2:1H-167". If there is no room for two characters of the name, it is only the PID, which
 * identifies the task. */
static void add_label(const struct sched_task *task, unsigned int width, struct buffer *out)
{
	char name[SHORTEN_SIZE], shown[SHORTEN_SIZE] = "", pid[16];
	const unsigned int length = (unsigned int)snprintf(pid, sizeof(pid), "-%" PRId32, task->pid);
	const bool has_name = length + 2 <= width;

	*comm_put_padded(name, &task->comm, 0) = '\0';
	if (has_name)
		shorten(name, (struct shortening){width - length, (width - length - 1) / 2}, shown);
	const unsigned int columns = (unsigned int)utf8_columns(shown, strlen(shown)) + length - !has_name;
	buffer_printf(out, "%s%s%*s", shown, pid + !has_name, (int)(columns < width ? width - columns : 0), "");
}

static void add_narrow_task(const struct sched_task *task, const struct switch_line_form *form, struct buffer *out)
{
	if (!form->has_pids) {
		add_label(task, form->name_width, out);
		return;
	}
	switch_line_name(&task->comm, form->name_width, out);
	buffer_printf(out, " [%5" PRId32 "]", task->pid);
}

static void add_narrow(const struct switch_line *line, const struct switch_line_form *form, struct buffer *out)
{
	switch_line_time(line->time_ns, out);
	buffer_printf(out, " | %3" PRIu32 " | ", line->cpu);
	add_narrow_task(line->prev, form, out);
	buffer_printf(out, " %-2s| ", line->state);
	add_narrow_task(line->next, form, out);
	while (out->data[out->length - 1] == ' ')
		out->length--;
	buffer_text(out, "\n");
}

void switch_line_add(const struct switch_line *line, const struct switch_line_form *form, struct buffer *out)
{
	if (!is_wide(form)) {
		add_narrow(line, form, out);
		return;
	}
	char *to = buffer_reserve(out, SWITCH_LINE_MAX + strlen(line->state));

	if (!to)
		return;
	to = put_text(put_time(to, line->time_ns), " | ");
	to = put_text(decimal_put_padded(to, line->cpu, 3, ' '), " | ");
	to = put_text(put_task(to, line->prev), " (");
	to = line->runtime_known ? put_duration(to, line->runtime_ns) : put_text(to, "       ?");
	to = put_text(to, ") ");
	const char *state = to;
	to = put_text(to, line->state);
	while (to - state < 2)
		*to++ = ' ';
	to = put_task(put_text(to, "| "), line->next);
	*to++ = '\n';
	advance(out, to);
}

void switch_line_mark(uint64_t time_ns, const char *text, size_t length, struct buffer *out)
{
	enum { SHOWN_MAX = 100 };

	switch_line_time(time_ns, out);
	buffer_text(out, " | --- mark: ");
	escape_line_add(text, length < SHOWN_MAX ? length : SHOWN_MAX, out);
	if (length > SHOWN_MAX)
		buffer_printf(out, "... (%zu bytes, which export shows)", length);
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
