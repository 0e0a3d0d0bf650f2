/* SPDX-License-Identifier: MIT
 *
 * The traces of a dataset, from one directory or several, with their labels and the findings of their readers. */
#ifndef DATA_TRACES_H
#define DATA_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "data/dataset.h"
#include "data/row_kind.h"
#include "data/split.h"
#include "rules/queues.h"
#include "runs/recorded_set.h"
#include "runs/run_list.h"
#include "trace/role_table.h"

struct dataset_trace {
	struct run run;
	char *trace_id;                          /* run.id; for kinds with roles, with digits of sha256 */
	char sha256[SHA256_TEXT_SIZE];           /* for kinds with roles; else "" */
	bool has_labels;                         /* the metadata name the workload; otherwise the file name does */
	char scheduler[RUN_SCHEDULER_NAME_SIZE]; /* "EEVDF" */
	char set_label[RECORDED_LABEL_SIZE];     /* LABEL of picknext vm -k LABEL=IMAGE */
	char cpus[16];
	const char *kernel, *base_slice_ns; /* "" if unknown, like scheduler */
	char *failure;                      /* reason why the run does not match its labels; NULL: it does */
	size_t group;                       /* index in the groups of struct traces */
	enum split_part part;
	double weight; /* weight of its rows; 0: without weights, or no rows */

	/* The findings of the readers. */
	uint64_t rows;     /* rows of the trace */
	uint64_t rows_max; /* size of the sample in rows; UINT64_MAX: all rows */
	/* Number of decisions with one row, with two rows and so on; decisions_taken: of those in the sample. For kinds
	 * with roles. */
	uint64_t decisions[RULE_DEPTH_MAX], decisions_taken[RULE_DEPTH_MAX];
	uint64_t switches;
	uint64_t malformed_lines, first_malformed_line;
	uint64_t backward_steps;                    /* of the time stamps of a text trace */
	uint64_t corrected_times, max_corrected_ns; /* of a .dat: see sched_stream_backwards() */
	bool followed_only;                         /* of a .dat: see trace/trace_scope.h */
	uint32_t skipped_buffers;                   /* of a .dat: trace instances, which are not read */
	union row_counts counts;
	struct role_table roles;
};

static inline uint64_t trace_rows_taken(const struct dataset_trace *trace)
{
	return trace->rows < trace->rows_max ? trace->rows : trace->rows_max;
}

static inline uint64_t decisions_sum(const uint64_t decisions[RULE_DEPTH_MAX])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < RULE_DEPTH_MAX; i++)
		sum += decisions[i];
	return sum;
}

struct traces {
	struct dataset_trace *items;
	size_t count;
	char **groups; /* distinct values of the property that is held out, sorted; point into items */
	size_t group_count;
	size_t unseen; /* index of the group held out, or SPLIT_UNSEEN: none */
};

/* Lists the traces (runs/run_list.h) and reads each NAME.json. Without JSON, the workload is NAME up to its last
 * "_run", and the category is that of other runs of the workload whose JSON has one, or else the workload up to its
 * last "_". If there is no trace, the remedy names --raw-dir if no directory was given as operand. STATUS_USAGE if a
 * trace_id occurs twice. Free the result with traces_free(), even after a failure. */
enum status traces_find(const struct dataset_request *request, struct traces *traces, struct error *err);
void traces_free(struct traces *traces);

/* Sets the same labels for one trace, whose id is set: from directory/ID.json (directory NULL: no JSON), or from its
 * id. Call dataset_trace_free() even after a failure. */
enum status dataset_trace_label(const char *directory, struct dataset_trace *trace, struct error *err);
void dataset_trace_free(struct dataset_trace *trace);

/* --- trace_groups.c --- */

/* Sorts the traces into groups and chooses the group that is held out. text is WHAT or WHAT=VALUE, such as
 * "kernel=6.1.0-49". For WHAT alone, one group is drawn; there must be at least two. Without text, a category is drawn
 * if there are at least three. VALUE may be the beginning of a single group's name. STATUS_USAGE if there is no such
 * group. */
enum status traces_hold_out(struct traces *traces, const char *text, bool no_unseen_split, struct python_random *random,
			    struct error *err);
/* The distinct values of a member of the traces, sorted; point into the traces. The caller frees the array. */
char **traces_distinct(const struct traces *traces, char *(*value_of)(const struct dataset_trace *trace),
		       size_t *count);
/* Returns the number of each trace's group, or SPLIT_UNSEEN if it is held out, and sets *count. The traces of a group
 * are divided between train and test_seen. With roles, a group is a workload under one kernel and scheduler, and *like
 * names the groups that are split alike: those of the same release, so that runs with the same seed, whose traces may
 * be equal for long, are in one file. Without roles, it is the group of traces_hold_out(), and *like is NULL. The
 * caller frees both arrays. */
size_t *traces_strata(const struct traces *traces, bool has_roles, size_t **like, size_t *count);
/* STATUS_USAGE if train.csv has a kernel and scheduler under which test_seen lacks one of its workloads: models would
 * be tested on one scheduler only. Call it after the split. */
enum status traces_refuse_unbalanced(const struct traces *traces, struct error *err);
/* Sets decisions_taken and rows_max, so that no workload has more than workload_rows_max rows under one kernel and
 * scheduler, and no trace more than trace_rows_max. 0: no limit. The traces of a workload keep their shares, and so do
 * the decisions of one, two and more rows in a trace. Call it after the first pass. */
void traces_limit_rows(struct traces *traces, uint64_t workload_rows_max, uint64_t trace_rows_max);
/* Sets weights, so that each workload of a file has the same total weight; the mean weight of a file is 1. Returns the
 * lowest and the highest weight; *max is 0 if there are none. Call it after the split. */
void traces_weigh(struct traces *traces, double *min, double *max);

/* --- trace_findings.c --- */

/* STATUS_LOST for a trace that lost events; the remedies include --allow lossy. */
enum status trace_refuse_lossy(const struct dataset_trace *trace, struct error *err);
/* Reports findings in a trace other than losses: a failed command, malformed lines, times that go backwards, buffers
 * that are not read, or no switch events. */
void trace_report_findings(const struct dataset_request *request, const struct dataset_trace *trace);
/* Warns if the traces are of several kernels. */
void traces_warn_kernels(const struct dataset_request *request, const struct traces *traces);
/* Warns if traces have no metadata: their labels then come from their file names, which is right only for traces of
 * other tools. */
void traces_warn_unlabelled(const struct dataset_request *request, const struct traces *traces);
/* Warns if the same trace is in train and, under another label, in a test. Call it after the split. */
void traces_warn_shared(const struct dataset_request *request, const struct traces *traces);
/* Notes traces that were recorded on a machine, not in a guest: other tasks ran, too. */
void traces_note_machines(const struct dataset_request *request, const struct traces *traces);
/* Reports, after all traces were read, their number and how many of them have losses or other findings. */
void traces_report_verdict(const struct dataset_request *request, const struct traces *traces);

#endif
