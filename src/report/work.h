/* SPDX-License-Identifier: MIT
 *
 * The data that picknext report reads from the traces of one workload in one set, in addition to the common metrics:
 * the longest waits of all runs, and a window of the first one and around each of these waits. */
#ifndef REPORT_WORK_H
#define REPORT_WORK_H

#include "compare/comparison_rows.h"
#include "compare/run_set.h"
#include "measure/pairs.h"
#include "measure/worst_waits.h"
#include "report/window.h"

#define REPORT_SETS_MAX COMPARISON_SETS_MAX

/* The number of switches over the time of a run. */
#define SWITCH_RATE_PARTS 16384u
struct switch_rate {
	uint32_t parts[SWITCH_RATE_PARTS]; /* number of switches in each part */
	uint64_t part_ns;                  /* length of a part; doubled when the run is longer than all parts */
	uint64_t switches, busiest;        /* switches of all CPUs, and of the busiest one */
};

/* One of the longest waits of the workload's tasks. */
#define REPORT_WAITS    3u
#define REPORT_WAIT_RAN 3u
struct report_wait {
	struct worst_wait found; /* task numbers are valid only in its pass: names follow */
	struct report_task task, waker, ran[REPORT_WAIT_RAN];
	struct report_window window; /* window around the wait; its run is that of the wait */
};

/* Who preempted or woke whom in a run, by names. */
#define REPORT_PAIRS 6u
struct report_pair {
	struct sched_comm first, second;
	struct pair_account account;
};
struct report_pairs {
	struct report_pair items[PAIR_KINDS][REPORT_PAIRS]; /* longest sum of waits first */
	uint32_t counts[PAIR_KINDS], all[PAIR_KINDS];
};

struct report_work {
	bool has_roots; /* in all runs, the workload's tasks are known by descent */
	uint32_t runs;
	uint32_t cpu_count;                   /* the last CPU with a switch, plus 1 */
	uint64_t first_ns;                    /* length of the first run */
	struct switch_rate *first;            /* switches of the first run */
	struct report_pairs pairs;            /* of the first run */
	struct report_window window;          /* window of the first run, with the start of its workload */
	struct report_wait own[REPORT_WAITS]; /* longest waits of the first run; of their windows only the times */
	uint32_t own_count;
	uint64_t part_from_ns, part_to_ns;      /* measured part of the first run */
	struct report_wait waits[REPORT_WAITS]; /* longest first */
	uint32_t wait_count;
};

/* Reads a run from the open trace of input in one pass: its metrics, and *read, its contribution to the work, which
 * report_work_add() or report_run_free() frees. work: that of its set; only has_roots must be set; it is not
 * changed. */
struct report_run;
enum status report_run_read(const struct report_work *work, struct run *run, struct input *input,
			    struct report_run **read, struct error *err);
void report_run_free(struct report_run *read);
/* Adds a run to this set's work. A zeroed work is empty. */
void report_work_add(struct report_work *work, struct report_run *read);
/* Switches of a run from from_ns to to_ns, since its first event. */
uint64_t switch_rate_count(const struct switch_rate *rate, uint64_t from_ns, uint64_t to_ns);
/* The distance between the windows that are examined. */
uint64_t switch_rate_step(const struct switch_rate *rate, uint64_t length_ns);
/* The number of switches in a typical window of this length: the median over those windows in [from_ns, to_ns) that
 * have any. */
uint64_t switch_rate_typical(const struct switch_rate *rate, uint64_t from_ns, uint64_t to_ns, uint64_t length_ns);
void report_work_free(struct report_work *work);

#endif
