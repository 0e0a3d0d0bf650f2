/* SPDX-License-Identifier: MIT
 *
 * Reads a finished trace back, once. */
#ifndef RECORD_READ_BACK_H
#define RECORD_READ_BACK_H

#include "trace/trace_survey.h"

/* Warns if picknext cannot read traces with this clock. It is no error, because the kernel accepted the clock. */
void read_back_check_clock(const char *clock);

/* Counts the events of a file. If its header has space for symbols (record/tracefs/dat_header.h), writes the symbols of
 * its kernel stacks there, and warns if the kernel hides its addresses. STATUS_CORRUPT with CPU and page. After
 * success, trace_survey_free(). */
enum status trace_read_back(const char *path, struct trace_survey *survey, struct error *err);

#endif
