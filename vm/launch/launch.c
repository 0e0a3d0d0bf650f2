/* SPDX-License-Identifier: MIT
 *
 * A launch from its inputs on the host to its result. */
#include "vm/launch/launch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/program_path.h"
#include "scheduler/scheduler_name.h"
#include "vm/engine/virtiofsd.h"
#include "vm/files/guest_archive.h"
#include "vm/launch/set_schedulers.h"
#include "vm/launch/terminal.h"

#define KERNEL_LINE_BYTES_MAX 1800 /* x86 kernels accept 2048; vng adds its own arguments */

/* --- The inputs --- */

/* make puts it beside the binary, make install into ../lib/picknext. */
static enum status find_own(const char *name, char *path, struct error *err)
{
	char installed[64];

	snprintf(installed, sizeof(installed), "../lib/picknext/%s", name);
	if (program_find_beside(name, path, PATH_MAX) || program_find_beside(installed, path, PATH_MAX))
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, name, "found neither beside picknext nor at %s", path);
	return error_remedy(err, "run make to build it");
}

static enum status find_initramfs(const struct architecture *architecture, const char *given, char *path,
				  struct error *err)
{
	if (!given) {
		enum status status = find_own(architecture->initramfs, path, err);
		return status == STATUS_OK ? status
					   : error_remedy(err,
							  "build what guests of %s boot with make guests, or give "
							  "it with --guest initramfs=FILE",
							  architecture->name);
	}
	snprintf(path, PATH_MAX, "%s", given);
	return access(given, R_OK) == 0 ? STATUS_OK : error_system(err, errno, given, "cannot read the initramfs");
}

/* Also checks that the archive has the program of the command if the host does not. */
static enum status check_initramfs(const struct launch *launch, struct error *err)
{
	const struct guest_files *guest_files = set_scheduler_files(launch->set->scheduler);
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
	machine->topology = options->topology;
	machine->no_isolated_cpu = strcmp(isolation, "none") == 0 ||
				   (set_scheduler_text(launch->set->scheduler) && strcmp(isolation, "affinity") != 0);
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
	launch->boot.files = set_scheduler_files(launch->set->scheduler);
	launch->boot.initramfs = launch->initramfs;
}

static enum status find_all(struct launch *launch, struct error *err)
{
	const struct launch_options *options = launch->options;
	const struct guest_options *guest = &options->guest;
	enum status status = kernel_files_find(launch->set->kernel, guest->modules, &launch->kernel, err);

	if (status == STATUS_OK)
		status = find_initramfs(launch->kernel.image.architecture, guest->initramfs, launch->initramfs, err);
	if (status == STATUS_OK)
		status = check_initramfs(launch, err);
	if (status == STATUS_OK)
		status = options->deterministic ? emulator_find_deterministic(launch->kernel.image.architecture,
									      guest->qemu, &launch->engine, err)
						: emulator_find(launch->kernel.image.architecture, guest->engine,
								guest->qemu, &launch->engine, err);
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

/* If the kernel's configuration was not found (0), the guest reports what is missing. */
static enum status check_sched_ext(const struct launch *launch, struct error *err)
{
	static const char *const needed[] = {"SCHED_CLASS_EXT", "BPF_SYSCALL", "BPF_JIT", "DEBUG_INFO_BTF"};

	for (size_t i = 0; set_scheduler_is_ext(launch->set->scheduler) && i < sizeof(needed) / sizeof(needed[0]);
	     i++) {
		char value = kernel_config(&launch->kernel, needed[i]);
		if (value == 0 || value == 'y')
			continue;
		error_set(err, STATUS_UNSUPPORTED, launch->kernel.path,
			  "a scheduler needs sched_ext, and this kernel (%s) was built without CONFIG_%s",
			  launch->result.release, needed[i]);
		return error_remedy(err, "enable it, or use a kernel that has it: Debian's kernels from 6.16 on "
					 "(picknext fetch kernel 7.3)");
	}
	return STATUS_OK;
}

/* The kernel allocates BPF arenas and task storage with cmpxchg16b. If that does not work, all forks fail under
 * schedulers that use them. */
static enum status check_cmpxchg16b(const struct launch *launch, struct error *err)
{
	const struct set_scheduler *scheduler = launch->set->scheduler;

