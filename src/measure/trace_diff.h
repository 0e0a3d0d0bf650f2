/* SPDX-License-Identifier: MIT
 *
 * The comparison of two traces, event by event, CPU by CPU, in two passes: the first reads both traces whole, in time
 * order, and matches the tasks of one with those of the other; the second reads each CPU separately, in both traces
 * side by side (diff_cursor.h). And the events around the place where they diverge. */
#ifndef MEASURE_TRACE_DIFF_H
#define MEASURE_TRACE_DIFF_H

#include "measure/sequence_alignment.h"
#include "measure/task_choice.h"
#include "measure/task_match.h"
#include "measure/workload_descendants.h"
#include "trace/pass.h"
#include "trace/scheduler_mark.h"

/* The divergence of a CPU: the first different event, or none if the trace has no more there. */
struct diff_divergence {
	bool has[2];
	bool is_pick; /* the same task leaves, for the same reason, and another comes */
	uint64_t ts_ns[2];
	char words[2][160];
};

struct diff_cpu {
	uint32_t cpu;
	struct alignment alignment;
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
	const struct task_choice *tasks_wanted; /* by name alone */
	bool all_events;                        /* also compare wakeups, migrations and marks, not only switches */
	bool first_only;                        /* find where each CPU diverges, and align nothing */
	bool by_comm;                           /* tasks with the same name are equal */
	/* Compare only the tasks of the workload and the idle task, from the first switch to one of these tasks on:
	 * what other tasks do between two of them is left out. workloads are those of the two traces. */
	bool workload_only;
	struct diff_workload workloads[2];
	struct input inputs[2];
	/* Result: */
	struct pass pass;
	/* For each trace, from the first pass: */
	struct {
		bool has_events;
		uint64_t first_ns;                   /* start of the trace: times are relative to it */
		uint64_t from_ns, to_ns;             /* first and last event of the window */
		uint64_t *counts;                    /* number of compared events per CPU */
		bool has_scheduler;                  /* it has the marks of a run whose scheduler is known */
		char scheduler[SCHEDULER_MARK_SIZE]; /* of sched_ext; "": the kernel's own */
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

/* Events before and after the divergence, and the same number again so that the alignment is reliable. */
#define DIFF_CONTEXT_LINES (3 * DIFF_CONTEXT_MAX)

struct diff_context_line {
	uint64_t ts_ns, number;
	size_t words; /* offset in texts */
};

struct diff_context {
	uint32_t before;    /* number of identical lines at the start */
	uint32_t counts[2]; /* of lines */
	bool ended[2];      /* the events of the CPU end with the last line */
	struct diff_context_line lines[2][DIFF_CONTEXT_LINES];
	struct buffer texts;
	/* The edit operations for the following lines, from edit_script(): '=', '!', '-', '+', NUL. */
	char ops[2 * DIFF_CONTEXT_LINES + 1];
	/* Private. */
	uint64_t symbols[2][DIFF_CONTEXT_LINES];
};

/* diff->first is not NULL. size: events before and after, up to DIFF_CONTEXT_MAX. Call diff_context_free() for
 * *context even after a failure. */
enum status diff_context_read(struct trace_diff *diff, uint32_t size, struct diff_context **context, struct error *err);
void diff_context_free(struct diff_context *context);

#endif
