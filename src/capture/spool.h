/* SPDX-License-Identifier: MIT
 *
 * Reads the ring buffer out while tracing goes on, so that a recording can be longer than the buffer: full pages of
 * each CPU go into a nameless temporary file, on a timer of the caller's. Nothing waits for the buffer, so it wakes
 * nobody up on the traced CPUs. */
#ifndef CAPTURE_SPOOL_H
#define CAPTURE_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/loss_log.h"
#include "capture/page_file.h"
#include "capture/precedence.h"
#include "capture/readout.h"
#include "capture/refusal.h"
#include "capture/session.h"

struct spool_part {
	struct readout readout;
	int fd;         /* -1 for a CPU that is not there */
	uint64_t start; /* of what is kept; what lies before is not moved */
	uint64_t bytes;
	uint64_t refused; /* events, up to the last look at the statistics */
	uint64_t marked;  /* of them, those that a page tells of */
	struct refusal refusal;
	bool ended; /* the disk was full: what comes behind its last page is given up, so that there is no hole */
};

struct spool {
	char directory[512]; /* whose file system holds the files */
	unsigned int cpu_count;
	struct spool_part *parts;
	const struct capture_session *session;
	struct page_file pages;
	struct loss_log losses;
	struct precedence precedence; /* from the first drain on that came late */
};

/* The files lie in directory's file system. The session must outlive the spool. */
enum status spool_open(const struct capture_session *session, const char *directory, struct spool **spool,
		       struct error *err);
/* Takes what is full of every CPU. Where that is much of a buffer, other tasks keep this one from its CPU: it runs
 * before them from then on, up to spool_take_rest() or spool_close(), in the same thread. Where a buffer was full,
 * notes in losses what it refused meanwhile, and in the page behind that: the kernel itself marks pages for overwritten
 * events only. */
enum status spool_drain(struct spool *spool, struct error *err);
/* Once all pages of a CPU, count of them, lie at offset of fd: marks the page there that comes behind what the last
 * drain found to be refused. */
enum status spool_settle(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t offset,
			 uint64_t count, struct error *err);
/* After capture_stop(): takes all that is left. */
enum status spool_take_rest(struct spool *spool, struct error *err);
/* Appends what one CPU spooled to fd, and adds its bytes to *moved. The disk space that it took is given back on the
 * way, so both together need hardly more than one. */
enum status spool_move(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t *moved,
		       struct error *err);
/* Drops the last of the CPU that spooled most, up to length bytes, to make room on a full disk: that CPU has ended. */
void spool_make_room(struct spool *spool, uint64_t length);
void spool_close(struct spool *spool); /* may be NULL */

#endif
