/* SPDX-License-Identifier: MIT
 *
 * The directory or device of a workload's block I/O. */
#ifndef RECORD_SCRATCH_H
#define RECORD_SCRATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"

/* The user's choice; both NULL: a temporary directory. */
struct scratch_choice {
	const char *device, *directory;
};

/* path: a directory, or /dev/nullbN; NULL leaves the choice as it is. STATUS_USAGE for any other device. */
enum status scratch_choose(const char *path, struct scratch_choice *choice, struct error *err);

/* kind "": the workload writes nothing. */
struct scratch {
	char kind[32];        /* "null_blk", "virtio-blk", "device", "file" */
	char path[4096];      /* the device or the directory */
	char file_system[32]; /* of the directory: "ext4", "tmpfs", or its magic number; "" for a device */
	bool temporary;       /* created for this run */
	struct cleanup cleanup;
};

/* The device, else the directory, else a temporary directory within parent. */
enum status scratch_open(const struct scratch_choice *choice, const char *parent, struct scratch *scratch,
			 struct error *err);
/* Removes what scratch_open() made. */
void scratch_close(struct scratch *scratch);

#endif
