/* SPDX-License-Identifier: MIT
 *
 * The parts of compare/run_set.h that read one run. */
#ifndef COMPARE_RUN_METRICS_READER_H
#define COMPARE_RUN_METRICS_READER_H

#include "compare/run_set.h"

/* What is needed beside the run to read its trace. */
struct run_setting {
	double throughput;                  /* NAN where it is not known */
	bool has_cpus;                      /* else all */
	uint64_t cpus[TASK_CPUS_MOST / 64]; /* of the workload */
};

/* Fills run->facts, run->roots, run->host_wait_share and *setting from run->metadata. False if memory ran out. */
bool run_setting_make(struct recorded_run *run, struct run_setting *setting);

/* Reads the trace of run->path: its metrics, its losses, its quality. */
enum status run_read(struct recorded_run *run, const struct run_setting *setting, struct error *err);

#endif
