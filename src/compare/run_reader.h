/* SPDX-License-Identifier: MIT
 *
 * Reads the traces of sets of runs: their metrics and their quality, in one pass. */
#ifndef COMPARE_RUN_READER_H
#define COMPARE_RUN_READER_H

#include "compare/run_set.h"
#include "trace/pass.h"

/* Reads the trace of a run, which is open in input. also: what else the pass is for; may be NULL. STATUS_LOST if it is
 * not the trace that its metadata describe: another kernel recorded it, or it has another number of events. */
enum status run_read(struct run *run, struct input *input, const struct pass_consumer *also, struct error *err);

/* STATUS_LOST if events of a run that was read are missing: lost, or behind the end of a truncated file. */
enum status run_check_losses(const struct run *run, struct error *err);

/* STATUS_USAGE if no run has a task that its reader chose: --comm, --pid, --role. */
enum status run_sets_check_choice(const struct run_sets *sets, struct error *err);

/* Reads all traces of all sets, jobs of them side by side, chooses the part of each workload's runs, and labels the
 * sets. Without allow_lossy, STATUS_LOST at a run of which events are missing. STATUS_USAGE if no run has a task that
 * was chosen.
 */
enum status run_sets_read(struct run_sets *sets, bool allow_lossy, unsigned int jobs, struct error *err);

/* The part of its runs from which the metrics of a workload are taken: the steady part (compare/run_metrics.h) of all
 * runs of all sets, or all of every run if one of them has no steady part of RUN_STEADY_MIN_PERCENT of its time. So a
 * steady part is never compared with a whole run. Throughput is always that of the whole run. */
#define RUN_STEADY_MIN_PERCENT 10

enum run_part {
	RUN_PART_STEADY,
	RUN_PART_WHOLE,     /* the number of the workload's tasks is unknown, as of a command: its tasks come and go */
	RUN_PART_TOO_SHORT, /* whole: the steady part of a run is too short, or does not exist */
};

/* Finds that part of the workload's runs in all sets, whose traces have been read. */
enum run_part run_sets_part(const struct run_sets *sets, const char *workload);
/* Chooses it. */
void run_sets_choose_part(struct run_sets *sets, const char *workload);

/* Share of time, in percent, that is left out at the start and end of the runs of a workload: means over its runs. 0
 * if none is left out, NaN without runs. */
struct run_left_out {
	double start, end;
};

struct run_left_out run_set_left_out(const struct run_set *set, const char *workload);

#endif
