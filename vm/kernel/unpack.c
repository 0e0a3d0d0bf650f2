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
#define DAY_S            86400

#define MAGIC(text) text, sizeof(text) - 1

static const struct packing {
	const char *magic;
	size_t magic_length;
	const char *tool, *option;
	/* The kernel's build appends the unpacked size (4 bytes) to formats without a size field; the tools would
	 * report trailing garbage. */
	bool has_size_trailer;
} packings[] = {
    {MAGIC("\x1f\x8b"), "gzip", NULL, false},
    {MAGIC("BZh"), "bzip2", NULL, true},
    {MAGIC("\x5d\0\0"), "xz", "--format=lzma", true},
    {MAGIC("\xfd"
	   "7zXZ\0"),
     "xz", NULL, true},
    {MAGIC("\x89LZO"), "lzop", NULL, true},
    {MAGIC("\x02!L\x18"), "lz4", NULL, true},
    {MAGIC("\x04\"M\x18"), "lz4", NULL, true},
    {MAGIC("\x28\xb5\x2f\xfd"), "zstd", NULL, true},
};

static const struct packing *find_packing(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++)
		if (length >= packings[i].magic_length &&
		    memcmp(bytes, packings[i].magic, packings[i].magic_length) == 0)
			return &packings[i];
	return NULL;
}

bool is_packed(const uint8_t *bytes, size_t length)
{
	return find_packing(bytes, length) != NULL;
}

enum status unpack(const uint8_t *bytes, size_t length, size_t limit, struct buffer *out, const char *where,
		   struct error *err)
{
	const struct packing *packing = find_packing(bytes, length);
	char path[PATH_MAX], name[64];

	if (packing) {
		const char *command[] = {packing->tool, "-dcq", packing->option, NULL};
		snprintf(name, sizeof(name), "tools/usr/bin/%s", packing->tool);
		if (!program_find(packing->tool, path, sizeof(path)) && cache_find(name, path, sizeof(path)))
			command[0] = path; /* picknext fetch kernel got it */
		return filter_through(command, bytes, length, limit, out, where, err);
	}
	if (!elf_is(bytes, length))
		return error_set(err, STATUS_UNSUPPORTED, where, "compressed in an unknown format");
	if (length > limit)
		return error_set(err, STATUS_UNSUPPORTED, where, "longer than %zu bytes", limit);
	buffer_add(out, bytes, length);
	return STATUS_OK;
}

/* Payloads of EFI zboot images end before the size. */
static enum status unpack_payload(const uint8_t *bytes, size_t length, bool has_sizes, struct buffer *kernel,
				  const char *path, struct error *err)
{
	const struct packing *packing = find_packing(bytes, length);

	if (packing && packing->has_size_trailer && has_sizes && length > 4)
		length -= 4;
	return unpack(bytes, length, KERNEL_BYTES_MAX, kernel, path, err);
}

enum status kernel_image_unpack(const char *path, const struct kernel_image *image, const char *path_out,
				struct error *err)
{
	struct mapping mapping;
	struct buffer kernel = {0};

	if (image->payload_length == 0)
		return error_set(err, STATUS_UNSUPPORTED, path, "has no compressed kernel to unpack");
	enum status status = file_map(path, &mapping, err);
	if (status != STATUS_OK)
		return status;
	if (image->payload_offset > mapping.length || image->payload_length > mapping.length - image->payload_offset)
		status = error_set(err, STATUS_CORRUPT, path, "kernel image was truncated while it was read");
	else
		status = unpack_payload(mapping.bytes + image->payload_offset, (size_t)image->payload_length,
					image->kind == KERNEL_BZIMAGE, &kernel, path, err);
	file_unmap(&mapping);
	if (status == STATUS_OK && image->kind == KERNEL_BZIMAGE && !elf_is(kernel.data, kernel.length))
		status = error_set(err, STATUS_UNSUPPORTED, path, "its compressed kernel is not an ELF file");
	if (status == STATUS_OK)
		status = file_replace(path_out, kernel.data, kernel.length, err);
	buffer_free(&kernel);
	return status;
}

/* Removes only a file older than a day: a guest that starts now may still read a newer one. */
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
