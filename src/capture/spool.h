/* SPDX-License-Identifier: MIT
 *
 * Reads the ring buffer out while tracing goes on, so that a recording can be longer than the buffer: full pages of
 * each CPU go into a nameless temporary file, on a timer of the caller's. Nothing waits for the buffer, so it wakes
 * nobody up on the traced CPUs. */
#ifndef CAPTURE_SPOOL_H
#define CAPTURE_SPOOL_H

#include <stdint.h>

#include "base/error.h"
#include "capture/readout.h"
#include "capture/session.h"

struct spool_part {
	struct readout readout;
	int fd; /* -1 for a CPU that is not there */
	uint64_t bytes;
};

struct spool {
	char directory[512]; /* whose file system holds the files */
	unsigned int cpu_count;
	struct spool_part *parts;
};

/* The files lie in directory's file system. The session must outlive the spool. */
enum status spool_open(const struct capture_session *session, const char *directory, struct spool **spool,
		       struct error *err);
/* Takes what is full of every CPU. */
enum status spool_drain(struct spool *spool, struct error *err);
/* Appends what one CPU spooled to fd, and adds its bytes to *moved. The disk space that it took is given back on the
 * way, so both together need hardly more than one. */
enum status spool_move(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t *moved,
		       struct error *err);
/* Drops the last of the CPU that spooled most, up to length bytes, to make room on a full disk. */
void spool_make_room(struct spool *spool, uint64_t length);
void spool_close(struct spool *spool); /* may be NULL */

#endif
