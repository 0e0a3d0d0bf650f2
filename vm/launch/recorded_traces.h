/* SPDX-License-Identifier: MIT
 *
 * The traces of a deterministic run that are in its raw/, with their seeds, found by their metadata. */
#ifndef VM_LAUNCH_RECORDED_TRACES_H
#define VM_LAUNCH_RECORDED_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/plan/seed_list.h"

struct recorded_trace {
	char name[160]; /* "io_mixed_run3" */
	uint32_t seed;
};

struct recorded_traces {
	struct recorded_trace *items; /* by seed, then by name */
	size_t count, total;          /* total: also those that are not wanted */
};

/* Lists the traces of this identity (vm/launch/identity.h) whose seeds are in wanted; empty: all. What was listed
 * before an error stays listed. Free it also after errors. */
enum status recorded_traces_list(struct recorded_traces *traces, const char *raw, const char *identity,
				 const struct seed_list *wanted, struct error *err);
/* Their seeds, ascending; false if there are more than SEED_LIST_MAX. */
bool recorded_traces_seeds(const struct recorded_traces *traces, struct seed_list *seeds);
void recorded_traces_free(struct recorded_traces *traces);

#endif