	if (!launch->engine.architecture->lacks_cmpxchg16b || launch->engine.qemu_major >= ENGINE_DETERMINISTIC_MAJOR ||
	    !set_scheduler_is_ext(scheduler))
		return STATUS_OK;
	const enum scheduler_need need = scheduler_need(&scheduler->spec);
	if (need == SCHEDULER_NEED_UNKNOWN)
		message_warning(
		    "QEMU %s has no cmpxchg16b that works; if scheduler %s uses BPF arenas or task storage, it "
		    "needs QEMU %d: picknext fetch qemu",
		    launch->engine.qemu_version, scheduler->text.data, ENGINE_DETERMINISTIC_MAJOR);
	if (need != SCHEDULER_NEED_CMPXCHG16B)
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, launch->engine.qemu,
		  "scheduler %s needs a CPU with cmpxchg16b, and QEMU %s has none that works", scheduler->text.data,
		  launch->engine.qemu_version);
	return error_remedy(err, "use QEMU %d with --guest qemu=PROGRAM; picknext fetch qemu gets one",
			    ENGINE_DETERMINISTIC_MAJOR);
}

/* Options whose words cannot be used with every architecture. */
static enum status check_architecture(const struct launch *launch, struct error *err)
{
	const struct architecture *architecture = launch->kernel.image.architecture;
	const struct guest_files *added = set_scheduler_files(launch->set->scheduler);

	const struct topology *topology = &launch->options->topology;

	if ((topology_is_given(topology) && !architecture->has_topology) ||
	    (topology_has_kinds(topology) && !architecture->has_device_tree)) {
		error_set(err, STATUS_UNSUPPORTED, "--topology", "guests of %s cannot have %s", architecture->name,
			  topology_has_kinds(topology) ? "big and little CPUs" : "numa, llc or smt");
		return error_remedy(err, "omit it, or use a kernel of another architecture");
	}
	if (!added || !added->machine || added->machine == architecture->elf_machine)
		return STATUS_OK;
	const struct architecture *other = architecture_of_elf(added->machine);
	error_set(err, STATUS_UNSUPPORTED, added->machine_of, "is a program for %s, and the guest's kernel is for %s",
		  other ? other->name : "another architecture", architecture->name);
	return error_remedy(err, "add one that was built for %s", architecture->name);
}

static enum status check_kernel_line(const struct launch *launch, struct error *err)
{
	struct buffer line = {0};

	machine_kernel_line(&launch->boot.machine, &line);
	const size_t length = line.length + 1;
	buffer_free(&line);
	if (length <= KERNEL_LINE_BYTES_MAX)
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, NULL,
			 "--guest append makes the kernel's command line %zu bytes long; at most %d fit", length,
			 KERNEL_LINE_BYTES_MAX);
}

/* Confidentiality keeps tracefs empty, so that nothing can be recorded (LOCKDOWN_TRACEFS in include/linux/security.h).
 */
static enum status check_lockdown(const struct launch *launch, struct error *err)
{
	static const char word[] = "lockdown=confidentiality";
	const char *append = launch->options->guest.append;

	if (!launch_records(launch->options) || kernel_config(&launch->kernel, "SECURITY_LOCKDOWN_LSM") == 'n')
		return STATUS_OK;
	if (kernel_config(&launch->kernel, "LOCK_DOWN_KERNEL_FORCE_CONFIDENTIALITY") == 'y') {
		error_set(err, STATUS_UNSUPPORTED, launch->kernel.path,
			  "this kernel (%s) locks itself down (CONFIG_LOCK_DOWN_KERNEL_FORCE_CONFIDENTIALITY), which "
			  "closes tracefs",
			  launch->result.release);
		return error_remedy(err, "build it with CONFIG_LOCK_DOWN_KERNEL_FORCE_NONE");
	}
	while (append && *append) {
		const size_t length = strcspn(append, " ");
		if (length == sizeof(word) - 1 && memcmp(append, word, length) == 0) {
			error_set(err, STATUS_UNSUPPORTED, NULL, "--guest append=%s closes the kernel's tracefs", word);
			return error_remedy(err, "lockdown=integrity leaves tracefs open, in guests of --mode "
						 "wall-clock, which have a shared directory");
		}
		append += length + strspn(append + length, " ");
	}
	return STATUS_OK;
}

static enum status refuse_kernel(const struct launch *launch, const char *what, struct error *err)
{
	error_set(err, STATUS_UNSUPPORTED, launch->kernel.path, "%s; missing: %s", what,
		  launch->modules.missing[0] ? launch->modules.missing : "nothing");
	if (!launch->kernel.modules[0])
		return error_remedy(err,
				    "give its modules with --guest modules=DIR (nothing was found beside the image)");
	return error_remedy(err, "searched in %s", launch->kernel.modules);
}

static bool has(const struct launch *launch, unsigned int feature)
{
	return (launch->modules.available & feature) != 0;
}

