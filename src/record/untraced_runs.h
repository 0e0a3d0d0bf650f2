/* SPDX-License-Identifier: MIT
 *
 * A collection's runs without any tracing: what picknext vm --no-trace does in the guest. */
#ifndef RECORD_UNTRACED_RUNS_H
#define RECORD_UNTRACED_RUNS_H

#include "record/collection.h"

/* beat is called about once a second while a run goes on, done after each run (NAME_runN); an error from it ends
 * them. The request's context is handed back. */
enum status untraced_runs(const struct collection_request *request,
			  void (*beat)(void *context, const struct workload *workload, unsigned int run),
			  enum status (*done)(void *context, const char *run_id, const struct workload_result *result,
					      struct error *err),
			  struct error *err);

#endif
