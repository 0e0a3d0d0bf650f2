/* SPDX-License-Identifier: MIT
 *
 * Short windows of a run: which task ran when on which CPU. */
#ifndef REPORT_WINDOW_H
#define REPORT_WINDOW_H

#include "report/decisions.h"
#include "runs/run.h"
#include "trace/pass.h"

/* Higher CPUs have no switch counts and no marks. */
#define REPORT_CPUS_MAX 128u
/* Max number of slices: a window ends when it is reached. */
#define REPORT_SLICES_MAX 6000u
/* Max number of lags of a task; later ones are left out. */
#define REPORT_LAGS_MAX 4000u

/* A task by one of its names. */
struct report_task {
	struct sched_comm comm;
	int32_t pid;
	uint32_t number;            /* for its role: from 1, among the tasks of this name in order of appearance */
	uint32_t task, comm_number; /* numbers in its pass */
};

struct report_slice {
	uint64_t start_ns, end_ns; /* since the run's first event; within the window */
	uint32_t task;             /* index in the window's tasks */
	uint32_t cpu;
	uint8_t how; /* bits of enum chart_how */
};

/* Time in which a task that waited for the CPU was throttled, since the run's first event. */
struct report_throttled {
	uint64_t start_ns, end_ns;
	uint32_t cpu;
};

/* Those of a run; further ones are left out. */
#define REPORT_THROTTLED_MAX 20000u
struct report_throttling {
	struct report_throttled *spans;
	uint32_t count;
	size_t capacity;
};

/* A decision with the followed task, or a group that it is in, as a candidate. */
struct report_lag {
	uint64_t ns;    /* since the run's first event */
	int64_t lag_ns; /* CPU time */
	bool is_group;  /* of the group */
	bool is_passed; /* schedule() picks another candidate */
	bool is_broken; /* and breaks the rule */
};

struct report_window {
	const struct run *run;
	uint64_t from_ns, to_ns;     /* since the run's first event; equal: no window */
	uint64_t start_ns;           /* start of the workload, since the first event */
	struct report_slice *slices; /* of all tasks except idle tasks, ordered by end */
	uint32_t count;
	size_t capacity;
	bool is_full;
	struct report_task *tasks; /* tasks of the slices */
	uint32_t task_count;
	size_t task_capacity;
	bool wants_decisions;
	struct report_decision *decisions; /* decisions at switches, in the order of time, if the trace has keys */
	uint32_t decision_count;
	/* A task whose lag is shown: by its number in the pass or, if that is TASK_NONE, by its name and number. */
	bool follows;
	struct report_task followed;
	struct report_lag *lags; /* in the order of time, if the trace has keys */
	uint32_t lag_count;
	struct report_throttling throttling; /* of the whole run */
};

/* The task, under the name with this number. */
struct report_task report_task_of(const struct task_states *states, uint32_t task, uint32_t comm);

/* Reads the slices and decisions of windows of one run in one pass. input is its open trace. */
enum status report_windows_read(struct report_window *const *windows, size_t count, struct input *input,
				const struct run *run, struct error *err);
void report_window_free(struct report_window *window);

#endif
