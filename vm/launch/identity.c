/* SPDX-License-Identifier: MIT */
#include "vm/launch/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_hash.h"
#include "vm/engine/cpu_kinds.h"
#include "vm/files/guest_archive.h"
#include "vm/launch/boot.h"

static const struct {
	const char *key, *name;
} part_names[IDENTITY_PARTS] = {
    [IDENTITY_QEMU_VERSION] = {"qemu_version", "the version of QEMU"},
    [IDENTITY_QEMU] = {"qemu_sha256", "QEMU's program"},
    [IDENTITY_FIRMWARE] = {"firmware_sha256", "QEMU's firmware"},
    [IDENTITY_MACHINE] = {"machine_sha256", "the machine's options or the kernel's command line"},
    [IDENTITY_KERNEL] = {"kernel_sha256", "the kernel"},
    [IDENTITY_INITRAMFS] = {"initramfs_sha256", "the initramfs (BusyBox, picknext, /init)"},
    [IDENTITY_JOB] = {"job_sha256", "the job (its words, modules, or added files)"},
};

const char *identity_part_name(enum identity_part part)
{
	return part_names[part].name;
}

/* picknext fetch qemu starts its QEMU by a script two directories above the program. */
static void find_program(const char *qemu, char *path)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(qemu, '/');

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - qemu) : 0, qemu);
	if (!slash || snprintf(path, PATH_MAX, "%s/usr/bin%s", directory, slash) >= PATH_MAX || access(path, X_OK) != 0)
		snprintf(path, PATH_MAX, "%s", qemu);
}

/* Firmware at Debian's paths: it runs in the guest before the kernel does. */
static enum status hash_firmware(const char *program, const char *const *files, char text[SHA256_TEXT_SIZE],
				 struct error *err)
{
	struct sha256 hash;
	char path[PATH_MAX], one[SHA256_TEXT_SIZE];
	int length = (int)(strrchr(program, '/') - program);

	sha256_begin(&hash);
	for (size_t i = 0; files[i]; i++) {
		if (snprintf(path, sizeof(path), "%.*s/../share/%s", length, program, files[i]) >= (int)sizeof(path) ||
		    access(path, R_OK) != 0)
			continue;
		enum status status = file_hash(path, one, err);
		if (status != STATUS_OK)
			return status;
		sha256_add(&hash, one, sizeof(one));
	}
	sha256_end(&hash, text);
	return STATUS_OK;
}

static void hash_buffer(const struct buffer *buffer, char text[SHA256_TEXT_SIZE])
{
	struct sha256 hash;

	sha256_begin(&hash);
	sha256_add(&hash, buffer->data, buffer->length);
	sha256_end(&hash, text);
}

/* Hashes the machine, and the device tree that it is given, without the seed and the name of the private directory.
 * Also without the size of the code cache, which earlier versions left to QEMU. */
static enum status hash_machine(const struct boot *boot, char text[SHA256_TEXT_SIZE], struct error *err)
{
	struct machine machine = boot->machine;
	struct arguments command = {0}, environment = {0};
	struct buffer line = {0};

	machine.directory = ".";
	machine.seed = machine.code_cache_mb = 0;
	if (machine.engine->kind == ENGINE_VNG) {
		emulator_vng_command(&machine, &command, &environment);
		buffer_printf(&line, "%s\n", machine.engine->vng_version);
	} else {
		emulator_qemu_command(&machine, &command);
	}
	for (size_t i = 1; i < command.count; i++)
		buffer_printf(&line, "%s\n", command.items[i]);
	/* The tree of seed 0, of a wall-clock guest too. */
	machine.deterministic = true;
	enum status status = topology_has_kinds(&machine.topology)
				 ? cpu_kinds_tree(&machine, boot->directory.path, &line, err)
				 : STATUS_OK;
	hash_buffer(&line, text);
	arguments_free(&command);
	arguments_free(&environment);
	buffer_free(&line);
	return status;
}

static enum status hash_job(const struct boot *boot, char text[SHA256_TEXT_SIZE], struct error *err)
{
	struct job job = boot->job;
	struct buffer archive = {0};

	job.first_run = 0;
	job.identity = NULL;
	enum status status = job_archive_write(&job, boot->files, boot->modules, &archive, err);
	if (status == STATUS_OK)
		hash_buffer(&archive, text);
	buffer_free(&archive);
	return status;
}

static enum status hash_files(const struct guest_files *files, char text[SHA256_TEXT_SIZE], struct error *err)
{
	struct buffer archive = {0};
	struct cpio_writer cpio = {.out = &archive};

	if (!files || !files->count)
		return STATUS_OK;
	enum status status = guest_files_write(files, &cpio, err);
	if (status == STATUS_OK)
		status = cpio_end(&cpio, "added files", err);
	if (status == STATUS_OK)
		hash_buffer(&archive, text);
	buffer_free(&archive);
	return status;
}

enum status identity_find(const struct boot *boot, struct identity *identity, struct error *err)
{
	const struct emulator *engine = boot->machine.engine;
	char program[PATH_MAX], kernel[PATH_MAX];
	struct sha256 hash;

	*identity = (struct identity){0};
	find_program(engine->qemu, program);
	snprintf(identity->parts[IDENTITY_QEMU_VERSION], SHA256_TEXT_SIZE, "%s", engine->qemu_version);
	enum status status = file_hash(program, identity->parts[IDENTITY_QEMU], err);
	if (status == STATUS_OK)
		status =
		    hash_firmware(program, engine->architecture->firmware, identity->parts[IDENTITY_FIRMWARE], err);
	if (status == STATUS_OK)
		status = hash_machine(boot, identity->parts[IDENTITY_MACHINE], err);
	if (status == STATUS_OK)
		status = file_join(kernel, sizeof(kernel), boot->directory.path, MACHINE_KERNEL, err);
	if (status == STATUS_OK)
		status = file_hash(kernel, identity->parts[IDENTITY_KERNEL], err);
	if (status == STATUS_OK)
		status = file_hash(boot->initramfs, identity->parts[IDENTITY_INITRAMFS], err);
	if (status == STATUS_OK)
		status = hash_job(boot, identity->parts[IDENTITY_JOB], err);
	if (status == STATUS_OK)
		status = hash_files(boot->files, identity->added_files, err);
	if (status != STATUS_OK)
		return status;
	sha256_begin(&hash);
	for (size_t i = 0; i < IDENTITY_PARTS; i++)
		sha256_add(&hash, identity->parts[i], strlen(identity->parts[i]) + 1);
	sha256_end(&hash, identity->whole);
	return STATUS_OK;
}

void identity_write(const struct identity *identity, struct json_writer *json)
{
	json_text(json, "identity", identity->whole);
	for (size_t i = 0; i < IDENTITY_PARTS; i++)
		json_text(json, part_names[i].key, identity->parts[i]);
	if (identity->added_files[0])
		json_text(json, "added_sha256", identity->added_files);
}

void identity_read(const struct json_value *object, struct identity *identity)
{
	*identity = (struct identity){0};
	snprintf(identity->whole, SHA256_TEXT_SIZE, "%s", json_member_text(object, "identity", ""));
	for (size_t i = 0; i < IDENTITY_PARTS; i++)
		snprintf(identity->parts[i], SHA256_TEXT_SIZE, "%s", json_member_text(object, part_names[i].key, ""));
}
