/* SPDX-License-Identifier: MIT
 *
 * Writes the dataset's rows of one input to a sink: as the CSV of a build, or in the columns of baseline.h. */
#ifndef DATA_ROW_EXPORT_H
#define DATA_ROW_EXPORT_H

#include "base/output_stream.h"
#include "data/dataset.h"
#include "trace/input.h"

struct row_export {
	struct input *input;
	bool is_baseline, timestamps; /* as in struct baseline */
	struct columns columns;       /* CSV */
	const char *trace_id;         /* CSV; NULL: see struct trace_rows */
};

/* Writes the header and the rows, and sets *count to the number of rows. Needs interrupt_catch(). */
enum status row_export_write(const struct row_export *request, struct output_stream *sink, uint64_t *count,
			     struct error *err);

#endif
