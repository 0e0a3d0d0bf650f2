/* SPDX-License-Identifier: MIT
 *
 * Two traces compared event by event: what is given, and what is found. diff_compare() fills it in two passes: the
 * first reads both traces whole, in the order of time, and finds which task of one is which of the other; the second
 * reads each CPU by itself, side by side in both (diff_cursor.h). */
#ifndef COMPARE_TRACE_DIFF_H
#define COMPARE_TRACE_DIFF_H

#include "analysis/sequence_alignment.h"
#include "analysis/task_choice.h"
#include "analysis/task_match.h"
#include "trace/pass.h"

/* Where the sequences of a CPU diverge: the first event that is different, or none if the trace has no more there. */
struct diff_divergence {
	bool has[2];
	uint64_t ts_ns[2];
	char words[2][160];
};

struct diff_cpu {
	uint32_t cpu;
	struct alignment alignment;
	struct diff_divergence divergence;
};

struct trace_diff {
	/* Given: */
	const struct pass_options *window;
	const struct task_choice *tasks_wanted; /* by name alone */
	bool all_events;                        /* wakeups, migrations and marks too, not switches alone */
	bool by_comm;                           /* tasks of one name are the same */
	struct input inputs[2];
	/* Found: */
	struct pass pass;
	/* Of each trace, in the first pass: */
	struct {
		bool has_events;
		uint64_t first_ns;       /* of the trace: times count from there */
		uint64_t from_ns, to_ns; /* first and last event of the window */
		uint64_t *counts;        /* per CPU: events that are compared */
	} runs[2];
	uint64_t *starts_ns; /* of each task */
	uint32_t start_count, start_capacity;
	struct task_match match;
	/* CPUs on which either has events: */
	struct diff_cpu *cpus;
	uint32_t cpu_count;
	/* Up to the first difference: how far the times, each since its first event, are apart. */
	bool times_differ;
	uint64_t drift_max_ns;
	const struct diff_cpu *first; /* the CPU that diverges first, or NULL */
};

/* Time since the first event of a trace. */
static inline uint64_t trace_diff_since_first(const struct trace_diff *diff, int run, uint64_t ts_ns)
{
	return ts_ns - diff->runs[run].first_ns;
}

#endif
