/* SPDX-License-Identifier: MIT
 *
 * One row per context switch, mark or loss, as a line of text (switch_line.h), CSV or JSON. Pure. This is not a struct
 * table (print/table.h), because text and JSON have another form for each kind of row, and export/ does not print. */
#ifndef EXPORT_SWITCH_ROWS_H
#define EXPORT_SWITCH_ROWS_H

#include "base/buffer.h"
#include "base/json.h"
#include "export/switch_line.h"
#include "trace/source.h"
#include "trace/task_states.h"

struct switch_row {
	uint32_t run; /* number of the trace */
	const struct sched_source *source;
	const struct sched_event *event; /* SCHED_SWITCH, SCHED_MARK or SCHED_LOST */
	const struct task_step *step;
};

/* time_ns is relative to the zero point of the lines. */
void switch_row_add_line(const struct switch_row *row, uint64_t time_ns, const struct switch_line_form *form,
			 struct buffer *out);
/* The column names, separated by commas. */
extern const char switch_row_csv_heading[];
void switch_row_add_csv(const struct switch_row *row, struct buffer *out);
void switch_row_add_json(const struct switch_row *row, struct json_writer *json);

#endif
