/* SPDX-License-Identifier: MIT
 *
 * The typed events of all CPUs of a trace.dat, in time order. Uses constant memory. */
#ifndef TRACE_STREAM_H
#define TRACE_STREAM_H

#include "base/error.h"
#include "runs/loss.h"
#include "trace/cpu_reader.h"
#include "trace/event.h"
#include "trace/format/tracedat.h"

struct sched_stream;

/* True if the trace clock counts nanoseconds. Other clocks are not supported. */
bool sched_clock_counts_ns(const char *clock);
/* True if all CPUs share the clock: kernel/trace/trace.c (trace_clocks[]). NULL: not known. */
bool sched_clock_is_common(const char *clock);

/* Opens a stream over a parsed trace, which must outlive it. STATUS_UNSUPPORTED: a trace without sched_switch, with
 * a clock that does not count nanoseconds, or with unknown event formats. */
enum status sched_stream_open(const struct tracedat *trace, const char *name, struct sched_stream **stream,
			      struct error *err);
/* Like sched_stream_open(), but does not require sched_switch. */
enum status sched_stream_open_any(const struct tracedat *trace, const char *name, struct sched_stream **stream,
				  struct error *err);
/* STATUS_OK with the next event, STATUS_END, or STATUS_CORRUPT with CPU and page. Events are ordered by
 * ts_ns, then CPU; ts_ns never decreases: see sched_stream_backwards(). After a failure, every call fails. */
enum status sched_stream_next(struct sched_stream *stream, struct sched_event *event, struct error *err);
void sched_stream_close(struct sched_stream *stream);

/* Enables SCHED_GAP: it marks the start of a loss, at the time of the CPU's last event before it. SCHED_LOST marks the
 * end. A CPU whose last events are missing has a SCHED_GAP without a SCHED_LOST. */
void sched_stream_tell_gaps(struct sched_stream *stream);
/* Call before the first event. True if events before the first one of this CPU (an index of the trace) are missing. */
bool sched_stream_starts_late(const struct sched_stream *stream, size_t index);

/* Opens a stream over a live buffer. trace has the headers; pages come from source, which must outlive the stream. One
 * page per CPU is held at a time. Returns no events before sched_stream_go_on(). Does not require sched_switch. */
enum status sched_stream_open_live(const struct tracedat *trace, const char *name, const struct page_source *source,
				   struct sched_stream **stream, struct error *err);
/* Lets sched_stream_next() return events up to until_ns, then STATUS_END. All events before until_ns must be available
 * by now. Events found too late are still returned, with the time of the previous until_ns. */
void sched_stream_go_on(struct sched_stream *stream, uint64_t until_ns);

/* The record of the last event from sched_stream_next(), for fields that the typed event lacks. Valid until the next
 * call; not for SCHED_LOST. The record's ts is that of the event. */
const struct ring_record *sched_stream_record(const struct sched_stream *stream);
/* The trace of the stream. */
const struct tracedat *sched_stream_trace(const struct sched_stream *stream);

/* The number of events with an earlier time than their predecessor on the same CPU, due to a correction of the trace
 * clock. They get their predecessor's time, as the kernel does within a page. *max_ns is the largest step back. A step
 * of more than 10 ms is STATUS_CORRUPT. Complete at the end of the stream. */
uint64_t sched_stream_backwards(const struct sched_stream *stream, uint64_t *max_ns);

/* prev_state rendered by the trace's own print fmt: "S", "R+", "D|K"... text has room for size bytes; 32 are enough for
 * any known kernel. */
void sched_state_text(const struct sched_stream *stream, uint64_t prev_state, char *text, size_t size);

/* Adds the known losses per CPU: from page flags, from the stats in the file, from missing pages of a truncated file.
 * Complete at the end of the stream. */
void sched_stream_losses(const struct sched_stream *stream, struct losses *losses);
/* Known number of events missing after the last event, over all CPUs that have reached their end. */
uint64_t sched_stream_dropped_last(const struct sched_stream *stream);

#endif
