/* SPDX-License-Identifier: MIT
 *
 * Who makes which cell of a set, when several processes, also of several machines, work in the same directory: a lock
 * on a byte of DIR/SET/cells/.lock for each run. The kernel releases it when its owner dies. */
#ifndef VM_PLAN_CELL_CLAIMS_H
#define VM_PLAN_CELL_CLAIMS_H

#include <stdint.h>

#include "base/error.h"

enum claim {
	CLAIM_TAKEN,   /* by this process; also if it had it before */
	CLAIM_OTHERS,  /* another process has it */
	CLAIM_UNKNOWN, /* the file system has no locks: whoever makes a cell makes it whole, perhaps twice */
};

struct cell_claims {
	int file; /* -1: not open */
};

/* cells: the directory DIR/SET/cells. */
enum status cell_claims_open(struct cell_claims *claims, const char *cells, struct error *err);
void cell_claims_close(struct cell_claims *claims);

enum claim cell_claims_take(const struct cell_claims *claims, uint32_t run);
void cell_claims_release(const struct cell_claims *claims, uint32_t run);

/* For the files of the set itself: waits until no other process holds it. Without locks it does nothing. */
void cell_claims_lock_set(const struct cell_claims *claims);
void cell_claims_unlock_set(const struct cell_claims *claims);

#endif
