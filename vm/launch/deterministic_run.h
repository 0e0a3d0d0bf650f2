/* SPDX-License-Identifier: MIT
 *
 * A deterministic run as its vm.json and its traces' metadata tell it, and the request that repeats it. */
#ifndef VM_LAUNCH_DETERMINISTIC_RUN_H
#define VM_LAUNCH_DETERMINISTIC_RUN_H

#include "base/json.h"
#include "vm/files/guest_file_request.h"
#include "vm/launch/seed_list.h"
#include "vm/launch/vm.h"

struct recorded_trace {
	char name[160]; /* "io_mixed_run3" */
	uint32_t seed;
};

struct deterministic_run {
	const char *directory; /* the caller's */
	struct identity identity;
	struct vm_request request;       /* all but output_directory */
	struct recorded_trace *traces;   /* of this identity and the seeds that are wanted; by seed, then by name */
	size_t trace_count, trace_total; /* total: of any seed */
	/* What request points into. */
	struct json_value *json;
	struct seed_list seeds;
	struct arguments collect;
	struct guest_files guest_files;
};

/* wanted: its seeds alone; where it has none, all. STATUS_USAGE where directory is not of a deterministic run, or none
 * of its traces is wanted. To be freed whatever comes of it. */
enum status deterministic_run_read(const char *directory, const struct seed_list *wanted, struct deterministic_run *run,
				   struct error *err);
void deterministic_run_free(struct deterministic_run *run);

#endif
