/* SPDX-License-Identifier: MIT
 *
 * Sets of runs that are compared with each other, for picknext compare and picknext report. A set is a directory of
 * traces or a single trace. Listing reads the metadata of every run, once; compare/run_reader.h reads the traces. */
#ifndef COMPARE_RUN_SET_H
#define COMPARE_RUN_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/reach.h"
#include "compare/run_metrics.h"
#include "rules/reading.h"
#include "runs/recorded_set.h"
#include "runs/run.h"
#include "trace/quality.h"

/* The results of reading the trace of a run. */
struct run_results {
	const struct task_choice *choice; /* of run_set_options, as the next */
	bool wants_names;
	unsigned int unneeded; /* by comparison_choose_needs(): bits by enum metric_account */
	struct run_metrics whole, steady;
	struct run_names names;      /* of each name of the tasks */
	bool is_steady;              /* metrics are taken from the steady part: run_sets_choose_part() */
	struct rules_findings rules; /* of a trace with keys; else nothing was judged or checked */
	enum quality_grade grade;    /* the grade of picknext check */
	char finding[sizeof(((struct quality_finding *)0)->text)]; /* its worst finding; "" if good */
	char *earlier_workloads; /* in its guest: compare/earlier_workloads.h; set when it is listed */
	uint64_t events;
	bool is_lossy;       /* events are missing: its metrics are not trustworthy */
	bool followed_only;  /* metrics that depend on other tasks than the followed ones are unknown */
	bool lacks_switches; /* metrics that need each switch are unknown: quality_has_enough() */
};

/* The metrics of the chosen part. */
static inline const struct run_metrics *run_metrics_of(const struct run *run)
{
	return run->results->is_steady ? &run->results->steady : &run->results->whole;
}

struct run_set {
	char *operand;    /* the directory, or the trace */
	char *label;      /* after run_sets_label(): the name that its user gave to picknext vm, the kernel's
			     release, or the end of operand; unique */
	struct run *runs; /* by workload: known ones first, in their order, then by name; then by number */
	size_t count;
	bool is_lone_trace;
	struct recorded_set recorded; /* of vm.json; without document: not of picknext vm */
	struct reach reach;           /* of vm --reached; count 0: not given */
};

struct run_pairs;

struct run_sets {
	struct run_set *items;
	size_t count;
	const char **workloads; /* of all sets, in the order of their first runs */
	size_t workload_count;
	/* Those of metric_table, then one for each name of a value in the metadata, in the order of their appearance;
	 * ended by NULL. */
	const struct metric *metrics[METRICS_MAX + 1];
	size_t metric_count;
	struct metric *values;   /* the rows of the latter */
	struct run_pairs *pairs; /* after run_sets_pair() */
	size_t pair_count;
};

#define ALLOW_OF_SETS ALLOW_RUNS "|incomplete|other-commands"
enum {
	ALLOW_INCOMPLETE = 4,     /* sets that lack runs of their plan: for commands, else STATUS_LOST */
	ALLOW_OTHER_COMMANDS = 8, /* runs of a workload with commands of other arguments, else STATUS_USAGE */
};

struct run_set_options {
	const struct known_workload *known; /* in display order */
	size_t known_count;
	struct option_list workloads; /* patterns of those that are read; empty: all */
	const char *as;               /* the workload of lone traces; NULL: from their names and metadata */
	struct option_list better;    /* NAME=lower or NAME=higher: the direction of a value of the metadata */
	uint32_t allowed;             /* what is not refused: ALLOW_LOSSY, ALLOW_FAILED, and those below */
	struct task_choice tasks;     /* only their metrics; after task_choice_check() */
	const char *by;               /* "comm": metrics of each name too; or NULL */
};

/* Lists the runs of all operands. A directory with traces (DIR/raw if it exists, else DIR) or a trace is a set; a
 * directory of such directories (for example from picknext vm with several kernels) is one set for each, in the order
 * that vm.json gives them, else by version.
 * Errors name the unreadable file. STATUS_USAGE if options->workloads leaves no run of a set, with the existing
 * workloads; if one of its patterns matches none; if no other set shares a workload with the first one; and if two runs
 * are the same file: they would count as independent. Without operands (options may be NULL) sets has the metrics only.
 * options must outlive sets. Call run_sets_free() even after a failure. */
enum status run_sets_list(char *const *operands, size_t count, const struct run_set_options *options,
			  struct run_sets *sets, struct error *err);
void run_sets_free(struct run_sets *sets);
/* The run after one, over all sets; the first one after NULL, NULL after the last one. */
struct run *run_sets_next(const struct run_sets *sets, const struct run *run);
/* The value of a metric of a run that was read, of its tasks of this name (NULL: of all); NaN: it has none. */
double run_value(const struct run *run, const char *task, const struct metric *metric);
/* The metric of this name; NULL: there is none. */
const struct metric *run_sets_metric(const struct run_sets *sets, const char *name);
/* Copies these values in the runs of a workload of a set; values has room for one per run. seconds > 0: of a rate of
 * events, the number of them in each run, per seconds. */
size_t run_set_values(const struct run_set *set, const char *workload, const char *task, const struct metric *metric,
		      double seconds, double *values);
/* True if all runs are of deterministic guests. */
bool run_sets_are_deterministic(const struct run_sets *sets);
/* The run of this number, counted over all sets, and its set. */
struct run *run_sets_run(const struct run_sets *sets, size_t number, struct run_set **set);
size_t run_sets_run_count(const struct run_sets *sets);
/* Labels the sets after their traces have been read: a trace can name its kernel. */
void run_sets_label(struct run_sets *sets);
/* STATUS_USAGE if path, which will be written, is one of the traces; path may be NULL. */
enum status run_sets_refuse_overwriting(const struct run_sets *sets, const char *path, struct error *err);

#endif
