/* SPDX-License-Identifier: MIT
 *
 * Compares the runs in a directory of picknext vm with those that vm.json of its sets lists: complete, missing, failed
 * or contradicting. */
#ifndef VM_PLAN_PLAN_CHECK_H
#define VM_PLAN_PLAN_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum run_state {
	RUN_WHOLE,
	RUN_MISSING,     /* no record: it was not made, or not to its end */
	RUN_FAILED,      /* the guest died, or its boot was interrupted: text says how */
	RUN_CONTRADICTS, /* the record has other inputs than its set, or its files are not those it lists; or its kernel
			  * is not that of the set's first run */
};

enum plan_check_depth {
	PLAN_CHECK_RECORDS,  /* the records of the runs, and the sizes of their files */
	PLAN_CHECK_KERNELS,  /* also the JSON of each trace: a set has runs of one kernel */
	PLAN_CHECK_CONTENTS, /* also the bytes of all files, against their recorded hashes */
};

struct checked_run {
	char set[80]; /* its directory */
	uint32_t run;
	enum run_state state;
	char text[512]; /* why; or "" */
};

/* Starts zeroed. */
struct plan_check {
	struct checked_run *runs; /* set by set, in the order of vm.json */
	size_t count;
	size_t states[RUN_CONTRADICTS + 1]; /* how many are in each */
	size_t beyond;                      /* runs with a record that are not wanted */
	bool is_of_sets;                    /* the directory holds sets; else it is one, its raw, or none */
};

/* Checks a directory of sets, the directory of one set, or its raw. Any other directory has no wanted runs.
 * STATUS_CORRUPT if a vm.json cannot be read. Free check also after errors. */
enum status plan_check_make(const char *directory, enum plan_check_depth depth, struct plan_check *check,
			    struct error *err);
void plan_check_free(struct plan_check *check);

/* STATUS_LOST if runs are missing or failed; with allow a warning. */
enum status plan_check_complete(const struct plan_check *check, const char *directory, bool allow, struct error *err);
/* STATUS_LOST if a run contradicts; the first one is named. */
enum status plan_check_agrees(const struct plan_check *check, const char *directory, struct error *err);

#endif
