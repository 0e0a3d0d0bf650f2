/* SPDX-License-Identifier: MIT
 *
 * The traces of a dataset of decisions, from several directories of runs: their labels, and what a first pass over each
 * found. */
#ifndef DATA_DECISION_TRACES_H
#define DATA_DECISION_TRACES_H

#include "data/decision_csv.h"
#include "data/request.h"
#include "data/split.h"
#include "runs/run_list.h"

struct decision_trace {
	struct run run;
	char trace_id[NAME_MAX + 16];
	char sha256[65];
	char scheduler[RUN_SCHEDULER_NAME_SIZE], cpus[16];
	const char *kernel, *base_slice_ns; /* "" is unknown */
	size_t group;                       /* index in struct decision_traces */
	bool left_out;                      /* by --max-rows-per-workload */
	enum split_part part;
	double weight; /* of its rows; 0: none was asked for, or it has no rows */
	/* Results of the first pass: */
	struct decision_counts counts;
	struct role_table roles;
};

/* What can be held out. */
enum hold_out {
	HOLD_OUT_CATEGORY,
	HOLD_OUT_WORKLOAD,
	HOLD_OUT_KERNEL,
	HOLD_OUT_SCHEDULER,
	HOLD_OUT_CPUS,
	HOLD_OUT_KINDS
};
extern const char *const hold_out_names[HOLD_OUT_KINDS];

struct decision_traces {
	struct decision_trace *items;
	size_t count;
	const char **groups; /* distinct values of what is held out, sorted */
	size_t group_count;
	size_t unseen; /* index of the group held out, or SPLIT_NO_CATEGORY */
};

/* Lists the traces and reads their metadata; the remedy of a directory without one names no option. */
enum status decision_traces_find(char *const *directories, size_t count, const struct dataset_listener *listener,
				 struct decision_traces *traces, struct error *err);
/* Sorts them into groups and chooses the one that is held out. text is WHAT or WHAT=VALUE, such as "kernel=6.1.0-49";
 * of WHAT alone, one of at least two groups is drawn; without text, a category if there are at least three. VALUE may
 * be the beginning of a single group's name. STATUS_USAGE if there is no such group. */
enum status decision_traces_hold_out(struct decision_traces *traces, const char *text, int64_t seed, struct error *err);
/* Leaves whole traces out, so that no workload has more than rows_max rows under one kernel and scheduler; at least one
 * stays. After the first pass. */
void decision_traces_balance(struct decision_traces *traces, uint64_t rows_max);
void decision_traces_free(struct decision_traces *traces);

/* Receives the rows of a trace. */
struct decision_consumer {
	enum status (*take)(void *context, const struct decision *decision, const struct sched_event *event,
			    const struct task_states *states, struct error *err);
	void *context;
};
/* The passes over a trace. The first, with consumer NULL, fills in roles and counts. STATUS_LOST if events were lost
 * and allow_lossy is not set. Needs interrupt_catch(). */
enum status decision_trace_read(struct decision_trace *trace, bool allow_lossy, bool include_tracer,
				const struct decision_consumer *consumer, struct error *err);

#endif
