/* SPDX-License-Identifier: MIT */
#include "vm/files/guest_archive.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "vm/files/cpio.h"
#include "vm/kernel/kernel_image.h"
#include "vm/kernel/unpack.h"

#define UNPACKED_MAX (512ul << 20)

#define END_MAX 1024 /* of the trailer and its padding */

static bool is_cpio(const struct buffer *archive)
{
	return archive->length > 6 &&
	       (memcmp(archive->data, "070701", 6) == 0 || memcmp(archive->data, "070702", 6) == 0);
}

static bool is_whole(const struct buffer *archive)
{
	size_t end = archive->length < END_MAX ? archive->length : END_MAX;

	return memmem(archive->data + archive->length - end, end, "TRAILER!!!", 10);
}

enum status base_archive_read(const char *path, struct buffer *unpacked, struct error *err)
{
	struct buffer packed = {0};
	enum status status = file_read(path, BASE_ARCHIVE_MAX, &packed, err);
	const uint8_t *bytes = (const uint8_t *)packed.data;

	if (status == STATUS_OK && is_packed(bytes, packed.length))
		status = unpack(bytes, packed.length, UNPACKED_MAX, unpacked, path, err);
	else if (status == STATUS_OK)
		buffer_add(unpacked, packed.data, packed.length);
	buffer_free(&packed);
	/* gzip fails because of the zeros with which picknext pads the archive for the next one; that is no damage. */
	if (is_cpio(unpacked) && is_whole(unpacked))
		return STATUS_OK;
	if (status != STATUS_OK)
		return status;
	if (is_cpio(unpacked))
		return error_set(err, STATUS_CORRUPT, path, "the initramfs is truncated");
	error_set(err, STATUS_UNSUPPORTED, path,
		  "not an initramfs: expected a cpio archive (newc), plain or compressed");
	return error_remedy(err, "build one with make or picknext initramfs");
}

/* BusyBox contains the names of its applets as consecutive NUL-terminated strings. */
bool base_archive_has(const struct buffer *unpacked, const char *program)
{
	char name[256];
	int length = snprintf(name + 1, sizeof(name) - 1, "%s", program) + 2;

	if (length > (int)sizeof(name))
		return false;
	name[0] = '\0';
	if (memmem(unpacked->data, unpacked->length, name, (size_t)length))
		return true;
	name[0] = '/';
	return memmem(unpacked->data, unpacked->length, name, (size_t)length);
}

static void write_modules(struct cpio_writer *cpio, const struct module_set *modules)
{
	struct buffer order = {0};
	char name[128];

	cpio_directory(cpio, "modules", 0755);
	for (size_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->modules[i];
		bool is_scratch = strcmp(module->name, "null_blk") == 0;
		buffer_printf(&order, "%s.ko%s\n", module->name, is_scratch ? " " JOB_NULL_BLOCK_PARAMETERS : "");
		snprintf(name, sizeof(name), "modules/%s.ko", module->name);
		cpio_file(cpio, name, 0644, module->bytes.data, module->bytes.length);
	}
	cpio_file(cpio, "modules/order", 0644, order.data, order.length);
	buffer_free(&order);
}

/* Writes it to the path where libbpf looks for it. */
static void write_configuration(const struct job *job, struct cpio_writer *cpio)
{
	char name[128];

	snprintf(name, sizeof(name), "boot/config-%.80s", job->release);
	cpio_directory(cpio, "boot", 0755);
	cpio_file(cpio, name, 0644, job->configuration, job->configuration_length);
}

static void join_directories(const struct arguments *directories, struct buffer *list)
{
	for (size_t i = 0; i < directories->count; i++)
		buffer_printf(list, "%s%s", i ? ":" : "", directories->items[i]);
}

static enum status format_job(const struct job *job, const struct guest_files *files, struct buffer *settings,
			      struct buffer *arguments, struct error *err)
{
	struct buffer path = {0}, library_path = {0};
	struct job whole = *job;

	if (files) {
		join_directories(&files->programs, &path);
		join_directories(&files->libraries, &library_path);
		whole.path = path.data;
		whole.library_path = library_path.data;
		whole.directory = files->directory ? files->directory : GUEST_FILES_START;
	}
	enum status status = job_format(&whole, settings, arguments, err);
	buffer_free(&path);
	buffer_free(&library_path);
	return status;
}

enum status job_archive_write(const struct job *job, const struct guest_files *files, const struct module_set *modules,
			      struct buffer *out, struct error *err)
{
	struct cpio_writer cpio = {.out = out};
	struct buffer settings = {0}, arguments = {0};
	enum status status = format_job(job, files, &settings, &arguments, err);

	if (status == STATUS_OK) {
		if (modules)
			write_modules(&cpio, modules);
		cpio_directory(&cpio, "job", 0755);
		cpio_file(&cpio, "job/settings", 0644, settings.data, settings.length);
		cpio_file(&cpio, "job/words", 0644, arguments.data, arguments.length);
		if (job->configuration)
			write_configuration(job, &cpio);
		if (files)
			status = guest_files_write(files, &cpio, err);
	}
	if (status == STATUS_OK) {
		cpio_file(&cpio, "job/" JOB_COMPLETE, 0644, "", 0);
		status = cpio_end(&cpio, "job archive", err);
	}
	buffer_free(&settings);
	buffer_free(&arguments);
	return status;
}
