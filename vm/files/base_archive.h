/* SPDX-License-Identifier: MIT
 *
 * The initramfs that guests start from, looked into before one is booted. */
#ifndef VM_FILES_BASE_ARCHIVE_H
#define VM_FILES_BASE_ARCHIVE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

#define BASE_ARCHIVE_MAX (64ul << 20) /* packed */

/* Adds the archive to unpacked. STATUS_UNSUPPORTED where it is no cpio archive, plain or compressed; STATUS_CORRUPT
 * where it cannot be unpacked. */
enum status base_archive_read(const char *path, struct buffer *unpacked, struct error *err);

/* Whether it has a program of this name, or a BusyBox with an applet of it. */
bool base_archive_has(const struct buffer *unpacked, const char *program);

#endif
