/* SPDX-License-Identifier: MIT
 *
 * The formats of export that are rows of a dataset: csv and baseline. */
#ifndef CMD_EXPORT_ROWS_H
#define CMD_EXPORT_ROWS_H

#include "base/sink.h"
#include "dataset/trace_rows.h"

struct export_rows {
	bool baseline;   /* the four columns of dataset/baseline.h; else those of build */
	bool timestamps; /* baseline: see there */
	bool extended;
	const char *trace_id;
};

/* Writes header and rows to the sink, whose end is the caller's. */
enum status export_rows_write(const struct export_rows *given, struct input *input, struct sink *sink,
			      struct error *err);

#endif
