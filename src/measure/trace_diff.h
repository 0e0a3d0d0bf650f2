/* SPDX-License-Identifier: MIT
 *
 * Compares two traces event by event, CPU by CPU, in two passes: the first reads both traces completely, in time order,
 * and matches the tasks of one with those of the other; the second reads each CPU separately, in both traces side by
 * side (diff_cursor.h). Also reads the events around the place where the traces diverge. */
#ifndef MEASURE_TRACE_DIFF_H
#define MEASURE_TRACE_DIFF_H

#include "measure/task_choice.h"
#include "measure/task_match.h"
#include "measure/workload_descendants.h"
#include "trace/pass.h"
#include "trace/scheduler_mark.h"

/* The divergence of a CPU: the first different event of each trace, or none if that trace has no more events. */
struct diff_divergence {
	bool has[2];
	bool is_pick; /* the same task leaves for the same reason, and another task is picked */
	uint64_t ts_ns[2];
	char words[2][160];
};

struct diff_cpu {
	uint32_t cpu;
	uint64_t events[2]; /* compared events of each trace; not with first_only */
	uint64_t prefix;    /* number of equal events at the beginning */
	bool diverged;      /* the next ones differ, or one trace ends there */
	struct diff_divergence divergence;
};

/* The tasks of the workload that a trace recorded; a zeroed struct: unknown. */
struct diff_workload {
	const char *task_names; /* separated by spaces; NULL: the roots and all their descendants */
	const int32_t *roots;   /* PIDs, ascending */
	size_t root_count;
};

struct trace_diff {
	/* Input: */
	const struct pass_options *window;
	const struct task_choice *tasks_wanted; /* selected by name only */
	bool all_events;                        /* also compare wakeups, migrations and marks, not only switches */
	bool first_only;                        /* find where each CPU diverges, and stop reading there */
	bool by_comm;                           /* tasks with the same name are equal */
	/* Compare only the tasks of the workload and the idle task, from the first switch to one of these tasks on;
	 * switches among other tasks are left out. workloads: of the two traces. */
	bool workload_only;
	struct diff_workload workloads[2];
	struct input inputs[2];
	void (*warn)(const char *text); /* of struct pass_consumer; may be NULL */
	/* Result: */
	struct pass pass;
	/* For each trace, from the first pass: */
	struct {
		bool has_events;
		uint64_t first_ns;                   /* start of the trace: times are relative to it */
		uint64_t from_ns, to_ns;             /* first and last event of the window */
		uint64_t *counts;                    /* number of compared events per CPU */
		bool has_scheduler;                  /* it has the scheduler marks of picknext */
		char scheduler[SCHEDULER_MARK_SIZE]; /* name of the sched_ext scheduler; "": none */
	} runs[2];
	struct descendants descendants;
	uint64_t *starts_ns; /* start of each task */
	uint32_t start_count;
	size_t start_capacity;
	struct task_match match;
	/* CPUs with events in either trace: */
	struct diff_cpu *cpus;
	uint32_t cpu_count;
	/* Max difference of the times, each relative to its first event, before the first difference. */
	bool times_differ;
	uint64_t drift_max_ns;
	const struct diff_cpu *first; /* the CPU that diverges first, or NULL */
};

/* Time since the first event of a trace. */
static inline uint64_t trace_diff_since_first(const struct trace_diff *diff, int run, uint64_t ts_ns)
{
	return ts_ns - diff->runs[run].first_ns;
}

/* Both inputs are open. Fills *diff; call trace_diff_free() even after a failure. STATUS_USAGE if neither trace has an
 * event to compare. */
enum status diff_compare(struct trace_diff *diff, struct error *err);
/* Also closes the inputs and frees the pass. */
void trace_diff_free(struct trace_diff *diff);

/* The events around the place where two traces diverge, side by side. */
#define DIFF_CONTEXT_MAX 200

#define DIFF_CONTEXT_LINES (2 * DIFF_CONTEXT_MAX)

struct diff_context_line {
	uint64_t ts_ns, number;
	uint64_t symbol; /* equal for equal events */
	size_t words;    /* offset in texts */
};

struct diff_context {
	uint32_t before;    /* number of identical lines at the start */
	uint32_t counts[2]; /* number of lines */
	struct diff_context_line lines[2][DIFF_CONTEXT_LINES];
	struct buffer texts;
};

/* diff->first is not NULL. size: events before and after, up to DIFF_CONTEXT_MAX. Call diff_context_free() for
 * *context even after a failure. */
enum status diff_context_read(struct trace_diff *diff, uint32_t size, struct diff_context **context, struct error *err);
void diff_context_free(struct diff_context *context);

#endif
