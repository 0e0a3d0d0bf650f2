/* SPDX-License-Identifier: MIT
 *
 * Reads a finished trace back, once. */
#ifndef RECORD_READ_BACK_H
#define RECORD_READ_BACK_H

#include "trace/trace_survey.h"

/* Warns if traces with this clock cannot be read back. The kernel has accepted it, so it is not a typing error. */
void read_back_check_clock(const char *clock);

/* Counts the events of a file. If its header has space for symbols (record/tracefs/dat_header.h), writes those of its
 * kernel stacks into it, and warns if the kernel hides its addresses. STATUS_CORRUPT with CPU and page. After success,
 * trace_survey_free(). */
enum status trace_read_back(const char *path, struct trace_survey *survey, struct error *err);

#endif
