/* SPDX-License-Identifier: MIT
 *
 * Sets in the order of their kernels: where a metric changed, and a chart of each. */
#ifndef REPORT_HISTORY_H
#define REPORT_HISTORY_H

#include "base/buffer.h"
#include "report/model.h"

/* "12 sets from 6.1.1 to 6.1.12". */
void report_history_title(const struct report *report, struct buffer *out);
void report_history(const struct report *report, struct buffer *out);

#endif
