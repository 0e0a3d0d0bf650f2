/* SPDX-License-Identifier: MIT
 *
 * The archive with the job of vm/protocol/job.h, appended to the base initramfs for each boot. */
#ifndef VM_FILES_JOB_ARCHIVE_H
#define VM_FILES_JOB_ARCHIVE_H

#include "base/buffer.h"
#include "base/error.h"
#include "vm/files/guest_files.h"
#include "vm/kernel/modules.h"
#include "vm/protocol/job.h"

/* Appends the archive to out, which must be written after the base archive (whose length must be a multiple of 4:
 * `picknext initramfs` pads it). files (finished) and modules may be NULL. If files is given, it sets job's path,
 * library_path and directory. */
enum status job_archive_write(const struct job *job, const struct guest_files *files, const struct module_set *modules,
			      struct buffer *out, struct error *err);

#endif
