/* SPDX-License-Identifier: MIT
 *
 * The directory or device of a workload's block I/O. */
#ifndef RECORD_SCRATCH_H
#define RECORD_SCRATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"

/* What a user names is a directory or /dev/nullbN: the contents of any other device would be overwritten. STATUS_USAGE
 * otherwise. NULL: nothing is named. */
enum status scratch_check(const char *path, struct error *err);

/* kind "": the workload writes nothing. */
struct scratch {
	char kind[32];        /* "null_blk", "virtio-blk", "device", "file" */
	char path[4096];      /* the device or the directory */
	char file_system[32]; /* of the directory: "ext4", "tmpfs", or its magic number; "" for a device */
	bool temporary;       /* created for this run */
	struct cleanup cleanup;
};

/* path: a device or a directory; NULL: a temporary directory within parent. */
enum status scratch_open(const char *path, const char *parent, struct scratch *scratch, struct error *err);
/* Removes what scratch_open() made. */
void scratch_close(struct scratch *scratch);

#endif
