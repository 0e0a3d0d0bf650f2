/* SPDX-License-Identifier: MIT
 *
 * Reads the ring buffer out while tracing goes on, so that a recording can be longer than the buffer: full pages of
 * each CPU go into a nameless temporary file, on a timer of the caller. It never waits for the buffer, so the kernel
 * sends no wakeups from the traced CPUs. */
#ifndef CAPTURE_SPOOL_H
#define CAPTURE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/drain_priority.h"
#include "capture/readout.h"
#include "capture/session.h"

#define LOSS_LOG_MAX 1000

/* Events dropped on a CPU between two times of the trace clock: those of two drains. */
struct loss_place {
	unsigned int cpu;
	uint64_t events;
	uint64_t after_ns, before_ns; /* 0, 0 if the clock does not count nanoseconds */
};

struct loss_log {
	struct loss_place *places; /* of each CPU in the order of time */
	size_t count, capacity;
};

/* Joins a place of the same CPU that overlaps it. Without memory, or beyond LOSS_LOG_MAX, the place is added to the
 * last one. */
void loss_log_add(struct loss_log *log, const struct loss_place *place);
/* By time, then by CPU. */
void loss_log_sort(struct loss_log *log);
void loss_log_free(struct loss_log *log);

struct spool_part {
	struct readout readout;
	int fd;              /* -1 for a CPU that is not there */
	uint64_t start;      /* of the bytes that spool_move() moves */
	uint64_t bytes;      /* end of them */
	uint64_t dropped;    /* events, up to the last look at the statistics */
	uint64_t checked_us; /* CLOCK_MONOTONIC: drops up to then are counted in dropped */
	uint64_t lost_ns;    /* trace clock: end of its last loss_place */
	bool ended;          /* the disk was full: all later pages are given up, so that there is no hole */
};

struct spool {
	char directory[512]; /* whose file system holds the files */
	unsigned int cpu_count;
	struct spool_part *parts;
	const struct capture_session *session;
	struct loss_log losses;
	struct drain_priority priority; /* from the first drain that came late */
};

/* The files lie in directory's file system. The session must outlive the spool. */
enum status spool_open(const struct capture_session *session, const char *directory, struct spool **spool,
		       struct error *err);
/* Moves the full pages of every CPU. If they are more than an eighth of a buffer, other tasks keep this one from its
 * CPU: it gets real-time priority, until spool_take_rest() or spool_close() in the same thread. Notes in losses what
 * full buffers dropped since the last drain. */
enum status spool_drain(struct spool *spool, struct error *err);
/* After capture_stop(): moves all that is left. */
enum status spool_take_rest(struct spool *spool, struct error *err);
/* Appends what one CPU spooled to fd, and adds its bytes to *moved. Its disk space is given back on the way, so both
 * together need hardly more than one. */
enum status spool_move(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t *moved,
		       struct error *err);
/* Drops the last of the CPU that spooled most, up to length bytes, to make room on a full disk: that CPU has ended. */
void spool_make_room(struct spool *spool, uint64_t length);
void spool_close(struct spool *spool); /* may be NULL */

#endif
