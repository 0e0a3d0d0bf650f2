/* SPDX-License-Identifier: MIT
 *
 * A trace built by a recipe, parsed, and the stream of its events. */
#ifndef SUPPORT_OPENED_STREAM_H
#define SUPPORT_OPENED_STREAM_H

#include "support/trace_recipe.h"
#include "support/unit.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

struct opened {
	struct buffer file;
	struct tracedat trace;
	struct sched_stream *stream;
};

/* The trace is called a.dat in messages. Ends the recipe. */
static inline void opened_build(struct trace_recipe *recipe, struct opened *opened)
{
	*opened = (struct opened){0};
	assert_true(trace_build(recipe, &opened->file));
	assert_int_equal(
	    tracedat_parse((const uint8_t *)opened->file.data, opened->file.length, "a.dat", &opened->trace, NULL),
	    STATUS_OK);
	trace_end(recipe);
}

static inline void opened_stream(struct trace_recipe *recipe, struct opened *opened)
{
	opened_build(recipe, opened);
	assert_int_equal(sched_stream_open(&opened->trace, "a.dat", &opened->stream, NULL), STATUS_OK);
}

/* Also after opened_build alone. */
static inline void opened_close(struct opened *opened)
{
	sched_stream_close(opened->stream);
	opened->stream = NULL;
	tracedat_free(&opened->trace);
	buffer_free(&opened->file);
}

#endif
