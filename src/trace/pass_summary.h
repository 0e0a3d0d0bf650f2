/* SPDX-License-Identifier: MIT
 *
 * The summary of a pass, shown at the end of every analysis. */
#ifndef TRACE_PASS_SUMMARY_H
#define TRACE_PASS_SUMMARY_H

#include "base/json.h"
#include "trace/pass.h"

/* "407,312 events, 3.204 s, 4 CPUs, no events lost". */
void pass_summary_text(const struct pass *pass, char *text, size_t size);
/* The same summary as the JSON object "trace". */
void pass_summary_add_json(const struct pass *pass, struct json_writer *json);

#endif
