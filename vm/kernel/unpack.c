/* SPDX-License-Identifier: MIT */
#include "vm/kernel/unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/filter.h"

#define KERNEL_BYTES_MAX ((size_t)1 << 30)

static const char *const *unpacker(enum compression compression)
{
	static const char *const gzip[] = {"gzip", "-dcq", NULL}, *const bzip2[] = {"bzip2", "-dcq", NULL},
				 *const xz[] = {"xz", "-dcq", NULL},
				 *const lzma[] = {"xz", "-dcq", "--format=lzma", NULL},
				 *const lzop[] = {"lzop", "-dcq", NULL}, *const lz4[] = {"lz4", "-dcq", NULL},
				 *const zstd[] = {"zstd", "-dcq", NULL};

	switch (compression) {
	case COMPRESSION_GZIP:
		return gzip;
	case COMPRESSION_BZIP2:
		return bzip2;
	case COMPRESSION_LZMA:
		return lzma;
	case COMPRESSION_XZ:
		return xz;
	case COMPRESSION_LZO:
		return lzop;
	case COMPRESSION_LZ4:
		return lz4;
	case COMPRESSION_ZSTD:
		return zstd;
	case COMPRESSION_NONE:
	case COMPRESSION_UNKNOWN:
		break;
	}
	return NULL;
}

enum status unpack(enum compression compression, const uint8_t *bytes, size_t length, size_t limit, struct buffer *out,
		   const char *where, struct error *err)
{
	const char *const *argv = unpacker(compression);

	if (argv)
		return filter_through(argv, bytes, length, limit, out, where, err);
	if (compression == COMPRESSION_UNKNOWN)
		return error_set(err, STATUS_UNSUPPORTED, where, "compressed in an unknown format");
	if (length > limit)
		return error_set(err, STATUS_UNSUPPORTED, where, "longer than %zu bytes", limit);
	buffer_add(out, bytes, length);
	return out->failed ? error_system(err, ENOMEM, where, "cannot unpack") : STATUS_OK;
}

/* The kernel's build appends the unpacked size (4 bytes) to formats without a size field; the tools would report
 * trailing garbage. */
static size_t without_size_trailer(enum compression compression, uint64_t length)
{
	bool has_trailer = compression == COMPRESSION_XZ || compression == COMPRESSION_ZSTD ||
			   compression == COMPRESSION_LZ4 || compression == COMPRESSION_BZIP2 ||
			   compression == COMPRESSION_LZO || compression == COMPRESSION_LZMA;

	return (size_t)(has_trailer && length > 4 ? length - 4 : length);
}

enum status kernel_image_unpack(const char *path, const struct kernel_image *image, const char *path_out,
				struct error *err)
{
	struct mapping mapping;
	struct buffer kernel = {0};

	if (image->kind != KERNEL_BZIMAGE || image->payload_length == 0)
		return error_set(err, STATUS_UNSUPPORTED, path, "has no compressed kernel to unpack");
	enum status status = file_map(path, &mapping, err);
	if (status != STATUS_OK)
		return status;
	if (image->payload_offset > mapping.length || image->payload_length > mapping.length - image->payload_offset)
		status = error_set(err, STATUS_CORRUPT, path, "kernel image was truncated meanwhile");
	else
		status = unpack(image->payload_compression, mapping.bytes + image->payload_offset,
				without_size_trailer(image->payload_compression, image->payload_length),
				KERNEL_BYTES_MAX, &kernel, path, err);
	file_unmap(&mapping);
	if (status == STATUS_OK && (kernel.length < 4 || memcmp(kernel.data,
								"\x7f"
								"ELF",
								4) != 0))
		status = error_set(err, STATUS_UNSUPPORTED, path, "its compressed kernel is not an ELF file");
	if (status == STATUS_OK)
		status = file_replace(path_out, kernel.data, kernel.length, err);
	buffer_free(&kernel);
	return status;
}
