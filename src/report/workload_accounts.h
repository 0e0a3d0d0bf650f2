/* SPDX-License-Identifier: MIT
 *
 * What picknext report reads out of the traces of one workload in one set, beside the metrics that all comparisons
 * share: accounts over all runs, and the slices of a short window of the first one. */
#ifndef REPORT_WORKLOAD_ACCOUNTS_H
#define REPORT_WORKLOAD_ACCOUNTS_H

#include "analysis/run_account.h"
#include "compare/run_set.h"
#include "sched/migration_cause.h"
#include "trace/pass.h"

/* More slices than these are not drawn: the window ends where they are full. */
#define REPORT_SLICES_MAX 6000u

struct report_slice {
	uint64_t start_ns, end_ns; /* since the run's first event; within the window */
	uint32_t task, comm, cpu;
	uint8_t how; /* bits of enum chart_how */
};

struct report_window {
	struct analysis analysis;    /* the names and tasks that slices are of */
	uint64_t from_ns, to_ns;     /* since the run's first event */
	struct report_slice *slices; /* those of idle tasks are not among them; in the order of their ends */
	uint32_t count, capacity;
	bool is_full;
	uint8_t how[RUN_ACCOUNT_CPUS]; /* how what runs on each CPU came there */
};

struct report_work {
	struct analysis analysis; /* the names, and the verdict on all runs */
	struct run_account account;
	struct descent descent;
	bool is_told; /* account tells the workload's tasks and others apart by descent: known of all runs */
	uint64_t causes[MIGRATION_CAUSES];
	const char *first_path;  /* the first run's trace */
	uint64_t first_ns;       /* how long it is */
	uint64_t first_switches; /* and how many there were on its busiest CPU */
	struct report_window window;
};

/* Reads the traces of all runs. *work is zeroed before, and to be freed whatever comes of it. */
enum status report_work_read(struct report_work *work, const struct recorded_run *const *runs, size_t count,
			     struct error *err);
/* Reads the slices of [from_ns, to_ns) of this trace. */
enum status report_window_read(struct report_window *window, const char *trace, uint64_t from_ns, uint64_t to_ns,
			       struct error *err);
void report_work_free(struct report_work *work);

#endif
