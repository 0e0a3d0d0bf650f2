/* SPDX-License-Identifier: MIT
 *
 * The data that picknext report reads from the traces of one workload in one set, in addition to the common metrics:
 * accounts over all runs, their longest waits, and a window of the first one and around each of these waits. */
#ifndef REPORT_WORK_H
#define REPORT_WORK_H

#include "compare/run_set.h"
#include "measure/run_account.h"
#include "measure/worst_waits.h"
#include "report/names.h"
#include "report/window.h"

/* Switches over the time of a run. */
#define SWITCH_RATE_PARTS 16384u
struct switch_rate {
	uint32_t parts[SWITCH_RATE_PARTS]; /* number of switches in each */
	uint64_t part_ns;                  /* doubled when the run is longer than all parts */
	uint64_t switches, busiest;        /* of all CPUs, and of the busiest one */
};

/* One of the longest waits of the workload's tasks. */
#define REPORT_WAITS    3u
#define REPORT_WAIT_RAN 3u
struct report_wait {
	struct worst_wait found; /* the numbers of its tasks are of its pass: */
	struct report_task task, waker, ran[REPORT_WAIT_RAN];
	struct report_window window; /* around it; its run is that of the wait */
};

struct report_work {
	struct run_account account; /* of all runs; its names are in struct report_names */
	bool has_roots;             /* all runs: the workload's tasks are known by descent */
	uint32_t runs;
	uint64_t causes[MIGRATION_CAUSES];
	uint64_t first_ns;                      /* length of the first run */
	struct switch_rate *first;              /* of the first run */
	struct report_window window;            /* of the first run, and where its workload starts */
	uint64_t part_from_ns, part_to_ns;      /* of the first run: the part that is measured */
	struct report_wait waits[REPORT_WAITS]; /* longest first */
	uint32_t wait_count;
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
/* Switches of a run from from_ns to to_ns, since its first event. */
uint64_t switch_rate_count(const struct switch_rate *rate, uint64_t from_ns, uint64_t to_ns);
/* The distance of windows of this length that are looked at. */
uint64_t switch_rate_step(const struct switch_rate *rate, uint64_t length_ns);
/* Switches in a typical window of this length: the median over those within [from_ns, to_ns) that have any. */
uint64_t switch_rate_typical(const struct switch_rate *rate, uint64_t from_ns, uint64_t to_ns, uint64_t length_ns);
void report_work_free(struct report_work *work);

#endif
