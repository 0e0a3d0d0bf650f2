/* SPDX-License-Identifier: MIT
 *
 * Whether a trace is the one that its metadata describe. Files of two runs may have been exchanged. */
#ifndef MEASURE_TRACE_IDENTITY_H
#define MEASURE_TRACE_IDENTITY_H

#include "runs/run.h"
#include "trace/pass.h"

enum { TRACE_IDENTITY_SIZE = 256 };
#define TRACE_IDENTITY_REMEDY "restore the file that was recorded, or leave the run out"

/* For the end() of a consumer. True if the current trace is not the one that the metadata of run describe; text says
 * why: another kernel, or another number of events. Text traces have no kernel, and traces that are cut or read in part
 * are not counted. */
bool trace_identity_differs(const struct run *run, const struct pass *pass, char text[TRACE_IDENTITY_SIZE]);

#endif
