/* SPDX-License-Identifier: MIT
 *
 * A trace as JSON Lines: one object per line for each event that picknext understands, for jq and programs that read a
 * stream. Times are nanoseconds of the trace's clock; fields have the names of the kernel's events. */
#ifndef EXPORT_JSON_LINES_H
#define EXPORT_JSON_LINES_H

#include <stdint.h>

#include "base/error.h"
#include "base/output_stream.h"
#include "trace/input.h"

/* Writes the events of source, which belongs to input, up to its end, and counts them in *events; other kinds of events
 * are left out. Bad input gives STATUS_CORRUPT after the preceding events have been written. A loss is an object whose
 * event is "lost". */
enum status json_lines_write(struct input *input, struct sched_source *source, struct output_stream *out,
			     uint64_t *events, struct error *err);

#endif
