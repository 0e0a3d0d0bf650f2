/* SPDX-License-Identifier: MIT
 *
 * One boot of one kernel for one job, from the files that it takes to the end of the guest. */
#ifndef VM_LAUNCH_BOOT_H
#define VM_LAUNCH_BOOT_H

#include <limits.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/engine/engine.h"
#include "vm/engine/private_directory.h"
#include "vm/files/guest_files.h"
#include "vm/kernel/kernel_files.h"
#include "vm/kernel/modules.h"
#include "vm/launch/supervise.h"
#include "vm/protocol/job.h"

struct boot {
	const struct kernel_files *kernel;
	const struct module_set *modules;
	const struct guest_files *files; /* for the guest, or NULL */
	const char *initramfs;           /* the base archive */
	struct machine machine;          /* directory is filled in by boot_prepare() */
	struct job job;
	const char *shared_memory;     /* the file of vm/launch/shared_memory.h, or NULL */
	const char *lockstep;          /* what vm/preload/lockstep.c was built to, or NULL */
	const char *share;             /* the host's directory behind machine.share, or NULL */
	const char *scratch_directory; /* where the scratch disk's file lies, for machine.scratch_disk */

	struct private_directory directory;
	struct arguments command, environment;
	struct engine_process virtiofsd;
	struct channels channels;
};

/* The command line alone, for directory.path; makes and starts nothing. */
void boot_command(struct boot *boot);
/* Makes the private directory, with the kernel in it. */
enum status boot_place_kernel(struct boot *boot, struct error *err);
/* After that: writes the initramfs and links, and makes the command line. */
enum status boot_prepare(struct boot *boot, struct error *err);
/* Starts and supervises to the end; on gives limits and takers, and is filled with how it went. An error is the
 * host's alone; how the guest ended is in on->end. */
enum status boot_run(struct boot *boot, struct supervision *on, struct error *err);
/* Stops what runs, removes what was made. Safe after any of the above, also after failures. */
void boot_end(struct boot *boot);

#endif
