/* SPDX-License-Identifier: MIT
 *
 * Who makes which run of a set, when several processes, also of several machines, work in the same directory: a lock
 * on a byte of DIR/SET/cells/.lock for each run. The kernel releases it when its owner dies. */
#ifndef VM_PLAN_RUN_CLAIMS_H
#define VM_PLAN_RUN_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum claim {
	CLAIM_TAKEN,   /* by this process; also if it had it before */
	CLAIM_OTHERS,  /* another process has it */
	CLAIM_UNKNOWN, /* the file system has no locks: whoever makes a run makes it whole, perhaps twice */
};

struct run_claims {
	int file; /* -1: not open */
};

/* cells: the directory DIR/SET/cells. */
enum status run_claims_open(struct run_claims *claims, const char *cells, struct error *err);
void run_claims_close(struct run_claims *claims);
/* Works in the set with these inputs until claims are closed. CLAIM_OTHERS: another process works there with others. */
enum claim run_claims_join(const struct run_claims *claims, const char *identity);

enum claim run_claims_take(const struct run_claims *claims, uint32_t run);
void run_claims_release(const struct run_claims *claims, uint32_t run);

/* For the files of the set itself: waits until no other process holds it. Without locks it does nothing. */
void run_claims_lock_set(const struct run_claims *claims);
void run_claims_unlock_set(const struct run_claims *claims);

#endif
