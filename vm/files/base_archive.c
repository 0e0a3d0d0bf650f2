/* SPDX-License-Identifier: MIT */
#include "vm/files/base_archive.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
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
	enum compression compression = compression_guess((const uint8_t *)packed.data, packed.length);

	if (status == STATUS_OK && compression != COMPRESSION_NONE && compression != COMPRESSION_UNKNOWN)
		status =
		    unpack(compression, (const uint8_t *)packed.data, packed.length, UNPACKED_MAX, unpacked, path, err);
	else if (status == STATUS_OK)
		buffer_add(unpacked, packed.data, packed.length);
	buffer_free(&packed);
	/* gzip fails on the zeros after the archive, with which picknext pads it for the next one. */
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
