/* SPDX-License-Identifier: MIT
 *
 * Counts for `picknext check`, in addition to the trace's quality: the events of each CPU, and the places where events
 * are missing or contradict earlier ones. Reads the metadata next to a trace, and checks that they belong to it. */
#ifndef MEASURE_TRACE_CHECK_H
#define MEASURE_TRACE_CHECK_H

#include "runs/run.h"
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
	uint64_t lost;               /* number of lost events */
	unsigned int what; /* STEP_LOSS and the faults of struct task_step; STEP_ONLINE: the CPU was offline, which is
			      no fault */
};

struct trace_check {
	/* Set by the caller. */
	uint64_t places_max; /* max number of places kept */
	void *context;
	/* Shows a trace that was read to its end, and one that cannot be read: text is the error with its remedy. */
	void (*show)(void *context, const struct pass *pass);
	void (*show_unreadable)(void *context, const struct pass *pass, const char *text);
	/* The current trace. */
	struct run run;                                        /* with its metadata */
	struct quality_finding findings[QUALITY_FINDINGS + 1]; /* the last one: of the metadata, if there are any */
	size_t finding_count;
	const struct quality_finding *worst;
	struct check_cpu *cpus;
	uint32_t cpu_count;
	struct check_place *places;
	size_t kept_count, place_capacity;
	uint64_t place_count; /* number of all places */
	/* All traces. */
	uint32_t bad, unreadable;
	struct error first; /* the first unreadable trace; if there is none, the first bad one */
};

/* The consumer that fills it in a pass. A trace that cannot be read does not end the pass. */
struct pass_consumer trace_check_consumer(struct trace_check *check);
void trace_check_free(struct trace_check *check);

/* True if the CPU is one of the pass and has events or losses. */
bool trace_check_has_cpu(const struct trace_check *check, const struct pass *pass, uint32_t cpu);
/* The worst fault of a place, in words. */
const char *check_place_text(const struct check_place *place);

#endif
