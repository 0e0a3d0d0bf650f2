/* SPDX-License-Identifier: MIT
 *
 * Reads a finished trace back: what it holds. */
#ifndef CMD_SURVEY_FILE_H
#define CMD_SURVEY_FILE_H

#include "sched/trace_survey.h"

/* As trace_survey_make(), of a file. */
enum status survey_file(const char *path, struct trace_survey *survey, struct error *err);

#endif
