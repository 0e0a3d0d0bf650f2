/* SPDX-License-Identifier: MIT
 *
 * How the runs of a set ended, as the array "boots" of vm.json lists them. */
#ifndef VM_PLAN_RUN_OUTCOMES_H
#define VM_PLAN_RUN_OUTCOMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/json.h"
#include "vm/engine/host_wait.h"

struct run_outcome {
	uint32_t run;           /* the seed of a deterministic guest */
	char end[16];           /* "done", "panicked", ... */
	char error[1024];       /* ""; for the user */
	char died_before[1024]; /* how the guest died before its first run; it was started once more. Or "" */
	char fault[256];        /* what the kernel reported on its console: a warning, a stall; or "" */
	int job_exit;           /* of the job in the guest, or -1 */
	uint64_t traces, incomplete_files, refused_files, bytes;
	char started_at[UTC_TEXT_SIZE];
	double boot_s, total_s; /* boot_s: NaN if it did not come up */
	double virtual_s;       /* the guest's own time; deterministic */
	bool vcpu_time_known;   /* not of a deterministic guest */
	struct vcpu_time vcpu_time;
	double host_wait_share; /* of vcpu_time; set when it is written or read */
};

/* Starts zeroed. */
struct run_outcomes {
	struct run_outcome *items; /* ascending by run */
	size_t count;
};

/* Adds it; replaces that of the same run. */
void run_outcomes_put(struct run_outcomes *outcomes, const struct run_outcome *outcome);
const struct run_outcome *run_outcomes_find(const struct run_outcomes *outcomes, uint32_t run); /* or NULL */
void run_outcomes_free(struct run_outcomes *outcomes);

/* The array "boots" of vm.json; NULL is an empty one. Entries that are none are left out. */
void run_outcomes_read(struct run_outcomes *outcomes, const struct json_value *boots);
void run_outcomes_write(const struct run_outcomes *outcomes, bool deterministic, struct json_writer *json);
/* All boots as one, for the members of vm.json itself: sums; end and errors of the first boot that has one. */
void run_outcomes_sum(const struct run_outcomes *outcomes, struct run_outcome *sum);
/* The members of a boot other than its run. */
void run_outcome_write(const struct run_outcome *outcome, bool deterministic, struct json_writer *json);

/* Whether key is a member that run_outcome_write() writes. */
bool run_outcome_has_member(const char *key);
/* Whether the boot ended well and left traces. */
bool run_outcome_is_good(const struct run_outcome *outcome);

#endif
