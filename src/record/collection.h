/* SPDX-License-Identifier: MIT
 *
 * A collection: runs of workloads, one at a time. Each run writes DIR/raw/NAME_runN.dat and its metadata,
 * NAME_runN.json, or nothing if it is not traced. Used by collect, all and the guest. */
#ifndef RECORD_COLLECTION_H
#define RECORD_COLLECTION_H

#include "record/collection_request.h"

struct collection_summary {
	unsigned int traces; /* written */
	uint64_t switches, events;
	uint64_t lost;        /* events lost in all traces */
	unsigned int lossy;   /* traces that lost events */
	char ejection[1024];  /* report of the first ejection, with its reason; or "" */
	unsigned int ejected; /* runs whose scheduler was ejected; their traces are kept */
	unsigned int skipped; /* runs of mixes that need a feature that the kernel or the machine lacks */
	unsigned int failed;  /* runs whose command ended with an exit code other than 0; their traces are kept */
};

/* STATUS_SYSTEM if tracing or writing fails, STATUS_INTERRUPTED after a signal. In each case nothing is left in
 * tracefs, completed runs are kept, and summary counts them. The caller has called interrupt_catch(). */
enum status collection_run(const struct collection_request *request, struct collection_summary *summary,
			   struct error *err);

#endif
