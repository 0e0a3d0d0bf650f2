/* SPDX-License-Identifier: MIT
 *
 * The archives of a guest's initramfs: the base archive, checked before a boot, and the job archive
 * (vm/protocol/job.h), appended to it for each boot. */
#ifndef VM_FILES_GUEST_ARCHIVE_H
#define VM_FILES_GUEST_ARCHIVE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/files/guest_files.h"
#include "vm/kernel/modules.h"
#include "vm/protocol/job.h"

#define BASE_ARCHIVE_MAX (64ul << 20) /* packed */

/* Adds the archive to unpacked. STATUS_UNSUPPORTED if it is not a cpio archive, plain or compressed; STATUS_CORRUPT if
 * it cannot be unpacked. */
enum status base_archive_read(const char *path, struct buffer *unpacked, struct error *err);

/* Whether it has a program of this name, or a BusyBox with such an applet. */
bool base_archive_has(const struct buffer *unpacked, const char *program);

/* Appends the archive to out, which must be written after the base archive (whose length must be a multiple of 4:
 * `picknext initramfs` pads it). files (finished) and modules may be NULL. If files is given, it sets job's path,
 * library_path and directory. */
enum status job_archive_write(const struct job *job, const struct guest_files *files, const struct module_set *modules,
			      struct buffer *out, struct error *err);

#endif
