/* SPDX-License-Identifier: MIT
 *
 * Scheduler events while they happen: the recorder's sink that decodes pages as soon as they are read, for a consumer.
 * Memory: one page per CPU, for any duration. */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "record/recorder.h"
#include "record/tracefs/readout.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

/* Interval of reads: a buffer of some megabytes lasts longer, and a read wakes up only this process. */
#define LIVE_READ_MS 50

struct live {
	struct recorder_sink sink;
	struct sched_stream *stream; /* for sched_state_text() and similar functions */
	unsigned int cpu_count;      /* one more than the highest number of a CPU */
	uint64_t start_ns, now_ns;   /* the time of the start, and of this read(), by the trace clock */
	int32_t own_pid;             /* of this process in the trace: that of the first PID namespace */
	/* Private. */
	const struct live_consumer *consumer;
	void *context; /* for the consumer */
	struct capture_session *session;
	struct buffer header; /* of a trace.dat without pages; trace points into it */
	struct tracedat trace;
	struct page_source source;
	struct readout *readouts; /* one per CPU */
	unsigned int opened;      /* how many of them */
	char mark[64];            /* the text of the own mark, which shows the own PID in the trace */
};

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
/* Events lost so far on all CPUs, counted by the kernel. */
uint64_t live_lost(const struct live *live);

#endif
