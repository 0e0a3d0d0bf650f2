/* SPDX-License-Identifier: MIT
 *
 * Claims of runs, for several processes (also on several machines) that work in the same directory. A claim is a lock
 * on one byte per run of DIR/SET/boots/.lock. The kernel releases it when its owner dies. */
#ifndef VM_PLAN_RUN_CLAIMS_H
#define VM_PLAN_RUN_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum claim {
	CLAIM_TAKEN,   /* by this process; also if it had it before */
	CLAIM_OTHERS,  /* another process has it */
	CLAIM_UNKNOWN, /* the file system has no locks: two processes may make the same run, each completely */
};

struct run_claims {
	int file; /* -1: not open */
};

/* boots: the directory DIR/SET/boots. */
enum status run_claims_open(struct run_claims *claims, const char *boots, struct error *err);
void run_claims_close(struct run_claims *claims);
/* Joins the set with these inputs until claims are closed. CLAIM_OTHERS: another process uses it with other inputs. */
enum claim run_claims_join(const struct run_claims *claims, const char *identity);

enum claim run_claims_take(const struct run_claims *claims, uint32_t run);
void run_claims_release(const struct run_claims *claims, uint32_t run);

/* For the files of the set itself: waits until no other process holds it. Without locks it does nothing. */
void run_claims_lock_set(const struct run_claims *claims);
void run_claims_unlock_set(const struct run_claims *claims);

#endif
