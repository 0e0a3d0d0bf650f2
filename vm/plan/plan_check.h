/* SPDX-License-Identifier: MIT
 *
 * A directory against the plans in it: which cells are there, which are missing, and what contradicts. */
#ifndef VM_PLAN_PLAN_CHECK_H
#define VM_PLAN_PLAN_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/plan/plan.h"

enum cell_state {
	CELL_WHOLE,
	CELL_MISSING,     /* there is no record: it was not made, or not to its end */
	CELL_FAILED,      /* the guest died, or its boot was interrupted: text says how */
	CELL_CONTRADICTS, /* the record has other inputs than the plan, or its files are not those it lists */
};

struct checked_run {
	struct cell cell;
	enum cell_state state;
	char text[512]; /* why; or "" */
};

struct plan_check {
	struct checked_run *cells; /* in the order of the plan */
	size_t count;
	size_t states[CELL_CONTRADICTS + 1]; /* how many are in each */
	size_t beyond;                       /* cells that no plan has */
};

/* with_content: the bytes of all files are compared with their recorded hashes; else only their sizes are. Free it also
 * after errors. */
enum status plan_check_make(const struct plan *plan, const char *directory, bool with_content, struct plan_check *check,
			    struct error *err);
void plan_check_free(struct plan_check *check);

/* STATUS_LOST if runs of the plans in the directory, or of that of the set that it is (or its raw), are missing; with
 * allow a warning. A directory without plans is complete, and so is what is no directory. */
enum status plan_check_complete(const char *directory, bool allow, struct error *err);

/* STATUS_LOST if the record of a run contradicts its plan or its files: of the plans that plan_check_complete() looks
 * at. The first one is named. with_content: as of plan_check_make(). */
enum status plan_check_agrees(const char *directory, bool with_content, struct error *err);

#endif
