/* SPDX-License-Identifier: MIT */
#include "vm/launch/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "vm/engine/cpu_kinds.h"
#include "vm/engine/virtiofsd.h"
#include "vm/files/guest_archive.h"
#include "vm/kernel/unpack.h"

#define SCRATCH_BYTES (1ll << 30) /* sparse */

static enum status path_in(const struct boot *boot, const char *name, char *path, struct error *err)
{
	return file_join(path, PATH_MAX, boot->directory.path, name, err);
}

static enum status link_in(const struct boot *boot, const char *name, const char *target, struct error *err)
{
	char path[PATH_MAX];
	char real[PATH_MAX];
	enum status status = path_in(boot, name, path, err);

	if (status != STATUS_OK)
		return status;
	if (!realpath(target, real))
		return error_system(err, errno, target, "cannot find");
	if (symlink(real, path) < 0)
		return error_system(err, errno, path, "cannot link");
	return STATUS_OK;
}

/* The base archive, followed by the job archive. */
static enum status write_initramfs(const struct boot *boot, struct error *err)
{
	char path[PATH_MAX];
	struct buffer archive = {0};
	enum status status = file_read(boot->initramfs, BASE_ARCHIVE_MAX, &archive, err);

	if (status == STATUS_OK)
		status = job_archive_write(&boot->job, boot->files, boot->modules, &archive, err);
	if (status == STATUS_OK)
		status = path_in(boot, MACHINE_INITRD, path, err);
	if (status == STATUS_OK)
		status = file_replace(path, archive.data, archive.length, err);
	buffer_free(&archive);
	return status;
}

/* Under TCG, unpacking the kernel on the host is seconds faster than in the guest. If that is not possible, the packed
 * image boots. */
static enum status place_kernel(const struct boot *boot, struct error *err)
{
	char path[PATH_MAX], unpacked[PATH_MAX];
	struct error why;
	enum status status = path_in(boot, MACHINE_KERNEL, path, err);

	if (status != STATUS_OK)
		return status;
	if (boot->machine.accelerator == ACCELERATOR_TCG && kernel_config(boot->kernel, "PVH") == 'y') {
		if (kernel_image_unpack_once(boot->kernel->path, &boot->kernel->image, unpacked, &why) == STATUS_OK)
			return link_in(boot, MACHINE_KERNEL, unpacked, err);
		if (interrupt_check(err) == STATUS_OK &&
		    kernel_image_unpack(boot->kernel->path, &boot->kernel->image, path, &why) == STATUS_OK)
			return STATUS_OK;
		if (interrupt_check(err) != STATUS_OK)
			return STATUS_INTERRUPTED;
		message_detail("booting the packed image: %s", why.what);
		unlink(path);
	}
	return link_in(boot, MACHINE_KERNEL, boot->kernel->boot, err);
}

static enum status link_staged(const struct boot *boot, const char *name, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), boot->staging, name, err);

	return status == STATUS_OK ? link_in(boot, name, path, err) : status;
}

/* what: for errors. */
static enum status make_sparse(const struct boot *boot, const char *name, long long bytes, const char *what,
			       struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), boot->staging, name, err);

	if (status != STATUS_OK)
		return status;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || ftruncate(fd, bytes) < 0)
		status = error_system(err, errno, path, "cannot make the %s", what);
	if (fd >= 0)
		close(fd);
	return status == STATUS_OK ? link_staged(boot, name, err) : status;
}

static enum status write_device_tree(const struct boot *boot, struct error *err)
{
	char path[PATH_MAX];
	struct buffer tree = {0};
	enum status status = path_in(boot, MACHINE_DEVICE_TREE, path, err);

	if (status == STATUS_OK)
		status = cpu_kinds_tree(&boot->machine, boot->directory.path, &tree, err);
	if (status == STATUS_OK)
		status = file_replace(path, tree.data, tree.length, err);
	buffer_free(&tree);
	return status;
}

