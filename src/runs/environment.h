/* SPDX-License-Identifier: MIT
 *
 * Facts about the environment of a run, as texts for comparison. */
#ifndef RUNS_ENVIRONMENT_H
#define RUNS_ENVIRONMENT_H

#include <stdbool.h>

#include "runs/metadata.h"

/* Kernel, architecture and trace clock are known from the trace too. */
enum environment_fact {
	FACT_KERNEL,
	FACT_KERNEL_VERSION,
	FACT_ARCHITECTURE,
	FACT_HZ,
	FACT_PREEMPTION,
	FACT_MITIGATIONS,
	FACT_CPUS, /* of the workload: "0-1" */
	FACT_TRACER_CPU,
	FACT_SCHEDULER, /* of sched_ext: "builtin:fifo"; "the kernel's own" */
	FACT_ISOLATION, /* of the tracer's CPU, beside sched_ext: "none", "affinity" */
	FACT_CLOCKSOURCE,
	FACT_TRACE_CLOCK,
	FACT_ACCELERATOR,   /* "tcg"; "none, not a guest" */
	FACT_DETERMINISTIC, /* "yes", "no" */
	FACT_IDENTITY,      /* of a deterministic run */
	FACT_SCALE,
	FACT_SCRATCH,  /* target of a workload's block I/O: "file on ext4" */
	FACT_TUNABLES, /* of the scheduler: "base_slice_ns=1400000 ..." */
	FACT_COMMAND_LINE,
	FACT_PICKNEXT, /* version and commit */
	FACT_COUNT
};

struct environment_fact_kind {
	const char *name;  /* "trace_clock" */
	const char *title; /* "trace clock" */
	bool matters;      /* a difference changes metrics independently of the kernel: warn before comparing */
};

extern const struct environment_fact_kind environment_facts[FACT_COUNT];

/* Sets each fact that the metadata knows to a text that the caller frees. */
void environment_describe(const struct run_metadata *metadata, char *facts[FACT_COUNT]);

#endif
