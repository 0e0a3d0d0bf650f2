/* SPDX-License-Identifier: MIT
 *
 * The directory or device of a workload's block I/O. */
#ifndef RECORD_SCRATCH_H
#define RECORD_SCRATCH_H

#include "base/error.h"
#include "base/memory.h"

/* Accepts a directory, /dev/nullbN, or NULL (none was given). STATUS_USAGE for other devices, since their contents
 * would be overwritten. */
enum status scratch_check(const char *path, struct error *err);

/* kind "": the workload writes nothing. */
struct scratch {
	char kind[32];          /* "null_blk", "virtio-blk", "device", "file" */
	char path[4096];        /* the device or the directory */
	char file_system[32];   /* of the directory: "ext4", "tmpfs", or its magic number; "" for a device */
	struct cleanup cleanup; /* of a directory that was created for this run */
};

/* path: a device or a directory; NULL: a temporary directory within parent. */
enum status scratch_open(const char *path, const char *parent, struct scratch *scratch, struct error *err);
/* Removes a temporary directory of scratch_open(). */
void scratch_close(struct scratch *scratch);

#endif
