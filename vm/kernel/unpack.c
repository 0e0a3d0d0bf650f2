/* SPDX-License-Identifier: MIT */
#include "vm/kernel/unpack.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/file.h"
#include "base/file_hash.h"
#include "base/filter.h"
#include "base/program_path.h"

#define KERNEL_BYTES_MAX ((size_t)1 << 30)
#define CACHED_MAX       8

#define UNPACKER_ARGUMENTS_MAX 3
#define DAY_S                  86400

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
	char path[PATH_MAX], name[64];

	if (argv) {
		const char *command[UNPACKER_ARGUMENTS_MAX + 1] = {argv[0]};
		for (size_t i = 1; argv[i]; i++)
			command[i] = argv[i];
		snprintf(name, sizeof(name), "tools/usr/bin/%s", argv[0]);
		if (!program_find(argv[0], path, sizeof(path)) && cache_find(name, path, sizeof(path)))
			command[0] = path; /* picknext fetch kernel got it */
		return filter_through(command, bytes, length, limit, out, where, err);
	}
	if (compression == COMPRESSION_UNKNOWN)
		return error_set(err, STATUS_UNSUPPORTED, where, "compressed in an unknown format");
	if (length > limit)
		return error_set(err, STATUS_UNSUPPORTED, where, "longer than %zu bytes", limit);
	buffer_add(out, bytes, length);
	return STATUS_OK;
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

/* A guest that starts now may still have to read a newer one. */
static void forget_oldest(const char *kept)
{
	char oldest[PATH_MAX] = "", path[PATH_MAX], directory[PATH_MAX];
	time_t written = time(NULL) - DAY_S;
	unsigned int count = 0;
	struct stat found;

	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(kept, '/') - kept), kept);
	DIR *list = opendir(directory);
	for (const struct dirent *one = list ? readdir(list) : NULL; one; one = readdir(list)) {
		if (one->d_name[0] == '.' || file_join(path, sizeof(path), directory, one->d_name, NULL) != STATUS_OK ||
		    lstat(path, &found) < 0)
			continue;
		count++;
		if (found.st_mtim.tv_sec < written) {
			written = found.st_mtim.tv_sec;
			memcpy(oldest, path, sizeof(oldest));
		}
	}
	if (list)
		closedir(list);
	if (count > CACHED_MAX && oldest[0] && strcmp(oldest, kept) != 0)
		unlink(oldest);
}

enum status kernel_image_unpack_once(const char *path, const struct kernel_image *image, char *unpacked,
				     struct error *err)
{
	char hash[SHA256_TEXT_SIZE], name[16 + SHA256_TEXT_SIZE];
	enum status status = file_hash(path, hash, err);

	if (status != STATUS_OK)
		return status;
	snprintf(name, sizeof(name), "unpacked/%s", hash);
	if (!cache_path(name, unpacked, PATH_MAX))
		return error_set(err, STATUS_UNSUPPORTED, path, "there is no cache for its unpacked kernel");
	if (access(unpacked, R_OK) == 0)
		return STATUS_OK;
	status = kernel_image_unpack(path, image, unpacked, err);
	if (status == STATUS_OK)
		forget_oldest(unpacked);
	return status;
}
