/* SPDX-License-Identifier: MIT
 *
 * The JSON beside each trace: what ran, on what, and how much of it was caught. */
#ifndef RUNS_RUN_METADATA_H
#define RUNS_RUN_METADATA_H

#include <stdint.h>

#include "base/error.h"
#include "capture/cpus.h"
#include "capture/machine.h"
#include "capture/session.h"
#include "record/collection.h"
#include "record/scratch.h"
#include "record/trace_losses.h"

struct run_metadata {
	const char *trace_id;
	const struct collection_request *request;
	const struct workload_request *workload_request;
	const struct workload_result *result;
	const struct capture_session *session; /* stopped */
	const struct cpu_layout *cpus;
	const struct machine *machine;
	const struct scratch *scratch;   /* kind "": the workload writes nothing */
	double start_time_s, end_time_s; /* Unix time */
	uint64_t events, switches;
	const struct trace_losses *losses;
};

enum status run_metadata_write(const struct run_metadata *metadata, const char *path, struct error *err);

#endif
