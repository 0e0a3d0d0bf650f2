/* SPDX-License-Identifier: MIT
 *
 * Counts for `picknext check`, in addition to the trace's quality: the events of each CPU, and the places where events
 * are missing or contradict earlier ones. Pure. */
#ifndef ANALYSIS_TRACE_CHECK_H
#define ANALYSIS_TRACE_CHECK_H

#include "trace/pass.h"

/* Contents of a CPU's buffer. */
struct check_cpu {
	uint64_t events, first_ns, last_ns; /* since the trace's first event */
	uint64_t lost_events, lost_places;
	uint64_t faults;
};

struct check_place {
	uint32_t cpu;
	bool has_after, has_until, has_lost;
	uint64_t after_ns, until_ns; /* between these two events of the CPU */
	uint64_t lost;               /* events */
	unsigned int what;           /* STEP_LOSS and the faults of struct task_step */
};

struct trace_check {
	uint64_t places_max; /* set by the caller: max number of places kept */
	struct check_cpu *cpus;
	uint32_t cpu_count;
	struct check_place *places;
	size_t kept_count;
	uint64_t place_count; /* number of all places */
};

/* Starts a new trace and clears the previous results. */
void trace_check_begin(struct trace_check *check);
enum status trace_check_step(struct trace_check *check, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err);
/* Ends the trace: adds the events missing after each CPU's last event. */
enum status trace_check_end(struct trace_check *check, const struct pass *pass, struct error *err);
void trace_check_free(struct trace_check *check);

/* The time up to which the trace could be read; 0 if nothing could. */
uint64_t trace_check_readable_ns(const struct trace_check *check);

#endif
