/* SPDX-License-Identifier: MIT
 *
 * One line a switch, for people: when, on which CPU, who left it after running for how long and why, who came. What a
 * live monitor scrolls by and what picknext timeline prints. 80 columns wide with PIDs of five digits. Pure. */
#ifndef EXPORT_SWITCH_LINE_H
#define EXPORT_SWITCH_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "sched/stream.h"

struct switch_line {
	uint64_t time_ns; /* since whatever the lines count from */
	uint32_t cpu;
	const struct sched_task *prev, *next;
	const char *state; /* of prev: "S", "R+" */
	bool runtime_known;
	uint64_t runtime_ns; /* of prev, until now */
};

/* What a terminal must not see is escaped. */
void switch_line_text(const char *text, size_t length, struct buffer *out);
/* The first column alone: milliseconds with three digits behind the point. */
void switch_line_time(uint64_t time_ns, struct buffer *out);
void switch_line_heading(struct buffer *out);
void switch_line_add(const struct switch_line *line, struct buffer *out);
/* A mark in its place, and events that are missing before this time on this CPU (known: how many). */
void switch_line_mark(uint64_t time_ns, const char *text, size_t length, struct buffer *out);
void switch_line_lost(uint64_t time_ns, uint32_t cpu, bool known, uint64_t count, struct buffer *out);

/* "%7.1f" and a unit of two letters, eight characters up to 99999 s: "  125.4us", "   12.3ms", "    2.0s ". */
#define DURATION_TEXT_SIZE 16
void duration_text(uint64_t duration_ns, char text[DURATION_TEXT_SIZE]);

/* A task's name with what a terminal must not see escaped, filled up with spaces to width. */
void comm_add_padded(const struct sched_comm *comm, unsigned int width, struct buffer *out);

#endif
