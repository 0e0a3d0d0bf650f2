/* SPDX-License-Identifier: MIT
 *
 * The state of one launch, shared by the files that do its parts. */
#ifndef VM_LAUNCH_LAUNCH_STATE_H
#define VM_LAUNCH_LAUNCH_STATE_H

#include <limits.h>
#include <stdbool.h>

#include "base/utc.h"
#include "vm/launch/accelerator.h"
#include "vm/launch/boot.h"
#include "vm/launch/host_wait.h"
#include "vm/launch/identity.h"
#include "vm/launch/transfer_place.h"
#include "vm/launch/vm.h"

struct launch {
	const struct vm_request *request;
	struct vm_result result;
	struct identity identity; /* deterministic */
	struct kernel_files kernel;
	struct module_set modules;
	struct engine engine;
	struct accelerator_choice accelerator;
	enum job_transport transport;
	char transport_why[160]; /* why the share is not used; or "" */
	char initramfs[PATH_MAX];
	char raw[PATH_MAX];     /* DIR/RELEASE/raw */
	char staging[PATH_MAX]; /* DIR/RELEASE/.guest-PID-XXXXXX: share, scratch disk and shared memory of a running
				   guest */
	char share[PATH_MAX];   /* in staging */
	char shared_memory[PATH_MAX]; /* in staging; deterministic */
	char lockstep[PATH_MAX];
	struct boot boot;
	struct supervision on;
	struct console console, engine_log;
	struct transfer_report report; /* of all boots */
	struct host_wait host_wait;    /* not of a deterministic guest */
	size_t seed;                   /* index of the current one */
	uint64_t virtual_ns;           /* of all boots */
	double elapsed_s;              /* of earlier boots */
	char started_at[UTC_TEXT_SIZE];
	char died_before[1024]; /* how the guest died before its first run; it was started once more. Or "" */
	unsigned int runs_done, runs_of;
	char problem[GUEST_LINE_MAX + 1]; /* the last one of the guest, not shown yet: it may become the error */
	int lock;                         /* on DIR/RELEASE/raw, -1: not taken */
};

#endif
