/* SPDX-License-Identifier: MIT
 *
 * Drains the ring buffer during tracing, so that a recording can be longer than the buffer: full pages of each CPU are
 * moved to an unnamed temporary file, on a timer of the caller. It never blocks on the buffer, so the kernel sends no
 * wakeups from the traced CPUs. */
#ifndef RECORD_TRACEFS_SPOOL_H
#define RECORD_TRACEFS_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/tracefs/drain_priority.h"
#include "record/tracefs/readout.h"
#include "record/tracefs/session.h"

#define LOSS_LOG_MAX 1000

/* Events dropped on a CPU between two drains, as times of the trace clock. */
struct loss_place {
	unsigned int cpu;
	uint64_t events;
	uint64_t after_ns, before_ns; /* 0, 0 if the clock does not count nanoseconds */
};

struct loss_log {
	struct loss_place *places; /* in time order per CPU */
	size_t count, capacity;
};

/* Merges overlapping places of the same CPU. If memory runs out, or beyond LOSS_LOG_MAX, the place is merged into
 * the last one. */
void loss_log_add(struct loss_log *log, const struct loss_place *place);
/* By time, then by CPU. */
void loss_log_sort(struct loss_log *log);
void loss_log_free(struct loss_log *log);

struct spool_part {
	struct readout readout;
	int fd;              /* -1 for an absent CPU */
	uint64_t start;      /* start offset of the bytes for spool_move() */
	uint64_t bytes;      /* end offset */
	uint64_t dropped;    /* events, at the last read of the statistics */
	uint64_t checked_us; /* CLOCK_MONOTONIC: time of that read */
	uint64_t lost_ns;    /* end of its last loss_place, trace clock */
	bool ended;          /* the disk was full: all later pages are discarded, so that there is no gap */
};

struct spool {
	char directory[512]; /* the files are in its file system */
	unsigned int cpu_count;
	struct spool_part *parts;
	const struct capture_session *session;
	struct loss_log losses;
	struct drain_priority priority; /* raised since the first late drain */
};

/* The files are in directory's file system. The session must outlive the spool. */
enum status spool_open(const struct capture_session *session, const char *directory, struct spool **spool,
		       struct error *err);
/* Moves the full pages of every CPU. If they exceed an eighth of a buffer, other tasks delay this one: the thread gets
 * real-time priority, until spool_take_rest() or spool_close() in the same thread. Adds the events dropped by full
 * buffers since the last drain to losses. */
enum status spool_drain(struct spool *spool, struct error *err);
/* After capture_stop(): moves all remaining pages. */
enum status spool_take_rest(struct spool *spool, struct error *err);
/* Appends the spooled pages of one CPU to fd and adds their bytes to *moved. Frees their disk space on the way, so the
 * copy needs little extra space. */
enum status spool_move(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t *moved,
		       struct error *err);
/* Drops the last pages, up to length bytes, of the CPU with the most spooled data, to make room on a full disk. That
 * CPU is then marked as ended. */
void spool_make_room(struct spool *spool, uint64_t length);
void spool_close(struct spool *spool); /* may be NULL */

#endif
