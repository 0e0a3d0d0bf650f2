/* SPDX-License-Identifier: MIT
 *
 * Reads one trace, a trace.dat or a text trace, as rows of a dataset. */
#ifndef DATA_ROWS_H
#define DATA_ROWS_H

#include "base/buffer.h"
#include "base/error.h"
#include "data/column.h"
#include "data/row_kind.h"
#include "data/traces.h"
#include "trace/input.h"
#include "trace/pass.h"

/* The source of the rows and their consumers. */
struct rows {
	const struct row_kind *kind;
	struct dataset_trace *trace;
	struct input *input; /* the open trace: INPUT_DAT or INPUT_TEXT */
	const struct columns *columns;
	bool include_tracer; /* for kinds with roles: include rows of picknext's own tasks and of the tracer's CPU */
	int64_t seed;        /* for the sample, if trace->rows_max is below the number of rows */
	/* First pass: sets rows, counts and roles of the trace. No consumer is called. */
	bool is_survey;
	/* Receives the values of each row; may be NULL. */
	enum status (*take)(void *context, const struct dataset_row *row, struct error *err);
	/* Receives count complete rows as CSV; called periodically. It may replace the buffer. May be NULL. */
	enum status (*put)(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
			   struct error *err);
	void *context;

	/* For struct row_kind.read(): */
	int tracer_cpu; /* rows of this CPU are left out; -1: of none */
	void *reading;  /* state of the kind */
	/* Private. */
	struct row_writer writer;
	struct buffer pending;
	uint64_t pending_count, seen[RULE_DEPTH_MAX], taken[RULE_DEPTH_MAX];
	uint64_t last_ts_ns;
	struct python_random random;
};

/* Reads the whole file once and adds the findings to trace: rows, switches, malformed lines, losses. Needs
 * interrupt_catch(). STATUS_CORRUPT or STATUS_UNSUPPORTED names the file and the place; STATUS_LOST: the metadata, and
 * so the labels, belong to another trace. */
enum status rows_read(struct rows *rows, struct error *err);

/* --- For struct row_kind.read() --- */

/* True if the next decision, which has count rows, is to be added. For kinds with roles. */
bool rows_want(struct rows *rows, uint32_t count);
/* Adds a row whose lists have this many items. */
enum status rows_add(struct rows *rows, struct dataset_row *row, uint32_t items, struct error *err);
/* Reads the trace in a pass, for a kind with roles: step gets each event, with rows as its context. */
enum status rows_read_pass(struct rows *rows,
			   enum status (*step)(void *context, const struct pass *pass, const struct sched_event *event,
					       const struct task_step *step, struct error *err),
			   struct error *err);
/* Call it after the last row if rows_read_pass() is not used. events: number of events read. STATUS_LOST if the trace
 * is not the one that its metadata describe. */
enum status rows_take_findings(struct rows *rows, const struct sched_source *source, uint64_t events,
			       struct error *err);

#endif