static bool virtiofs_works(const struct launch *launch)
{
	char path[PATH_MAX];
	bool old;

	return has(launch, FEATURE_VIRTIOFS) && virtiofsd_find(path, sizeof(path), &old);
}

static enum status choose_share(struct launch *launch, struct error *err)
{
	struct machine *machine = &launch->boot.machine;

	if (!has(launch, FEATURE_PCI))
		return refuse_kernel(launch, "this kernel has no PCI", err);
	if (!has(launch, FEATURE_PORT) && launch->options->shell)
		return refuse_kernel(launch, "this kernel has no virtio-serial port", err);
	if (has(launch, FEATURE_PORT))
		machine->share = has(launch, FEATURE_9P)  ? SHARE_9P
				 : virtiofs_works(launch) ? SHARE_VIRTIOFS
							  : SHARE_NONE;
	/* A shell sends no traces. */
	if (machine->share == SHARE_NONE && !launch->options->shell) {
		launch->transport = JOB_TRANSPORT_SHARED_MEMORY;
		machine->shared_memory = true;
	}
	return STATUS_OK;
}

/* How the traces leave the guest: fills transport, machine.share and modules. The guest gets only the modules of that
 * transport: each one costs time and memory. */
static enum status choose_transport(struct launch *launch, struct error *err)
{
	struct machine *machine = &launch->boot.machine;
	/* Without it, the kernel sees the capacities, but has no energy model. */
	const unsigned int frequency = topology_has_kinds(&machine->topology) ? FEATURE_CPU_FREQUENCY : 0;
	unsigned int needed = FEATURE_PCI | frequency;

	if (machine->deterministic) {
		/* No virtio: completion times of its requests depend on the host. */
		launch->transport = JOB_TRANSPORT_SHARED_MEMORY;
		machine->shared_memory = true;
		return modules_collect(&launch->kernel,
				       (launch->options->needs_scratch ? FEATURE_NULL_BLOCK : 0) | frequency,
				       &launch->modules, err);
	}
	enum status status = modules_collect(&launch->kernel, FEATURE_ALL | frequency, &launch->modules, err);
	if (status == STATUS_OK)
		status = choose_share(launch, err);
	if (status != STATUS_OK)
		return status;
	machine->scratch_disk = !has(launch, FEATURE_NULL_BLOCK) && has(launch, FEATURE_VIRTIO_BLOCK);
	needed |= has(launch, FEATURE_PORT) ? FEATURE_PORT : 0;
	needed |= has(launch, FEATURE_NULL_BLOCK) ? FEATURE_NULL_BLOCK
		  : machine->scratch_disk         ? FEATURE_VIRTIO_BLOCK
						  : 0;
	needed |= machine->share == SHARE_9P ? FEATURE_9P : machine->share == SHARE_VIRTIOFS ? FEATURE_VIRTIOFS : 0;
	modules_keep(&launch->modules, needed);
	return STATUS_OK;
}

/* Finds all inputs on the host, and checks what can be checked without booting. */
static enum status find_inputs(struct launch *launch, struct error *err)
{
	enum status status = find_all(launch, err);

	if (status == STATUS_OK)
		status = check_architecture(launch, err);
	if (status == STATUS_OK)
		status = check_sched_ext(launch, err);
	if (status == STATUS_OK)
		status = check_cmpxchg16b(launch, err);
	if (status == STATUS_OK)
		status = check_lockdown(launch, err);
	if (status == STATUS_OK)
		status = choose_transport(launch, err);
	return status == STATUS_OK ? check_kernel_line(launch, err) : status;
}

/* --- The interface --- */

void vm_close(struct launch *launch)
{
	if (!launch)
		return;
	boot_end(&launch->boot);
	run_claims_close(&launch->claims);
	run_outcomes_free(&launch->outcomes);
	modules_free(&launch->modules);
	kernel_files_free(&launch->kernel);
	free(launch);
}

enum status vm_open(const struct launch_options *options, const struct kernel_set *set, struct launch **launch,
		    struct error *err)
{
	struct launch *new = xcalloc(1, sizeof(*new));

	*launch = new;
	new->options = options;
	new->set = set;
	new->boot.directory.lock = new->claims.file = -1;
	new->result = (struct vm_result){.host_wait_share = NAN};
	enum status status = find_inputs(new, err);
	if (status != STATUS_OK) {
		vm_close(new);
		*launch = NULL;
	}
	return status;
}

const char *vm_release(const struct launch *launch)
{
	return launch->result.release;
}

const struct run_claims *vm_claims(const struct launch *launch)
{
	return &launch->claims;
}
