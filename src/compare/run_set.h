/* SPDX-License-Identifier: MIT
 *
 * Sets of runs that are compared with each other: what picknext compare and picknext report read. A set is a directory
 * of traces or a single trace; each run is one trace with its figures and with what is known of the machine that it
 * was made on. */
#ifndef COMPARE_RUN_SET_H
#define COMPARE_RUN_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/run_metrics.h"
#include "base/error.h"
#include "runs/environment.h"
#include "runs/run_list.h"
#include "trace/quality.h"

struct recorded_run {
	char *id;       /* "hackbench_pipe_small_run3" */
	char *path;     /* of the trace */
	char *workload; /* "hackbench_pipe_small" */
	char *category;
	uint64_t number; /* 3: behind "_run"; of deterministic runs the seed */
	bool has_metadata;
	struct run_metadata metadata;
	char *facts[FACT_COUNT]; /* NULL: not known */
	double host_wait_share;  /* of a guest that runs by the host's clock: how much of their time its CPUs waited for
				    the host's, 0 to 1; NaN: not known */
	struct run_metrics metrics;
	int32_t *roots;           /* PIDs of the workload's first tasks, ascending; their descendants are its others */
	size_t root_count;        /* 0: not known */
	bool is_lossy;            /* lost events: its figures are not to be trusted */
	enum quality_grade grade; /* picknext check's judgement */
	char
	    finding[sizeof(((struct quality_finding *)0)->text)]; /* its worst finding in words; "" where all is good */
	uint64_t events;
};

struct run_set {
	char *operand; /* the directory, or the trace */
	char *label;   /* its kernel's release, or the last part of operand: unlike those of the other sets */
	struct recorded_run *runs; /* by workload in the table's order, others behind by name; then by number */
	size_t count;
};

struct run_sets {
	struct run_set *items;
	size_t count;
	/* All are single traces, not named by different workloads of picknext, and their names differ: they are taken
	 * to be of one workload, the one of picknext that any is named by, else called as the first's. */
	bool taken_as_one;
};

struct run_set_options {
	bool allow_lossy; /* else a run that lost events fails with STATUS_LOST */
	/* Which workloads are read at all; NULL: every one. */
	bool (*wants)(const void *context, const char *workload);
	const void *context;
};

/* Reads all operands: a directory with traces (DIR/raw where there is one, else DIR) or a trace is a set; a directory
 * whose directories are such (what picknext vm makes of several kernels) is one set for each, in the order of their
 * versions. Errors name what could not be read; where no run is left after options->wants, STATUS_USAGE names the
 * workloads there are. Freed with run_sets_free() whatever comes of it. */
enum status run_sets_read(char *const *operands, size_t count, const struct run_set_options *options,
			  struct run_sets *sets, struct error *err);
void run_sets_free(struct run_sets *sets);
/* STATUS_USAGE where the file that is to be written is one of the traces; path may be NULL. */
enum status run_sets_spare(const struct run_sets *sets, const char *path, struct error *err);

/* The values of a fact within a set, each once, separated by ", ", cut with "..." where text is full; "unknown" where
 * no run says. Only runs of workload count (NULL: all). */
void run_set_fact(const struct run_set *set, const char *workload, enum environment_fact fact, char *text, size_t size);
/* Whether there is a JSON beside any of its traces. */
bool run_set_has_metadata(const struct run_set *set);
/* Whether sets differ in it, as far as they say; also where only some of those that say anything do not say this. */
bool run_sets_differ(const struct run_sets *sets, enum environment_fact fact);

#endif
