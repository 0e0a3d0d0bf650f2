/* SPDX-License-Identifier: MIT
 *
 * Rows of the dataset in the format of Python's csv module (base/csv_field.h): commas, CR LF at the end of a row.
 * Names are copied as bytes, even if they are not valid UTF-8. Pure. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decimal.h"
#include "trace/event.h"
#include "trace/format/ftrace_text.h"

#define CSV_COLUMNS          9 /* of every dataset */
#define CSV_EXTENDED_COLUMNS 9
#define CSV_ALL_COLUMNS      (CSV_COLUMNS + 1 + CSV_EXTENDED_COLUMNS)
struct csv_column {
	const char *name;
	const char *unit;    /* "" for none */
	const char *meaning; /* one line, for the manual */
};
/* Those of every dataset, the scheduler, the extended ones. */
extern const struct csv_column csv_columns[CSV_ALL_COLUMNS];

/* Which columns follow those of every dataset, in this order. */
struct csv_layout {
	bool scheduler, extended;
};
/* The values of --columns. */
#define CSV_LAYOUTS "standard|extended|scheduler|extended,scheduler"
/* text: one of them; NULL is "standard". */
struct csv_layout csv_layout_of(const char *text);
size_t csv_column_count(struct csv_layout layout);
/* index: below csv_column_count(). */
const struct csv_column *csv_column_at(struct csv_layout layout, size_t index);
/* Adds the line of column names. */
void csv_add_header(struct buffer *out, struct csv_layout layout);

struct csv_text {
	const char *bytes;
	size_t length;
};

/* The extended columns of a row. An unknown value is an empty field. */
struct csv_extended {
	int32_t next_prio, prev_pid, prev_prio;
	bool runtime_known, latency_known, waker_known, migrated_known, runnable_known;
	uint64_t prev_runtime_ns;   /* length of the slice that ended with this switch */
	uint64_t wakeup_latency_ns; /* of the task switched in: since its wakeup or fork */
	int32_t waker_pid;
	const struct sched_comm *waker; /* NULL: unknown */
	bool migrated;                  /* since its last run */
	uint32_t runnable;              /* tasks waiting for this CPU */
};

/* The time of a row. */
struct csv_time {
	uint64_t ts_ns;
	uint64_t diff_ns;      /* since the previous row */
	bool diff_is_negative; /* times of a text trace may decrease */
};

/* Two adjacent fields with a comma after each, cached for the next row with the same values. */
struct csv_pair {
	uint64_t number; /* the key: this and the name */
	struct sched_comm comm;
	uint32_t length; /* 0: empty */
	char bytes[100]; /* fits a name of 16 bytes with a PID or a state of 31; always copied as a whole */
};
#define CSV_PAIRS 128u

/* Writes the rows of one trace. */
struct csv_writer {
	struct csv_layout layout;
	struct buffer labels; /* workload_type to scheduler: the end of each row before the extended columns */
	/* Renders prev_state in at most 31 bytes, like sched_state_text(). */
	void (*state_text)(const void *context, uint64_t prev_state, char *text, size_t size);
	const void *state_context;
	struct decimal_second second;
	struct csv_pair tasks[CSV_PAIRS];  /* task_name and pid, by PID */
	struct csv_pair states[CSV_PAIRS]; /* prev_state and prev_comm, by state */
};

/* All members of writer except layout and state_text must be zero. scheduler is read only if the layout has it. False
 * if memory ran out. */
bool csv_writer_begin(struct csv_writer *writer, const char *workload_type, const char *trace_id,
		      const char *scheduler);
void csv_writer_end(struct csv_writer *writer);
/* Adds the row of a SCHED_SWITCH. extended is read only if the writer has those columns. */
void csv_add_event(struct csv_writer *writer, const struct sched_event *event, const struct csv_time *time,
		   const struct csv_extended *extended, struct buffer *out);
/* Adds the row of a switch of a text trace, with the trace's own timestamp and texts. */
void csv_add_text_event(struct csv_writer *writer, const struct ftrace_text_switch *event, const struct csv_time *time,
			const struct csv_extended *extended, struct buffer *out);

#endif
