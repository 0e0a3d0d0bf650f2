/* SPDX-License-Identifier: MIT
 *
 * Elements of the report's page: escaped text, formatted values, rows of tables. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/buffer.h"
#include "report/chart/chart.h"
#include "report/model.h"

/* Bytes from a trace or a path as text of the page; see chart_escape(). */
void report_string(struct buffer *out, const char *text);
/* Adds a sentence of compare, with an arrow at which no line is broken. */
void report_sentence(struct buffer *out, const char *text);
static inline void report_comm(struct buffer *out, const struct sched_comm *comm)
{
	chart_escape(out, comm->bytes, comm->length);
}

/* "6.1.0-50-amd64" in the set's colour. */
void report_label(const struct report *report, uint32_t set, struct buffer *out);
/* The set's letter, A for the first, for places without room for the label. */
void report_tag(const struct report *report, uint32_t set, struct buffer *out);
/* Puts the set before the title of a chart with that many characters, if there are several sets: "B 6.12.0: ". Long
 * labels are shortened to the room that is left, so that they stay different. */
void report_title_set(const struct report *report, uint32_t set, unsigned int characters, char title[CHART_TITLE_SIZE]);

/* A column heading for a set; more is HTML after the label. */
void report_set_heading(const struct report *report, uint32_t set, const char *more, struct buffer *out);

/* "1.25 ms", three significant digits with a suitable unit. */
void report_duration(struct buffer *out, double ns);
/* "1,234,567" */
void report_count(struct buffer *out, uint64_t count);

/* A metric's value: three significant digits, thousands separators, and its unit; a dash if unknown. */
void report_value(struct buffer *out, double value, const char *unit);
/* "+12 %", "x14.2" from ten times on, or "-4.00 us": a difference. */
void report_change(struct buffer *out, double change, const char *unit);
/* The same for a size from 0 up, without a sign. */
void report_change_size(struct buffer *out, double size, const char *unit);

/* Begins a table, up to its first heading, in a box that scrolls if the table is too wide for the page. */
void report_table_begin(struct buffer *out);
void report_table_end(struct buffer *out);
/* Cells with a number. */
void report_cell_count(struct buffer *out, uint64_t count);
void report_cell_duration(struct buffer *out, double ns);
void report_cell_share(struct buffer *out, double part, double whole);

#endif
