/* SPDX-License-Identifier: MIT
 *
 * Decompression by the host's tools: gzip, bzip2, xz, lzop, lz4, zstd. */
#ifndef VM_KERNEL_UNPACK_H
#define VM_KERNEL_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/kernel/kernel_image.h"

/* Unpacks length bytes by the tool that compression needs; COMPRESSION_NONE copies. */
enum status unpack(enum compression compression, const uint8_t *bytes, size_t length, size_t limit, struct buffer *out,
		   const char *where, struct error *err);

/* Takes the ELF vmlinux out of a bzImage, for PVH boot (1-3 s sooner under TCG), and writes it to path_out.
 * STATUS_UNSUPPORTED where the image tells no payload or is no bzImage: then boot the image itself. */
enum status kernel_image_unpack(const char *path, const struct kernel_image *image, const char *path_out,
				struct error *err);

#endif
