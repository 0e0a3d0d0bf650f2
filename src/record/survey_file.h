/* SPDX-License-Identifier: MIT
 *
 * Reads a finished trace back: what it holds. */
#ifndef RECORD_SURVEY_FILE_H
#define RECORD_SURVEY_FILE_H

#include "sched/trace_survey.h"

/* Whether traces with this clock can be read back; where not, the warning as a recording with it begins. */
bool survey_reads_clock(const char *clock);
#define SURVEY_CLOCK_WARNING                                                                                           \
	"the trace clock %s does not count nanoseconds: trace-cmd report shows such a trace, picknext's own commands " \
	"refuse it; leave --clock out"

/* As trace_survey_make(), of a file. */
enum status survey_file(const char *path, struct trace_survey *survey, struct error *err);

#endif
