/* SPDX-License-Identifier: MIT
 *
 * The one place where files from a guest come into being on the host: a directory, reached by its descriptor alone, in
 * which every name is checked, no link is followed, and a file appears under its name only when it is whole. */
#ifndef VM_LAUNCH_TRANSFER_PLACE_H
#define VM_LAUNCH_TRANSFER_PLACE_H

#include "vm/launch/transfer.h"

struct delivery_place {
	const char *directory; /* for messages; the caller's */
	int fd;
	struct delivery_limits limits;
	struct delivery_report report;
	uint64_t total_bytes; /* admitted so far */
	unsigned int files;
	char **names; /* admitted so far */
	char *path;   /* a copy of directory's path */
};

enum status delivery_place_open(struct delivery_place *place, const char *directory,
				const struct delivery_limits *limits, struct error *err);
void delivery_place_close(struct delivery_place *place);

/* Keeps the first problem for the report. */
void delivery_problem(struct delivery_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True where a file of this name and size may come: the name is safe and new, the limits hold. Else the problem is
 * kept. */
bool delivery_place_admits(struct delivery_place *place, const char *name, size_t length, uint64_t size);

/* Makes NAME.incomplete for writing; it stays so until it is finished. */
enum status delivery_place_create(struct delivery_place *place, const char *name, int *file, struct error *err);

/* Closes file; whole: gives it its name (instead of an older file of that name), else leaves it as NAME.incomplete.
 * Counts it in the report. */
enum status delivery_place_finish(struct delivery_place *place, const char *name, int file, bool whole, uint64_t size,
				  struct error *err);

#endif
