/* SPDX-License-Identifier: MIT
 *
 * The traces of a dataset, from one directory or several, each with its labels and with what its readers found. */
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
	char *trace_id;                          /* run.id; of kinds with roles, with digits of sha256 */
	char sha256[SHA256_TEXT_SIZE];           /* of kinds with roles; else "" */
	bool has_labels;                         /* its metadata names the workload; else its file name does */
	char scheduler[RUN_SCHEDULER_NAME_SIZE]; /* "EEVDF" */
	char set_label[RECORDED_LABEL_SIZE];     /* of picknext vm -k LABEL=IMAGE */
	char cpus[16];
	const char *kernel, *base_slice_ns; /* as scheduler, "" is unknown */
	char *failure;                      /* why it is not what its labels say; NULL: it is */
	size_t group;                       /* index in the groups of struct traces */
	enum split_part part;
	double weight; /* of its rows; 0: none was asked for, or it has no rows */

	/* The findings of the readers. */
	uint64_t rows;     /* those that it has */
	uint64_t rows_max; /* a sample of so many is taken; UINT64_MAX: all */
	/* Numbers of decisions of one row, of two and so on, and of those in the sample. For kinds with roles. */
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
	char **groups; /* distinct values of what is held out, sorted; point into items */
	size_t group_count;
	size_t unseen; /* index of the group held out, or SPLIT_UNSEEN: none */
};

/* Lists the traces (runs/run_list.h) and reads each NAME.json. Without it, the workload is NAME up to its last "_run",
 * and the category that of other runs of it whose JSON names one, or the workload up to its last "_". If there is no
 * trace, the remedy names --raw-dir if the directory is no operand. STATUS_USAGE if a trace_id is there twice. The
 * result is freed with traces_free(), even after a failure. */
enum status traces_find(const struct dataset_request *request, struct traces *traces, struct error *err);
void traces_free(struct traces *traces);

/* The same labels for one trace, whose id is set: from directory/ID.json (directory NULL: no JSON), or from its id.
 * Call dataset_trace_free() even after a failure. */
enum status dataset_trace_label(const char *directory, struct dataset_trace *trace, struct error *err);
void dataset_trace_free(struct dataset_trace *trace);

/* --- trace_groups.c --- */

/* Sorts the traces into groups and chooses the one that is held out. text is WHAT or WHAT=VALUE, such as
 * "kernel=6.1.0-49"; of WHAT alone, one of at least two groups is drawn; without text, a category if there are at least
 * three. VALUE may be the beginning of a single group's name. STATUS_USAGE if there is no such group. */
enum status traces_hold_out(struct traces *traces, const char *text, bool no_unseen_split, struct python_random *random,
			    struct error *err);
/* The distinct values of a member of the traces, sorted; point into the traces. The caller frees the array. */
char **traces_distinct(const struct traces *traces, char *(*value_of)(const struct dataset_trace *trace),
		       size_t *count);
/* What is split: the numbers of groups whose traces are divided between train and test_seen, with SPLIT_UNSEEN for what
 * is held out; sets *count. With roles, a group is a workload under a kernel and scheduler, and *like says which are
 * split alike: those of one release, so that runs with the same seed, which may be equal for long, are in one file;
 * else it is the group of traces_hold_out(), and *like is NULL. The caller frees both arrays. */
size_t *traces_strata(const struct traces *traces, bool has_roles, size_t **like, size_t *count);
/* STATUS_USAGE if a workload of test_seen lacks there a kernel and scheduler that train.csv has of any workload: models
 * would be tested on one scheduler only. After the split. */
enum status traces_refuse_unbalanced(const struct traces *traces, struct error *err);
/* Sets decisions_taken and rows_max, so that no workload has more than workload_rows_max rows under one kernel and
 * scheduler, and no trace more than trace_rows_max; traces of a workload, and in a trace decisions of one, two and more
 * rows, keep their shares. 0: no limit. After the first pass. */
void traces_limit_rows(struct traces *traces, uint64_t workload_rows_max, uint64_t trace_rows_max);
/* Sets weights, so that each workload of a file counts the same although they have different numbers of rows; the mean
 * weight of a file is 1. The lowest and the highest are returned; *max is 0 if there are none. After the split. */
void traces_weigh(struct traces *traces, double *min, double *max);

/* --- trace_findings.c --- */

/* STATUS_LOST for a trace that lost events; the remedies include --allow lossy. */
enum status trace_refuse_lossy(const struct dataset_trace *trace, struct error *err);
/* The findings in a trace other than losses: a command that failed, malformed lines, times that go backwards, buffers
 * that are not read, or no switch events. */
void trace_report_findings(const struct dataset_request *request, const struct dataset_trace *trace);
/* A warning if the traces are of several kernels. */
void traces_warn_kernels(const struct dataset_request *request, const struct traces *traces);
/* A warning if traces have no metadata: their labels come from their file names, which is right for traces of other
 * tools alone. */
void traces_warn_unlabelled(const struct dataset_request *request, const struct traces *traces);
/* A warning if the same trace is in train and, under another label, in a test. After the split. */
void traces_warn_shared(const struct dataset_request *request, const struct traces *traces);
/* Information if traces are of machines, on which other tasks ran, too. */
void traces_note_machines(const struct dataset_request *request, const struct traces *traces);
/* One line, after all traces were read: how many there are, and how many of them have losses or other findings. */
void traces_report_verdict(const struct dataset_request *request, const struct traces *traces);

#endif
