/* SPDX-License-Identifier: MIT
 *
 * Formatted lines for the listener of a build. */
#ifndef DATASET_NOTICE_H
#define DATASET_NOTICE_H

#include "dataset/request.h"
#include "dataset/traces.h"

void notice_information(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void notice_warning(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The findings in a trace other than losses: malformed lines, times that go backwards, buffers that are not read, or no
 * switch at all. */
void notice_findings(const struct dataset_listener *listener, const struct trace *trace);

#endif
