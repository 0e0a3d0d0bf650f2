/* SPDX-License-Identifier: MIT
 *
 * The collection that collect, all and guest share: each workload, run by run, traced into
 * DIR/raw/NAME_runN.dat with its metadata beside it. */
#ifndef RECORD_COLLECTION_H
#define RECORD_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "workloads/runner/workload.h"

struct collection_progress {
	const char *workload;
	unsigned int run;             /* from 0 */
	unsigned int done, of;        /* runs finished, runs in all */
	uint64_t events_so_far;       /* in the current run */
	double seconds_left_estimate; /* < 0: not known yet */
};

struct collection_request {
	const char *raw_directory; /* is made where missing */
	const struct workload *const *workloads;
	size_t workload_count;
	unsigned int runs, first_run; /* runs are numbered from first_run */
	bool fixed_work;              /* of workload_request */
	uint64_t buffer_size_kb;      /* per CPU */
	double scale, duration_s;
	const char *clock;             /* "mono" */
	unsigned int drain_ms;         /* how often the buffer is read out during a run; 0: only after it */
	const char *scratch_directory; /* for io_mixed; NULL: what is best (null_blk, virtio-blk in a guest, else a file
					  under output) */
	const char *scratch_device;    /* or NULL */
	bool global;                   /* the machine's own trace buffer instead of a private instance */
	bool migration_stacks;         /* the kernel's stack behind each migration */
	const char *accelerator;       /* in a guest: "tcg", "kvm", recorded as is; else NULL */
	/* each may be NULL; context is handed back. trace_done is called outside of any traced window, with the two
	 * files of a run complete in raw_directory; an error from it ends the collection. */
	void (*progress)(void *context, const struct collection_progress *progress);
	/* Outside of the traced window too: before it the tasks wait for their start, behind it they are through. */
	void (*run_begins)(void *context, const char *trace_id);
	void (*run_ended)(void *context, const char *trace_id);
	enum status (*trace_done)(void *context, const char *trace_id, const char *dat_path, const char *json_path,
				  struct error *err);
	/* One line of warning, or about a finished run; NULL: base/message.h. */
	void (*warning)(void *context, const char *text);
	void (*information)(void *context, const char *text);
	void *context;
};

struct collection_summary {
	unsigned int traces; /* written */
	uint64_t switches, events;
	uint64_t lost;       /* events lost, all traces */
	unsigned int lossy;  /* traces that lost some */
	unsigned int failed; /* runs of a command that ended with another exit status than 0; their traces are kept */
};

/* Records all runs. STATUS_SYSTEM where the kernel or the disk refuses, STATUS_INTERRUPTED after a signal: nothing is
 * left in tracefs then, runs that were complete stay, and summary counts them. The caller has done
 * interrupt_catch(). */
enum status collection_run(const struct collection_request *request, struct collection_summary *summary,
			   struct error *err);

#endif
