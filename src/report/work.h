/* SPDX-License-Identifier: MIT
 *
 * The data that picknext report reads from the traces of one workload in one set, in addition to the common metrics:
 * accounts over all runs, and the slices in a short window of the first one. */
#ifndef REPORT_WORK_H
#define REPORT_WORK_H

#include "compare/run_set.h"
#include "measure/run_account.h"
#include "report/names.h"
#include "trace/pass.h"

/* A window with more slices than this ends early. */
#define REPORT_SLICES_MAX 6000u

struct report_slice {
	uint64_t start_ns, end_ns; /* since the run's first event; within the window */
	uint32_t task, comm, cpu;
	uint8_t how; /* bits of enum chart_how */
};

struct report_window {
	struct pass pass;            /* the names and tasks that slices are of */
	uint64_t from_ns, to_ns;     /* since the run's first event */
	struct report_slice *slices; /* of all tasks except idle tasks, ordered by end */
	uint32_t count;
	size_t capacity;
	bool is_full;
	uint8_t how[RUN_ACCOUNT_CPUS]; /* enum chart_how of the current task of each CPU */
};

/* Switches over the time of a run. */
#define SWITCH_RATE_PARTS 16384u
struct switch_rate {
	uint32_t parts[SWITCH_RATE_PARTS]; /* number of switches in each */
	uint64_t part_ns;                  /* doubled when the run is longer than all parts */
	uint64_t switches, busiest;        /* of all CPUs, and of the busiest one */
};

struct report_work {
	struct run_account account; /* of all runs; its names are in struct report_names */
	bool has_roots;             /* all runs: the workload's tasks are known by descent */
	uint32_t runs;
	uint64_t causes[MIGRATION_CAUSES];
	uint64_t first_ns;         /* length of the first run */
	struct switch_rate *first; /* of the first run */
	bool has_window;           /* the first run reaches it */
	struct report_window window;
};

/* Reads a run from the open trace of input in one pass: its metrics, and *read, its part of the work, which
 * report_work_add() or report_run_free() frees. work: of its set; has_roots is set, nothing is changed. */
struct report_run;
enum status report_run_read(const struct report_work *work, struct run *run, struct input *input,
			    struct report_run **read, struct error *err);
void report_run_free(struct report_run *read);
/* Adds a run to this set's work and to the names. A zeroed work is empty. */
void report_work_add(struct report_work *work, struct report_names *names, uint32_t set, const struct run *run,
		     struct report_run *read);
/* Switches in a typical window of this length: the median over all windows of a run of this length that have any.
 * *from_ns: the typical window that is the nearest to the middle of the run. */
uint64_t switch_rate_typical(const struct switch_rate *rate, uint64_t run_ns, uint64_t length_ns, uint64_t *from_ns);
/* Reads the slices of [from_ns, to_ns) of a trace that is open. */
enum status report_window_read(struct report_window *window, struct input *input, uint64_t from_ns, uint64_t to_ns,
			       struct error *err);
void report_work_free(struct report_work *work);

#endif
