/* SPDX-License-Identifier: MIT
 *
 * A launch: what one kernel set needs once, before and between its runs. A run has its own state (guest_run.h), in a
 * process of its own, and only reads this. */
#ifndef VM_LAUNCH_LAUNCH_H
#define VM_LAUNCH_LAUNCH_H

#include <limits.h>
#include <stdbool.h>

#include "runs/run_record.h"
#include "vm/launch/accelerator.h"
#include "vm/launch/boot.h"
#include "vm/launch/identity.h"
#include "vm/launch/options.h"
#include "vm/launch/skipped_workloads.h"
#include "vm/launch/vm.h"
#include "vm/plan/run_claims.h"
#include "vm/plan/seed_list.h"

struct launch {
	const struct launch_options *options;
	const struct kernel_set *set;
	struct vm_result result;

	/* The inputs, after vm_open(): */
	struct kernel_files kernel;
	struct module_set modules;
	struct emulator engine;
	enum job_transport transport;
	char initramfs[PATH_MAX], lockstep[PATH_MAX];
	struct boot boot; /* common to the boots of all runs */
	/* After launch_choose_machine() and launch_look_up(): */
	struct accelerator_choice accelerator;
	struct identity identity;
	char raw[PATH_MAX], records[PATH_MAX]; /* DIR/SET/raw, DIR/SET/boots */
	struct run_outcomes outcomes;          /* of runs that existed, and of this launch */
	bool has_others;                       /* the runs that existed have other inputs */
	bool is_checked;                       /* its machine is chosen, and its directory looked up */
	struct run_claims claims;              /* after launch_begin() */

	/* The boots of this launch, and the workloads that they skipped: */
	size_t boots;
	struct skipped_workloads skipped;

	/* The runs that failed in this launch: */
	uint32_t failed[SEED_LIST_MAX];
	size_t failed_count;
	struct error error;   /* of the first */
	char death[256];      /* what ended the kernel in its first failed run */
	size_t death_count;   /* runs that ended so */
	bool gives_up;        /* no boot has left a trace, and one has failed */
	size_t runs_left_out; /* not booted after gives_up */
};

#endif
