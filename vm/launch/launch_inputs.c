/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/program_path.h"
#include "vm/files/base_archive.h"
#include "vm/launch/launch_state.h"
#include "vm/launch/launch_transport.h"
#include "vm/launch/terminal.h"

#define KERNEL_LINE_BYTES_MAX 1800 /* of the 2048 of x86 kernels: vng adds its own arguments */

/* make puts it beside the binary, make install into ../lib/picknext. */
static enum status find_own(const char *name, char *path, struct error *err)
{
	char installed[64];

	snprintf(installed, sizeof(installed), "../lib/picknext/%s", name);
	if (program_find_beside(name, path, PATH_MAX) || program_find_beside(installed, path, PATH_MAX))
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, name, "is neither beside picknext nor at %s", path);
	return error_remedy(err, "run make to build it");
}

static enum status find_initramfs(const char *given, char *path, struct error *err)
{
	if (!given) {
		enum status status = find_own("initramfs.cpio.gz", path, err);
		return status == STATUS_OK
			   ? status
			   : error_remedy(err, "build it with make, or give one with --guest initramfs=FILE");
	}
	snprintf(path, PATH_MAX, "%s", given);
	return access(given, R_OK) == 0 ? STATUS_OK : error_system(err, errno, given, "cannot read the initramfs");
}

/* Checks also for the program of the command if the host does not have it. */
static enum status check_initramfs(const struct launch *launch, struct error *err)
{
	const struct guest_files *guest_files = launch->set->guest_files;
	const char *program = guest_files ? guest_files->expected : NULL;
	struct buffer archive = {0};
	enum status status = base_archive_read(launch->initramfs, &archive, err);

	if (status == STATUS_OK && program && !base_archive_has(&archive, program)) {
		error_set(err, STATUS_SYSTEM, program, "no such program in PATH, nor in the guest");
		status = error_remedy(err, "give its path, or add it: --add HOST:/bin/%s", program);
	}
	buffer_free(&archive);
	return status;
}

static void fill_machine(struct launch *launch)
{
	const struct launch_options *options = launch->options;
	const char *isolation = options->guest.isolation;
	struct machine *machine = &launch->boot.machine;

	machine->engine = &launch->engine;
	machine->cpus = (unsigned int)options->cpus;
	machine->no_isolated_cpu =
	    strcmp(isolation, "none") == 0 || (launch->set->scheduler && strcmp(isolation, "affinity") != 0);
	machine->keeps_domain = strcmp(isolation, "affinity") == 0;
	machine->memory_mb = options->guest.memory_mb;
	machine->nohz_full = kernel_config(&launch->kernel, "NO_HZ_FULL") == 'y';
	machine->rcu_nocbs = kernel_config(&launch->kernel, "RCU_NOCB_CPU") == 'y';
	machine->append = options->guest.append;
	machine->deterministic = options->deterministic;
	machine->shell = options->shell;
	if (machine->shell)
		terminal_size(&machine->rows, &machine->columns);
	launch->boot.kernel = &launch->kernel;
	launch->boot.modules = &launch->modules;
	launch->boot.files = launch->set->guest_files;
	launch->boot.initramfs = launch->initramfs;
}

static enum status find_all(struct launch *launch, struct error *err)
{
	const struct launch_options *options = launch->options;
	const struct guest_options *guest = &options->guest;
	enum status status = kernel_files_find(launch->set->kernel, guest->modules, &launch->kernel, err);

	if (status == STATUS_OK)
		status = find_initramfs(guest->initramfs, launch->initramfs, err);
	if (status == STATUS_OK)
		status = check_initramfs(launch, err);
	if (status == STATUS_OK)
		status = options->deterministic ? emulator_find_deterministic(guest->qemu, &launch->engine, err)
						: emulator_find(guest->engine, guest->qemu, &launch->engine, err);
	if (status == STATUS_OK && options->deterministic) {
		status = find_own(MACHINE_LOCKSTEP, launch->lockstep, err);
		launch->boot.lockstep = launch->lockstep;
	}
	if (status != STATUS_OK)
		return status;
	snprintf(launch->result.release, sizeof(launch->result.release), "%s",
		 launch->kernel.image.release[0] ? launch->kernel.image.release : "kernel");
	fill_machine(launch);
	return STATUS_OK;
}

/* With 0, the kernel's configuration was not found: the guest reports what is missing. */
static enum status check_sched_ext(const struct launch *launch, struct error *err)
{
	static const char *const needed[] = {"SCHED_CLASS_EXT", "BPF_SYSCALL", "BPF_JIT", "DEBUG_INFO_BTF"};

	for (size_t i = 0; launch->set->needs_sched_ext && i < sizeof(needed) / sizeof(needed[0]); i++) {
		char value = kernel_config(&launch->kernel, needed[i]);
		if (value == 0 || value == 'y')
			continue;
		error_set(err, STATUS_UNSUPPORTED, launch->kernel.path,
			  "a scheduler needs sched_ext, and this kernel (%s) was built without CONFIG_%s",
			  launch->result.release, needed[i]);
		return error_remedy(err,
				    "build it with that, or take a kernel that has it: Debian's have from 6.16 on, "
				    "such as picknext fetch kernel 7.3");
	}
	return STATUS_OK;
}

/* BPF memory that an atomic instruction of 16 bytes allocates: without it all forks fail under such schedulers. */
static enum status check_cmpxchg16b(const struct launch *launch, struct error *err)
{
	const struct kernel_set *set = launch->set;

	if (launch->engine.qemu_major >= ENGINE_DETERMINISTIC_MAJOR)
		return STATUS_OK;
	if (set->is_unknown_scheduler)
		message_warning(
		    "QEMU %s has no cmpxchg16b that works; if scheduler %s uses BPF arenas or task storage, it "
		    "needs QEMU %d: picknext fetch qemu",
		    launch->engine.qemu_version, set->scheduler, ENGINE_DETERMINISTIC_MAJOR);
	if (!set->needs_cmpxchg16b)
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, launch->engine.qemu,
		  "scheduler %s needs a CPU with cmpxchg16b, and QEMU %s has none that works", set->scheduler,
		  launch->engine.qemu_version);
	return error_remedy(err, "use QEMU %d with --guest qemu=PROGRAM; picknext fetch qemu gets one",
			    ENGINE_DETERMINISTIC_MAJOR);
}

static enum status check_kernel_line(const struct launch *launch, struct error *err)
{
	struct arguments line = {0};
	size_t length = 0;

	machine_kernel_arguments(&launch->boot.machine, &line);
	for (size_t i = 0; i < line.count; i++)
		length += strlen(line.items[i]) + 1;
	arguments_free(&line);
	if (length <= KERNEL_LINE_BYTES_MAX)
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, NULL,
			 "--guest append makes the kernel's command line %zu bytes long; at most %d fit", length,
			 KERNEL_LINE_BYTES_MAX);
}

enum status launch_find_inputs(struct launch *launch, struct error *err)
{
	enum status status = find_all(launch, err);

	if (status == STATUS_OK)
		status = check_sched_ext(launch, err);
	if (status == STATUS_OK)
		status = check_cmpxchg16b(launch, err);
	if (status == STATUS_OK)
		status = launch_choose_transport(launch, err);
	return status == STATUS_OK ? check_kernel_line(launch, err) : status;
}