void boot_set_run(struct boot *boot, uint32_t run)
{
	boot->job.first_run = run;
	boot->machine.seed = boot->machine.deterministic ? run : 0;
	boot->machine.code_cache_mb = boot->machine.deterministic ? MACHINE_CODE_CACHE_MB : 0;
}

void boot_command(struct boot *boot)
{
	boot->machine.directory = boot->directory.path;
	if (boot->machine.engine->kind == ENGINE_VNG)
		emulator_vng_command(&boot->machine, &boot->command, &boot->environment);
	else
		emulator_qemu_command(&boot->machine, &boot->command);
	if (boot->lockstep)
		arguments_add(&boot->environment, "LD_PRELOAD=%s/" MACHINE_LOCKSTEP, boot->directory.path);
}

enum status boot_place_kernel(struct boot *boot, struct error *err)
{
	enum status status = private_directory_make(&boot->directory, err);

	return status == STATUS_OK ? place_kernel(boot, err) : status;
}

enum status boot_prepare(struct boot *boot, struct error *err)
{
	enum status status = write_initramfs(boot, err);

	if (status == STATUS_OK && boot->machine.share != SHARE_NONE)
		status = link_staged(boot, MACHINE_SHARE, err);
	if (status == STATUS_OK && boot->machine.scratch_disk)
		status = make_sparse(boot, MACHINE_SCRATCH, SCRATCH_BYTES, "scratch disk", err);
	if (status == STATUS_OK && boot->machine.shared_memory)
		status = make_sparse(boot, MACHINE_SHARED_MEMORY, MACHINE_SHARED_MEMORY_BYTES,
				     "shared memory for traces", err);
	if (status == STATUS_OK && boot->lockstep)
		status = link_in(boot, MACHINE_LOCKSTEP, boot->lockstep, err);
	if (status == STATUS_OK)
		status = link_in(boot, "qemu", boot->machine.engine->qemu, err);
	if (status == STATUS_OK && topology_has_kinds(&boot->machine.topology))
		status = write_device_tree(boot, err);
	if (status == STATUS_OK && boot->machine.engine->kind == ENGINE_VNG)
		status = emulator_vng_prepare(boot->directory.path, boot->kernel->image.release, err);
	if (status == STATUS_OK)
		boot_command(boot);
	return status;
}

enum status boot_run(struct boot *boot, struct supervision *on, struct error *err)
{
	struct emulator_process process = {.lifeline = -1, .report = -1, .output = -1};
	const char *directory = boot->directory.path;
	/* QEMU's main thread wakes up at each timer of the guest. Without SCHED_BATCH it preempts the thread of the
	 * guest's CPUs, which holds the lock that the main thread needs. */
	const struct emulator_start start = {.arguments = &boot->command,
					     .environment = &boot->environment,
					     .working_directory = directory,
					     .orphan_directory = directory,
					     .batch = boot->machine.deterministic};
	enum status status = STATUS_OK;

	if (boot->machine.share == SHARE_VIRTIOFS)
		status = virtiofsd_start(&boot->virtiofsd, directory, err);
	if (status == STATUS_OK)
		status = channels_open(&boot->channels, directory, machine_channels(&boot->machine), err);
	if (status == STATUS_OK && machine_console_is_file(&boot->machine))
		status = channels_open_console_file(&boot->channels, directory, err);
	if (status == STATUS_OK && boot->machine.shared_memory) {
		char path[PATH_MAX];
		status = path_in(boot, MACHINE_SHARED_MEMORY, path, err);
		if (status == STATUS_OK)
			status = channels_open_shared_memory(&boot->channels, path, err);
	}
	if (status != STATUS_OK)
		return status;
	status = emulator_process_start(&process, &start, err);
	if (status == STATUS_OK) {
		on->process = &process;
		on->channels = &boot->channels;
		supervise(on);
		emulator_process_free(&process);
	}
	channels_close(&boot->channels);
	return status;
}

void boot_end(struct boot *boot)
{
	if (boot->virtiofsd.guardian)
		emulator_process_free(&boot->virtiofsd);
	arguments_free(&boot->command);
	arguments_free(&boot->environment);
	private_directory_remove(&boot->directory);
}
