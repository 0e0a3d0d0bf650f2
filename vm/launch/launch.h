/* SPDX-License-Identifier: MIT
 *
 * What one launch knows, shared by the files that do its parts. */
#ifndef VM_LAUNCH_LAUNCH_H
#define VM_LAUNCH_LAUNCH_H

#include <limits.h>
#include <stdbool.h>

#include "base/utc.h"
#include "vm/launch/accelerator.h"
#include "vm/launch/boot.h"
#include "vm/launch/identity.h"
#include "vm/launch/transfer_place.h"
#include "vm/launch/vm.h"

struct launch {
	const struct vm_request *request;
	struct vm_result *result;
	struct kernel_files kernel;
	struct module_set modules;
	struct engine engine;
	struct accelerator_choice accelerator;
	enum job_transport transport;
	char transport_why[160]; /* "" or why it is not the share */
	char initramfs[PATH_MAX];
	char raw[PATH_MAX];           /* DIR/RELEASE/raw */
	char staging[PATH_MAX];       /* DIR/RELEASE/.guest-PID: the share and the scratch disk, while the guest runs */
	char share[PATH_MAX];         /* in it */
	char shared_memory[PATH_MAX]; /* in it; deterministic */
	char lockstep[PATH_MAX];
	struct boot boot;
	struct supervision on;
	struct console console, engine_log;
	struct transfer_report report; /* of all boots */
	struct host_wait host_wait;    /* of the runs, not where time is instructions */
	size_t seed;                   /* index of the one that is booted */
	uint64_t virtual_ns;           /* of all boots */
	double elapsed_s;              /* of those before */
	char started_at[UTC_TEXT_SIZE];
	unsigned int runs_done, runs_of;
	char problem[GUEST_LINE_MOST + 1]; /* the last that the guest told, not yet shown: it may become the error */
	int lock;                          /* on DIR/RELEASE/raw, -1: not taken */
};

/* Which way the traces leave, and with which modules: fills transport, machine.share, modules. */
enum status launch_choose_transport(struct launch *launch, struct error *err);

/* DIR/RELEASE, or RELEASE-2 and so on where this run has one already. */
enum status launch_choose_directory(struct launch *launch, struct error *err);
/* Opens console.log and engine.log anew. */
enum status launch_open_logs(struct launch *launch, struct error *err);
/* Makes it and what is in it, and removes what a launcher that was killed left there. */
enum status launch_make_directories(struct launch *launch, struct error *err);

/* Tells the user what the guest says. */
void launch_progress_line(void *context, const struct guest_line *line);
void launch_tell_problem(struct launch *launch);

/* What the end of the guest means to the user: STATUS_OK, or an error in words with a remedy. */
enum status launch_outcome(const struct launch *launch, struct error *err);

/* Writes DIR/RELEASE/vm.json: how it was run. outcome is NULL where all went well. */
enum status launch_record(const struct launch *launch, const struct error *outcome, struct error *err);

#endif
