/* SPDX-License-Identifier: MIT
 *
 * One line of text per context switch: the time, the CPU, the previous task with its run time and the reason, and the
 * next task. The line has 80 columns with PIDs of five digits; narrower forms leave out columns. Control characters in
 * names are escaped. Pure. */
#ifndef EXPORT_SWITCH_LINE_H
#define EXPORT_SWITCH_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/event.h"

struct switch_line {
	uint64_t time_ns; /* since the zero point of the lines */
	uint32_t cpu;
	const struct sched_task *prev, *next;
	const char *state; /* state of prev: "S", "R+" */
	bool runtime_known;
	uint64_t runtime_ns; /* length of the slice of prev */
};

/* Columns for which lines of a width have room. */
struct switch_line_form {
	bool has_runtime, has_pids; /* has_pids: PIDs have a column; otherwise a task is one word, NAME-PID */
	unsigned int name_width;    /* width of a name, or of NAME-PID; longer names are shortened in the middle */
};

/* width: columns of the terminal, 0 for any number. */
struct switch_line_form switch_line_form_of(unsigned int width);

/* Adds only the first column: milliseconds with three decimals. */
void switch_line_time(uint64_t time_ns, struct buffer *out);
/* Adds the heading, which also names the columns that the form leaves out. */
void switch_line_heading(const struct switch_line_form *form, struct buffer *out);
void switch_line_add(const struct switch_line *line, const struct switch_line_form *form, struct buffer *out);
/* Adds the name, shortened in the middle if it is longer, and spaces up to the width. */
void switch_line_name(const struct sched_comm *comm, unsigned int width, struct buffer *out);
/* Adds a line for a mark, of which the first 100 bytes are shown, or for events that are missing on this CPU before
 * this time (known: count is valid). */
void switch_line_mark(uint64_t time_ns, const char *text, size_t length, struct buffer *out);
void switch_line_lost(uint64_t time_ns, uint32_t cpu, bool known, uint64_t count, struct buffer *out);

/* "%7.1f" and a unit of two letters, eight characters up to 99999 s: "  125.4us", "   12.3ms", "    2.0s ". */
#define DURATION_TEXT_SIZE 16
void duration_text(uint64_t duration_ns, char text[DURATION_TEXT_SIZE]);

#endif
