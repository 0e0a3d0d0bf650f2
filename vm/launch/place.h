/* SPDX-License-Identifier: MIT
 *
 * The only code that creates files from a guest on the host. They are created in one directory, accessed by its
 * descriptor; every name is checked, no link is followed, and a file gets its name only when it is complete. */
#ifndef VM_LAUNCH_PLACE_H
#define VM_LAUNCH_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct transfer_limits {
	uint64_t file_bytes;  /* max of one file */
	uint64_t total_bytes; /* of all files */
	unsigned int files;
};
#define TRANSFER_LIMITS ((struct transfer_limits){16ull << 30, 256ull << 30, 4000})

struct transfer_report {
	unsigned int whole;      /* complete files, length and checksum checked */
	unsigned int traces;     /* the .dat files among them */
	unsigned int incomplete; /* kept as NAME.incomplete */
	unsigned int refused;    /* not accepted: a bad name, a link, a device ... */
	uint64_t bytes;          /* of complete files */
	char problem[512];       /* the first problem as text, or "" */
};

struct transfer_place {
	char *directory; /* its path, for messages */
	int fd;
	struct transfer_limits limits;
	struct transfer_report report;
	uint64_t total_bytes; /* admitted so far */
	unsigned int files;
	char **names; /* admitted so far */
	char *block;  /* of TRANSFER_BLOCK bytes */
};

struct transfer_copied {
	uint64_t size;
	uint32_t checksum;
};

enum status transfer_place_open(struct transfer_place *place, const char *directory,
				const struct transfer_limits *limits, struct error *err);
void transfer_place_close(struct transfer_place *place);

/* Keeps the first problem for the report. */
void transfer_place_problem(struct transfer_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True if a file of this name and size is accepted: the name is safe and new, and no limit is exceeded. Else keeps the
 * problem. */
bool transfer_place_admits(struct transfer_place *place, const char *name, size_t length, uint64_t size);

/* Creates NAME.incomplete for writing, until transfer_place_finish(). */
enum status transfer_place_create(struct transfer_place *place, const char *name, int *file, struct error *err);

/* Copies up to size bytes, fewer at the end of the file from, to file. Name is for errors, which are the host's own. */
enum status transfer_place_copy(struct transfer_place *place, const char *name, int from, int file, uint64_t size,
				struct transfer_copied *copied, struct error *err);

/* Closes file. whole: renames it to its name (replacing an older file), else leaves it as NAME.incomplete. Counts it in
 * the report. */
enum status transfer_place_finish(struct transfer_place *place, const char *name, int file, bool whole, uint64_t size,
				  struct error *err);

/* Moves all files of one directory into another of the same file system, durably: complete ones replace what picknext
 * wrote there, incomplete ones keep their names. Each file is there whole or not at all. */
enum status transfer_place_move(const char *from, const char *to, struct error *err);

#endif
