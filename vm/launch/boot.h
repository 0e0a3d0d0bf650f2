/* SPDX-License-Identifier: MIT
 *
 * One boot of one kernel for one job, from its input files to the end of the guest. */
#ifndef VM_LAUNCH_BOOT_H
#define VM_LAUNCH_BOOT_H

#include <limits.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/engine/emulator.h"
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
	const char *lockstep; /* the library built from vm/preload/lockstep.c, or NULL */
	/* Host directory of the files that the guest writes: share, shared memory and scratch disk, as far as machine
	 * has them (names: vm/engine/emulator.h). */
	const char *staging;

	struct private_directory directory;
	struct arguments command, environment;
	struct emulator_process virtiofsd;
	struct channels channels;
};

/* Sets what is particular to one run: its number, which is the seed of a deterministic guest. */
void boot_set_run(struct boot *boot, uint32_t run);
/* Makes only the command line, for directory.path. */
void boot_command(struct boot *boot);
/* Creates the private directory and puts the kernel there. */
enum status boot_place_kernel(struct boot *boot, struct error *err);
/* After boot_place_kernel(): writes the initramfs and links, and makes the command line. */
enum status boot_prepare(struct boot *boot, struct error *err);
/* Starts the guest and supervises it to its end. on gives limits and callbacks, and receives the result. Errors are
 * those of the host; on->end has how the guest ended. */
enum status boot_run(struct boot *boot, struct supervision *on, struct error *err);
/* Stops all processes and removes all files. Safe after each of the above, also after errors. */
void boot_end(struct boot *boot);

#endif
