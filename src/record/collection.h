/* SPDX-License-Identifier: MIT
 *
 * Many runs of workloads, one after the other: each is traced into DIR/raw/NAME_runN.dat with its metadata beside it,
 * or runs without tracing. collect, all and guest use it. */
#ifndef RECORD_COLLECTION_H
#define RECORD_COLLECTION_H

#include "record/collection_plan.h"
#include "record/messages.h"
#include "record/scheduler_session.h"
#include "record/scratch.h"
#include "record/tracefs/session.h"

struct collection_progress {
	const char *workload;
	unsigned int run;             /* as in the file's name */
	unsigned int done, of;        /* runs finished, runs in all */
	uint64_t events_so_far;       /* in the current run */
	double seconds_left_estimate; /* < 0: not known yet */
};

/* A finished run. */
struct collection_run {
	const char *id;                     /* "cpu_bound_4p_run0" */
	const char *dat_path, *json_path;   /* complete; NULL if it was not traced */
	const struct workload_result *work; /* a command may have failed */
};

struct collection_request {
	const char *raw_directory; /* created if it does not exist */
	struct collection_plan plan;
	bool untraced; /* nothing is written; of the members below only scheduler and scratch are used */
	struct capture_settings capture;  /* clock, buffer_size_kb, migration_stacks */
	bool keys;                        /* record scheduling keys */
	const struct option_list *events; /* wanted ones instead of the scheduler's; or NULL */
	unsigned int drain_ms;            /* interval of readouts during a run; 0: only after it */
	struct scheduler_choice scheduler;
	struct scratch_choice scratch; /* for io_mixed; temporary directories are made in raw_directory */
	const char *identity;          /* of a deterministic guest, recorded with the run's number as seed; or NULL */
	const struct recipe *recipe;   /* recorded; or NULL */
	const char *accelerator;       /* in a guest: "tcg", "kvm", recorded unchanged; else NULL */
	struct messages messages;
	/* Each may be NULL. run_done is called outside of traced windows; an error from it ends the collection. */
	void (*progress)(void *context, const struct collection_progress *progress);
	enum status (*run_done)(void *context, const struct collection_run *run, struct error *err);
	void *context;
};

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
