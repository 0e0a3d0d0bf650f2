/* SPDX-License-Identifier: MIT
 *
 * One run of a workload as a subject of the recorder. */
#ifndef RECORD_WORKLOAD_SUBJECT_H
#define RECORD_WORKLOAD_SUBJECT_H

#include "base/memory.h"
#include "record/recorder.h"
#include "workloads/runner/workload.h"

struct workload_subject {
	struct subject subject;
	struct workload_request request;
	struct workload_run *run;      /* while it runs */
	struct workload_result result; /* afterwards */
	struct cleanup cleanup;
};

void workload_subject_make(struct workload_subject *subject, const struct workload_request *request);

#endif
