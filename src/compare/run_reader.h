/* SPDX-License-Identifier: MIT
 *
 * Reads the traces of sets of runs: their metrics and their quality, in one pass. */
#ifndef COMPARE_RUN_READER_H
#define COMPARE_RUN_READER_H

#include "compare/run_set.h"
#include "measure/migrations.h"
#include "trace/pass.h"

/* What else a pass over a run is for. */
struct run_listener {
	struct pass_consumer consumer; /* its failed() is not called */
	/* Each migration, once its cause is known: before the step() at which it is, or before end(). */
	void (*migration)(void *context, const struct pass *pass, const struct migration *migration);
};

/* Reads the trace of a run, which is open in input. also: may be NULL. */
enum status run_read(struct run *run, struct input *input, const struct run_listener *also, struct error *err);

/* STATUS_USAGE if no run has a task that its reader chose: --comm, --pid, --role. */
enum status run_sets_check_choice(const struct run_sets *sets, struct error *err);

/* Reads all traces of all sets, jobs of them side by side, chooses the part of each workload's runs
 * (compare/run_part.h), and labels the sets. Without allow_lossy, STATUS_LOST at a run that lost events. STATUS_USAGE
 * if no run has a task that was chosen. */
enum status run_sets_read(struct run_sets *sets, bool allow_lossy, unsigned int jobs, struct error *err);

#endif
