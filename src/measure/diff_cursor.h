/* SPDX-License-Identifier: MIT
 *
 * The events of one CPU of one trace, as symbols: numbers that are equal for equal decisions in both traces. */
#ifndef MEASURE_DIFF_CURSOR_H
#define MEASURE_DIFF_CURSOR_H

#include "measure/trace_diff.h"

struct diff_cursor {
	struct trace_diff *diff;
	int run;
	uint32_t cpu;
	struct tracedat one; /* the trace, filtered to this CPU */
	struct sched_source *source;
	struct sched_event event; /* the last event read */
	uint64_t symbol;          /* its symbol */
	uint64_t read;            /* number of events read */
	struct sched_task left;   /* for workload_only: the last compared task that left this CPU, and its state */
	uint64_t left_state;
	bool is_over;
};

/* Opens a cursor before the first event of the CPU. A CPU without events in the trace is at its end at once. Errors are
 * those of opening its source. Close the cursor after an error, too. */
enum status diff_cursor_open(struct trace_diff *diff, int run, uint32_t cpu, struct diff_cursor *cursor,
			     struct error *err);
void diff_cursor_close(struct diff_cursor *cursor);
/* Reads the next event; STATUS_END after the last. */
enum status diff_cursor_next(struct diff_cursor *cursor, struct error *err);
/* True if in both traces the same task leaves for the same reason, and it is not the idle task: only the picked task
 * differs. */
bool diff_cursors_part(const struct diff_cursor *a, const struct diff_cursor *b);
/* Adds the event as text; numbers the tasks that share a name. */
void diff_cursor_words(const struct diff_cursor *cursor, struct buffer *out);

/* True if the event is one of the compared kinds. */
bool diff_wants(const struct trace_diff *diff, const struct sched_event *event);

#endif
