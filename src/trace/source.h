/* SPDX-License-Identifier: MIT
 *
 * The typed events of any trace: a trace.dat or the kernel's text trace. */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "trace/format/ftrace_text.h"
#include "trace/format/tracedat.h"
#include "trace/leave_reason.h"
#include "trace/stream.h"
#include "trace/trace_scope.h"

struct sched_source;

/* The trace (and its bytes) must outlive the source. Errors as in sched_stream_open(). */
enum status sched_source_open_dat(const struct tracedat *trace, const char *name, struct sched_source **source,
				  struct error *err);
/* A text trace: sched_switch, sched_wakeup, sched_wakeup_new, sched_migrate_task and tracing_mark_write lines become
 * events. prev_state is the number of the state's text within this trace. Times have the resolution of the text. */
enum status sched_source_open_text(const char *bytes, size_t length, const char *name, struct sched_source **source,
				   struct error *err);
void sched_source_close(struct sched_source *source);
/* The caller needs no events but SCHED_SWITCH, and of a text trace its own words: sched_source_text_switch(). Other
 * events of a text trace are then passed over, not parsed, and a switch has only kind, cpu and ts_ns. */
void sched_source_switches_only(struct sched_source *source);

/* Like sched_stream_next(), with SCHED_GAP (trace.dat only). ts_ns never decreases. */
enum status sched_source_next(struct sched_source *source, struct sched_event *event, struct error *err);

/* prev_state as the kernel writes it. A size of 32 is enough. */
void sched_source_state_text(const struct sched_source *source, uint64_t prev_state, char *text, size_t size);
struct leave_reason_table *sched_source_leave_reasons(struct sched_source *source);

/* Like sched_stream_losses() and sched_stream_backwards(): complete at the end of the source. */
void sched_source_losses(const struct sched_source *source, struct losses *losses);
uint64_t sched_source_backwards(const struct sched_source *source, uint64_t *max_ns);
/* Malformed lines of a text trace; 0 for a trace.dat. */
uint64_t sched_source_malformed(const struct sched_source *source);
/* Events overwritten before the first one, over all CPUs, from the header of a text trace. */
uint64_t sched_source_overwritten(const struct sched_source *source);
/* Events dropped by full buffers, over all CPUs; and those after the last event: sched_stream_dropped_last(). */
uint64_t sched_source_dropped(const struct sched_source *source);
uint64_t sched_source_dropped_last(const struct sched_source *source);
/* The trace clock; "" if unknown, NULL for a text trace. */
const char *sched_source_clock(const struct sched_source *source);

/* Call before the first event. True if events before this CPU's first one were overwritten, or if all of its events are
 * missing. */
bool sched_source_starts_late(const struct sched_source *source, uint32_t cpu);

/* What the trace can speak about; valid as long as the source. */
const struct trace_scope *sched_source_scope(const struct sched_source *source);

/* The stream of a trace.dat; NULL for a text trace. */
struct sched_stream *sched_source_stream(const struct sched_source *source);
/* The parser of a text trace; NULL for a trace.dat. */
const struct ftrace_text *sched_source_text(const struct sched_source *source);
/* The last SCHED_SWITCH of a text trace in its original text. */
const struct ftrace_text_switch *sched_source_text_switch(const struct sched_source *source);

#endif
