/* SPDX-License-Identifier: MIT
 *
 * The base initramfs of guests, checked before a boot. */
#ifndef VM_FILES_BASE_ARCHIVE_H
#define VM_FILES_BASE_ARCHIVE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

#define BASE_ARCHIVE_MAX (64ul << 20) /* packed */

/* Adds the archive to unpacked. STATUS_UNSUPPORTED if it is not a cpio archive, plain or compressed; STATUS_CORRUPT if
 * it cannot be unpacked. */
enum status base_archive_read(const char *path, struct buffer *unpacked, struct error *err);

/* Whether it has a program of this name, or a BusyBox with such an applet. */
bool base_archive_has(const struct buffer *unpacked, const char *program);

#endif
