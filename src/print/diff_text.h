/* SPDX-License-Identifier: MIT
 *
 * The result of comparing two traces as text, CSV and JSON. */
#ifndef PRINT_DIFF_TEXT_H
#define PRINT_DIFF_TEXT_H

#include "measure/exact_difference.h"
#include "measure/trace_diff.h"

struct diff_output {
	bool json, csv;     /* neither: text */
	bool tasks;         /* list the task of B matched with each task of A; CSV has only that list */
	uint64_t context;   /* text: events before and after the first difference */
	unsigned int width; /* text: columns of the terminal; 0: any number */
};

/* May read the traces again, for the events around the difference. */
enum status diff_output_add(const struct diff_output *output, struct trace_diff *diff, struct buffer *out,
			    struct error *err);
/* Adds the verdict, one line. */
void diff_output_add_verdict(const struct trace_diff *diff, struct buffer *out);
/* The result of a byte-by-byte comparison, as text or JSON. */
void diff_output_add_exact(const struct exact_difference *difference, bool json, struct buffer *out);

#endif
