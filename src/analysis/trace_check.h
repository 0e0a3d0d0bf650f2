/* SPDX-License-Identifier: MIT
 *
 * What `picknext check` counts of one trace beyond its quality: each CPU's events, and the places where events are
 * missing or contradict those before. Pure. */
#ifndef ANALYSIS_TRACE_CHECK_H
#define ANALYSIS_TRACE_CHECK_H

#include "trace/pass.h"

/* What a CPU's buffer held. */
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
	uint64_t places_max; /* given: so many are kept */
	struct check_cpu *cpus;
	uint32_t cpu_count;
	struct check_place *places;
	size_t kept_count;
	uint64_t place_count; /* all of them */
};

/* A trace begins: forgets the one before. */
void trace_check_begin(struct trace_check *check);
enum status trace_check_step(struct trace_check *check, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err);
/* The trace is over: adds what is missing after each CPU's last event. */
enum status trace_check_end(struct trace_check *check, const struct pass *pass, struct error *err);
void trace_check_free(struct trace_check *check);

/* The time up to which the trace could be read; 0 if nothing could. */
uint64_t trace_check_readable_ns(const struct trace_check *check);

#endif
