/* SPDX-License-Identifier: MIT
 *
 * The typed events of one trace, of all CPUs, in time order. Memory does not grow with the trace. */
#ifndef SCHED_STREAM_H
#define SCHED_STREAM_H

#include "base/error.h"
#include "format/tracedat.h"
#include "sched/cpu_reader.h"
#include "sched/event.h"

struct sched_stream;

/* Whether times of this trace clock are nanoseconds: with others no stream is opened. */
bool sched_clock_counts_ns(const char *clock);

/* Opens a stream over a parsed trace, which must outlive it. STATUS_UNSUPPORTED: a trace without sched_switch, with
 * a clock that does not count nanoseconds, or whose formats are unlike those of any known kernel. */
enum status sched_stream_open(const struct tracedat *trace, const char *name, struct sched_stream **stream,
			      struct error *err);
/* The same of a trace of any events, with sched_switch or without. */
enum status sched_stream_open_any(const struct tracedat *trace, const char *name, struct sched_stream **stream,
				  struct error *err);
/* STATUS_OK with the next event, STATUS_END, or STATUS_CORRUPT with CPU and page. Events come in the order of ts_ns,
 * then of CPU; ts_ns never goes back: see sched_stream_backwards(). After a failure it fails again. */
enum status sched_stream_next(struct sched_stream *stream, struct sched_event *event, struct error *err);
void sched_stream_close(struct sched_stream *stream);

/* From now on SCHED_GAP shows the begin of a loss, at the time of the CPU's last event before it; SCHED_LOST goes on
 * showing its end. A CPU whose last events are missing has a SCHED_GAP and no SCHED_LOST. */
void sched_stream_tell_gaps(struct sched_stream *stream);
/* Before the first event: events of the CPU (an index of the trace) are missing before its first one. */
bool sched_stream_starts_late(const struct sched_stream *stream, size_t index);

/* A stream over a buffer that is still being filled: trace holds the headers, and pages come from source, which must
 * outlive it; one page of each CPU is held at a time. It gives nothing before sched_stream_go_on(). Other than a file
 * it needs no sched_switch. */
enum status sched_stream_open_live(const struct tracedat *trace, const char *name, const struct page_source *source,
				   struct sched_stream **stream, struct error *err);
/* Lets sched_stream_next() give what happened up to until_ns, STATUS_END after it. Everything of before until_ns must
 * be there by now. What is found too late is given all the same, at the time of the until_ns before. */
void sched_stream_go_on(struct sched_stream *stream, uint64_t until_ns);

/* The bytes of the event that sched_stream_next() gave last (but SCHED_LOST, which has none), until it is called
 * again: for what the typed event does not hold. Its ts is the event's. */
const struct ring_record *sched_stream_record(const struct sched_stream *stream);
/* The trace that it reads. */
const struct tracedat *sched_stream_trace(const struct sched_stream *stream);

/* How many events had a time before that of their predecessor on the same CPU, because the trace clock was corrected;
 * they were given their predecessor's time, as the kernel does within a page. *max_ns is the largest such step. A
 * step of more than 10 ms is STATUS_CORRUPT. Complete once the stream has ended. */
uint64_t sched_stream_backwards(const struct sched_stream *stream, uint64_t *max_ns);

/* prev_state as the kernel's own print fmt renders it: "S", "R+", "D|K"... from the trace's table, not from
 * constants. text has room for size bytes; 32 are enough for any known kernel. */
void sched_state_text(const struct sched_stream *stream, uint64_t prev_state, char *text, size_t size);

/* What is known to be lost, per CPU: by page flags, by the stats in the file, by pages that the file should have. */
struct sched_loss {
	uint32_t cpu;
	uint64_t events; /* 0 with ranges > 0: how many is not known */
	uint64_t ranges; /* places in the stream where events are missing; 0 if only their number is known */
	/* Those places lie between these two events of the CPU; before_ns is 0 if pages say nothing of it. */
	uint64_t after_ns, before_ns;
};
/* Complete once the stream has ended. Returns how many CPUs lost something; fills up to most of them. */
size_t sched_stream_losses(const struct sched_stream *stream, struct sched_loss *losses, size_t max);
/* How many events are missing after the last of those CPUs whose events have all been given, as far as known. */
uint64_t sched_stream_dropped_last(const struct sched_stream *stream);

#endif
