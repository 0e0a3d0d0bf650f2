/* SPDX-License-Identifier: MIT
 *
 * Scheduler events while they happen: the recorder's sink that decodes pages as soon as they are read, for a consumer.
 * Memory: one page per CPU, for any duration. */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "record/tracefs/session.h"
#include "trace/stream.h"

/* Interval of reads: a buffer of some megabytes lasts longer, and a read wakes up only this process. */
#define LIVE_READ_MS 50

struct live;

/* In the order of the calls. */
struct live_consumer {
	/* Tracing has begun. */
	enum status (*begin)(void *context, struct live *live, struct error *err);
	/* Milliseconds until the next read(). */
	int (*interval_ms)(void *context);
	/* Reads new events with live_next(), until STATUS_END. */
	enum status (*read)(void *context, struct error *err);
	/* True ends the recording, as does a signal. */
	bool (*is_done)(void *context);
	/* Tracing has stopped: live_next() gives the rest. May be NULL. */
	enum status (*end)(void *context, struct error *err);
};

/* Records the whole machine. Of settings it uses buffer_size_kb, events and event_count (0: the scheduler's), and
 * migration_stacks. The clock is mono, and a full buffer overwrites its oldest events, and the stream reports lost
 * events (SCHED_LOST). The caller has called interrupt_catch(). */
enum status live_run(const struct capture_settings *settings, const struct live_consumer *consumer, void *context,
		     struct error *err);

/* Returns what sched_stream_next() returns: STATUS_END if nothing more has happened before this read(). */
enum status live_next(struct live *live, struct sched_event *event, struct error *err);
/* For sched_state_text() and similar functions. */
const struct sched_stream *live_stream(const struct live *live);
/* The time of this read(), and of the start, by the trace clock. */
uint64_t live_now_ns(const struct live *live);
uint64_t live_start_ns(const struct live *live);
/* One more than the highest number of a CPU. */
unsigned int live_cpu_count(const struct live *live);
/* The PID of this process in the trace: that of the first PID namespace. */
int32_t live_own_pid(const struct live *live);
/* Events lost so far on all CPUs, counted by the kernel. */
uint64_t live_lost(const struct live *live);

#endif
