/* SPDX-License-Identifier: MIT
 *
 * Decompression by the host's tools: gzip, bzip2, xz, lzop, lz4, zstd. */
#ifndef VM_KERNEL_UNPACK_H
#define VM_KERNEL_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/kernel/kernel_image.h"

/* True if these are the first bytes of a file that one of the tools can unpack. */
bool is_packed(const uint8_t *bytes, size_t length);
/* Unpacks them; an ELF file is copied. STATUS_UNSUPPORTED for anything else. */
enum status unpack(const uint8_t *bytes, size_t length, size_t limit, struct buffer *out, const char *where,
		   struct error *err);

/* Writes the compressed kernel of an image to path_out: the ELF vmlinux of a bzImage, for PVH boot (1-3 s faster under
 * TCG), the Image of another one. STATUS_UNSUPPORTED if the image has no payload: boot the image itself then. */
enum status kernel_image_unpack(const char *path, const struct kernel_image *image, const char *path_out,
				struct error *err);

/* The same into the cache, where the next start finds it: unpacked is its path (PATH_MAX bytes). STATUS_UNSUPPORTED
 * also if there is no cache. The image's name there is its SHA-256. If there are more than eight, the oldest one is
 * removed if it is older than a day. */
enum status kernel_image_unpack_once(const char *path, const struct kernel_image *image, char *unpacked,
				     struct error *err);

#endif
