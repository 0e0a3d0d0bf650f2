/* SPDX-License-Identifier: MIT
 *
 * The comparison of two traces, event by event, CPU by CPU. */
#ifndef MEASURE_DIFF_COMPARE_H
#define MEASURE_DIFF_COMPARE_H

#include "measure/trace_diff.h"

/* Both inputs are open. Fills *diff; call trace_diff_free() even after a failure. STATUS_USAGE if
 * neither trace has an event to compare. */
enum status diff_compare(struct trace_diff *diff, struct error *err);
/* Also closes the inputs and frees the pass. */
void trace_diff_free(struct trace_diff *diff);

#endif
