/* SPDX-License-Identifier: MIT
 *
 * The output forms of picknext compare and of its --history. */
#ifndef PRINT_FORMS_H
#define PRINT_FORMS_H

#include "compare/comparison_text.h"
#include "compare/history.h"

void compare_write_text(const struct compare_output *output, struct buffer *out);
void compare_write_json(const struct compare_output *output, struct buffer *out);
void compare_write_csv(const struct compare_output *output, struct buffer *out);
void compare_write_markdown(const struct compare_output *output, struct buffer *out);
/* In the next three each gate at each workload is a test, or without gates each metric of each workload that is
 * exercised. A gate that fails is a failure; an inconclusive one is an error, or skipped if it counts as passed, as one
 * is that is not exercised. */
void compare_write_junit(const struct compare_output *output, struct buffer *out);
void compare_write_ktap(const struct compare_output *output, struct buffer *out);
void compare_write_kcidb(const struct compare_output *output, struct buffer *out);

/* --history. A table for each workload, with a row for each set, and the changes. all: also metrics without a change.
 */
void history_write_text(const struct history *history, bool all, unsigned int width, struct buffer *out);
void history_write_json(const struct history *history, struct buffer *out);

#endif
