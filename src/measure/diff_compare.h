/* SPDX-License-Identifier: MIT
 *
 * The comparison of two traces, event by event, CPU by CPU, and the events around the place where they diverge. */
#ifndef MEASURE_DIFF_COMPARE_H
#define MEASURE_DIFF_COMPARE_H

#include "measure/trace_diff.h"

/* Both inputs are open. Fills *diff; call trace_diff_free() even after a failure. STATUS_USAGE if neither trace has an
 * event to compare. */
enum status diff_compare(struct trace_diff *diff, struct error *err);
/* Also closes the inputs and frees the pass. */
void trace_diff_free(struct trace_diff *diff);

/* The events around the place where two traces diverge, side by side. */
#define DIFF_CONTEXT_MAX 200

/* Events before and after the divergence, and the same number again so that the alignment is reliable. */
#define DIFF_CONTEXT_LINES (3 * DIFF_CONTEXT_MAX)

struct diff_context_line {
	uint64_t ts_ns, number;
	size_t words; /* offset in texts */
};

struct diff_context {
	uint32_t before;    /* number of identical lines at the start */
	uint32_t counts[2]; /* of lines */
	bool ended[2];      /* the events of the CPU end with the last line */
	struct diff_context_line lines[2][DIFF_CONTEXT_LINES];
	struct buffer texts;
	/* The edit operations for the following lines, from edit_script(): '=', '!', '-', '+', NUL. */
	char ops[2 * DIFF_CONTEXT_LINES + 1];
	/* Private. */
	uint64_t symbols[2][DIFF_CONTEXT_LINES];
};

/* diff->first is not NULL. size: events before and after, up to DIFF_CONTEXT_MAX. Call diff_context_free() for
 * *context even after a failure. */
enum status diff_context_read(struct trace_diff *diff, uint32_t size, struct diff_context **context, struct error *err);
void diff_context_free(struct diff_context *context);

#endif
