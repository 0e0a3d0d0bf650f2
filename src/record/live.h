/* SPDX-License-Identifier: MIT
 *
 * Scheduler events as they happen: a recorder sink that decodes each page when it is read, for a consumer. Memory: one
 * page per CPU, for any duration. */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "record/recorder.h"
#include "record/tracefs/readout.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

/* Interval of reads: shorter than a buffer of some megabytes lasts. A read wakes up only this process. */
#define LIVE_READ_MS 50

struct live {
	struct recorder_sink sink;
	struct sched_stream *stream; /* for sched_state_text() and similar functions */
	unsigned int cpu_count;      /* one more than the highest number of a CPU */
	uint64_t start_ns, now_ns;   /* times of the start and of the current read(), trace clock */
	int32_t own_pid;             /* of this process in the trace, so in the initial PID namespace */
	/* Private. */
	const struct live_consumer *consumer;
	void *context; /* for the consumer */
	struct capture_session *session;
	struct buffer header; /* of a trace.dat without pages; trace points into it */
	struct tracedat trace;
	struct page_source source;
	struct readout *readouts; /* one per CPU; not open for an absent CPU */
	char mark[64];            /* text of this process's mark, whose event has its PID in the trace */
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
	/* Tracing has stopped; reads the remaining events with live_next(). May be NULL. */
	enum status (*end)(void *context, struct error *err);
};

/* Records the whole machine. Uses buffer_size_kb, events, event_count (0: the scheduler's) and migration_stacks of
 * settings. The clock is mono. A full buffer overwrites its oldest events; the stream reports lost events (SCHED_LOST).
 * The caller has called interrupt_catch(). */
enum status live_run(const struct capture_settings *settings, const struct live_consumer *consumer, void *context,
		     struct error *err);

/* A trace without pages, to decode those of a running session: trace points into text. Free both. */
enum status live_trace_make(const struct capture_session *session, struct buffer *text, struct tracedat *trace,
			    struct error *err);

/* Returns what sched_stream_next() returns: STATUS_END if there are no more events before this read(). */
enum status live_next(struct live *live, struct sched_event *event, struct error *err);
/* Events lost so far on all CPUs, counted by the kernel. */
uint64_t live_lost(const struct live *live);

#endif
