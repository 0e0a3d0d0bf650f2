/* SPDX-License-Identifier: MIT
 *
 * The state of one launch, shared by the files that do its parts. */
#ifndef VM_LAUNCH_LAUNCH_STATE_H
#define VM_LAUNCH_LAUNCH_STATE_H

#include <limits.h>
#include <stdbool.h>

#include "base/memory.h"
#include "vm/engine/host_wait.h"
#include "vm/launch/accelerator.h"
#include "vm/launch/boot.h"
#include "vm/launch/identity.h"
#include "vm/launch/options.h"
#include "vm/launch/place.h"
#include "vm/launch/vm.h"
#include "vm/plan/boot_records.h"
#include "vm/plan/cell_claims.h"
#include "vm/plan/seed_list.h"

struct launch {
	const struct launch_options *options;
	const struct kernel_set *set;
	struct vm_result result;
	struct identity identity;
	struct kernel_files kernel;
	struct module_set modules;
	struct emulator engine;
	struct accelerator_choice accelerator;
	enum job_transport transport;
	char initramfs[PATH_MAX];
	char raw[PATH_MAX];   /* DIR/SET/raw */
	char cells[PATH_MAX]; /* DIR/SET/cells */
	char lockstep[PATH_MAX];
	struct boot_records records;    /* those that are there, and those of this launch */
	bool has_others;                /* those that are there have other inputs */
	bool gives_up;                  /* no boot has left a trace, and one has failed */
	size_t boots_left_out;          /* after that */
	struct error error;             /* of the first boot that failed */
	uint32_t failed[SEED_LIST_MAX]; /* the runs that failed in this launch */
	size_t failed_count;
	struct cell_claims claims;

	/* The current boot, in its process: */
	struct boot boot;
	uint32_t run;
	char name[112];         /* for messages: "base, seed 3" */
	char staging[PATH_MAX]; /* DIR/SET/.guest-RUN-XXXXXX: share, scratch disk and shared memory of a running
				   guest, and what has arrived */
	char arrived[PATH_MAX]; /* in staging: the files of the guest, until they are all there */
	struct cleanup remove_staging;
	char share[PATH_MAX];         /* in staging */
	char shared_memory[PATH_MAX]; /* in staging; deterministic */
	struct supervision on;
	bool has_ended; /* on->end is known */
	struct console console, engine_log;
	struct transfer_report report; /* of all its starts */
	struct host_wait host_wait;    /* not of a deterministic guest */
	double elapsed_s;              /* of the start before */
	char died_before[1024];        /* how the guest died before its first run; it was started once more. Or "" */
	unsigned int runs_done, runs_of;
	char problem[GUEST_LINE_MAX + 1]; /* the last one of the guest, not shown yet: it may become the error */
	char console_tail[4096], output[4096];
};

#endif
