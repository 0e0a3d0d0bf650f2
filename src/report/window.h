/* SPDX-License-Identifier: MIT
 *
 * Short windows of a run: which task ran when on which CPU. */
#ifndef REPORT_WINDOW_H
#define REPORT_WINDOW_H

#include "report/decisions.h"
#include "runs/run.h"
#include "trace/pass.h"

/* A window with more slices than this ends early. */
#define REPORT_SLICES_MAX 6000u

/* A task by one of its names. */
struct report_task {
	struct sched_comm comm;
	int32_t pid;
	uint32_t number; /* its role: from 1, among the tasks of this name in the order in which they appeared */
	uint32_t task, comm_number; /* in its pass */
};

struct report_slice {
	uint64_t start_ns, end_ns; /* since the run's first event; within the window */
	uint32_t task;             /* of the window's */
	uint32_t cpu;
	uint8_t how; /* bits of enum chart_how */
};

struct report_window {
	const struct run *run;
	uint64_t from_ns, to_ns;     /* since the run's first event; equal: there is none */
	uint64_t start_ns;           /* of the workload, since the first event */
	struct report_slice *slices; /* of all tasks except idle tasks, ordered by end */
	uint32_t count;
	size_t capacity;
	bool is_full;
	struct report_task *tasks; /* of the slices */
	uint32_t task_count;
	size_t task_capacity;
	bool wants_decisions;
	struct report_decision *decisions; /* switches, if the trace has keys; by time */
	uint32_t decision_count;
};

/* The task, with its name of this number. */
struct report_task report_task_of(const struct task_states *states, uint32_t task, uint32_t comm);

/* Reads the slices and decisions of windows of one run, whose trace is open, in one pass. */
enum status report_windows_read(struct report_window *const *windows, size_t count, struct input *input,
				struct error *err);
void report_window_free(struct report_window *window);

#endif
