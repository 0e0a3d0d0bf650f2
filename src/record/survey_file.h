/* SPDX-License-Identifier: MIT
 *
 * Reads a finished trace back and counts its events. */
#ifndef RECORD_SURVEY_FILE_H
#define RECORD_SURVEY_FILE_H

#include "trace/trace_survey.h"

/* Whether traces with this clock can be read back. If not, the text below is the warning when recording begins. */
bool survey_reads_clock(const char *clock);
#define SURVEY_CLOCK_WARNING                                                                                           \
	"the trace clock %s does not count nanoseconds: trace-cmd report reads such a trace, but picknext's other "    \
	"commands refuse it; leave out --clock"

/* As trace_survey_make(), of a file. */
enum status survey_file(const char *path, struct trace_survey *survey, struct error *err);

#endif
