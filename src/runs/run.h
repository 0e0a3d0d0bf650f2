/* SPDX-License-Identifier: MIT
 *
 * A run on disk: a trace, NAME.dat or NAME.txt, with its metadata in NAME.json. Every command that lists or reads runs
 * uses this struct; commands keep what they find in a trace beside it. */
#ifndef RUNS_RUN_H
#define RUNS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runs/loss.h"
#include "runs/metadata.h"
#include "runs/run_fields.h"

struct run_results;

/* A workload whose tasks are identified by name. */
struct known_workload {
	const char *name;
	const char *task_names; /* separated by spaces; NULL: the descendants of roots */
	unsigned int tasks;     /* with these names, in all */
};

struct run {
	char *path; /* of the trace; "-": standard input */
	char *id;   /* "hackbench_pipe_small_run3": the file's name without .dat or .txt */
	bool is_text;

	/* After run_read_metadata(). */
	uint64_t number;              /* 3: after "_run"; for deterministic runs the seed */
	char *workload, *category;    /* "hackbench_pipe_small", "hackbench_pipe" */
	struct run_metadata metadata; /* document NULL: there is no NAME.json */
	char *facts[FACT_COUNT];      /* NULL: unknown */
	struct losses losses;         /* as reported by the metadata; readers of the trace add theirs */
	int32_t *roots;    /* PIDs of the workload's first tasks, ascending; the others are their descendants */
	size_t root_count; /* 0: unknown */
	char *role_names;  /* of a mix, separated by spaces; NULL: not known */

	/* Set by commands that compare runs (compare/run_set.h). */
	const struct known_workload *known; /* NULL: none of these */
	struct run_results *results;
};

/* Reads directory/ID.json (directory NULL: there is none) of a run whose id and path are set. Labels come from there.
 * Without the file, workload is ID up to its last "_run", and category is workload up to its last "_"; labels missing
 * in the file are ID and "unknown". */
enum status run_read_metadata(struct run *run, const char *directory, struct error *err);
/* The run of the trace at path, with the metadata beside it; "-" has no metadata. STATUS_SYSTEM if there is no such
 * file. Call run_free() even after a failure. */
enum status run_open(struct run *run, const char *path, struct error *err);
void run_free(struct run *run);

static inline bool run_has_metadata(const struct run *run)
{
	return run->metadata.document;
}

/* The names of the workload's tasks, separated by spaces: the roles of its mix, or those of known. NULL: its tasks are
 * the descendants of roots. */
const char *run_task_names(const struct run *run);
/* The number of the workload's tasks; 0: unknown, for example of a command. */
uint32_t run_task_count(const struct run *run);
/* True if the run is of the workload; workload NULL: any. */
bool run_is_of(const struct run *run, const char *workload);

/* The scheduler of a run: the kernel's name of the sched_ext scheduler, else "EEVDF" or "CFS" by the kernel's release;
 * "" if that is not known. */
#define RUN_SCHEDULER_NAME_SIZE 128
void run_scheduler_name(const struct run_metadata *metadata, char text[RUN_SCHEDULER_NAME_SIZE]);
/* Writes why the run cannot count under its labels: its command failed, or its scheduler was ejected. False if
 * neither. */
#define RUN_FAILURE_SIZE 400
bool run_failure(const struct run_metadata *metadata, char text[RUN_FAILURE_SIZE]);
/* The first words of --allow: traces that are read although they are refused by default. */
#define ALLOW_RUNS "lossy|failed"
enum { ALLOW_LOSSY = 1, ALLOW_FAILED = 2 };

/* Returns STATUS_LOST for the trace at path, the first of `failed` failed runs; the remedy includes --allow failed. */
enum status run_refuse_failed(const char *path, const char *failure, size_t failed, struct error *err);

#endif
