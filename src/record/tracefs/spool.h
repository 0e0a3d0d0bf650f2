/* SPDX-License-Identifier: MIT
 *
 * Drains the ring buffer during tracing, so that a recording can be longer than the buffer: full pages of each CPU are
 * moved to an unnamed temporary file, on a timer of the caller. It never waits for the buffer, so the kernel never
 * wakes it from a traced CPU. */
#ifndef RECORD_TRACEFS_SPOOL_H
#define RECORD_TRACEFS_SPOOL_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/tracefs/readout.h"
#include "record/tracefs/session.h"
#include "runs/loss.h"

struct spool_part {
	struct readout readout;
	int fd;              /* -1 for an absent CPU */
	uint64_t start;      /* start offset of the bytes for spool_move() */
	uint64_t bytes;      /* end offset */
	uint64_t dropped;    /* events, at the last read of the statistics */
	uint64_t checked_us; /* CLOCK_MONOTONIC: time of that read */
	uint64_t lost_ns;    /* end of its last loss, trace clock */
	bool ended;          /* the disk was full: all later pages are discarded, so that there is no gap */
};

/* Real-time priority (SCHED_RR) for a tracer that drains too slowly because traced tasks occupy its CPU. Its use is
 * recorded in the metadata (drain_realtime). Zeroed: not raised. */
struct drain_priority {
	bool is_raised, was_refused;
	bool was_used; /* stays true after the priority is restored */
	int policy;    /* the original policy */
	struct sched_param param;
};

struct spool {
	char directory[512]; /* the files are in its file system */
	unsigned int cpu_count;
	struct spool_part *parts;
	const struct capture_session *session;
	struct losses losses; /* events dropped between two drains; times 0 if the clock does not count nanoseconds */
	struct drain_priority priority; /* raised since the first late drain */
	bool takes_partial;             /* set by the caller: a drain also moves the page that is being filled */
};

/* The files are in directory's file system. The session must outlive the spool. */
enum status spool_open(const struct capture_session *session, const char *directory, struct spool **spool,
		       struct error *err);
/* Moves the full pages of every CPU (takes_partial: all events). If they exceed an eighth of a buffer, other tasks
 * delay this one: the thread gets real-time priority, until spool_take_rest() or spool_close() in the same thread. Adds
 * the events dropped by full buffers since the last drain to losses. */
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
