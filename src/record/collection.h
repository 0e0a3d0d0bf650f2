/* SPDX-License-Identifier: MIT
 *
 * Many runs of workloads, one after the other: each is traced into DIR/raw/NAME_runN.dat with its metadata beside it,
 * or runs without tracing. collect, all and guest use it. */
#ifndef RECORD_COLLECTION_H
#define RECORD_COLLECTION_H

#include "record/collection_request.h"

struct collection_summary {
	unsigned int traces; /* written */
	uint64_t switches, events;
	uint64_t lost;        /* events lost in all traces */
	unsigned int lossy;   /* traces that lost events */
	char ejection[1024];  /* the first of these, and why; or "" */
	unsigned int ejected; /* runs whose scheduler was ejected; their traces are kept */
	unsigned int skipped; /* runs of mixes that need what the kernel or the machine lacks */
	unsigned int failed;  /* runs of a command that ended with another exit status than 0; their traces are kept */
};

/* STATUS_SYSTEM if the kernel or the disk refuses, STATUS_INTERRUPTED after a signal. In each case nothing is left in
 * tracefs, completed runs stay, and summary counts them. The caller has done interrupt_catch(). */
enum status collection_run(const struct collection_request *request, struct collection_summary *summary,
			   struct error *err);

#endif
