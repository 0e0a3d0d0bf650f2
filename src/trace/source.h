/* SPDX-License-Identifier: MIT
 *
 * The typed events of any trace: a trace.dat or the kernel's text trace. */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "trace/format/ftrace_text.h"
#include "trace/format/text_kind.h"
#include "trace/format/text_order.h"
#include "trace/format/tracedat.h"
#include "trace/leave_reason.h"
#include "trace/stream.h"
#include "trace/task.h"
#include "trace/trace_scope.h"

struct sched_source;

/* The trace (and its bytes) must outlive the source. Errors as in sched_stream_open(). */
enum status sched_source_open_dat(const struct tracedat *trace, const char *name, struct sched_source **source,
				  struct error *err);
/* A text trace of any kind that format/text_kind.h reads, in the order of time (format/text_order.h). prev_state is the
 * number of the state's text within this trace. Times have the resolution of the text. STATUS_UNSUPPORTED: another kind
 * of text, with its name and a remedy. */
enum status sched_source_open_text(const char *bytes, size_t length, const char *name, struct sched_source **source,
				   struct error *err);
void sched_source_close(struct sched_source *source);
/* The caller needs only SCHED_SWITCH events, and of a text trace only their original text: sched_source_text_switch().
 * Other events of a text trace are then skipped without parsing, and a switch has only kind, cpu and ts_ns. */
void sched_source_switches_only(struct sched_source *source);

/* Like sched_stream_next(), with SCHED_GAP (trace.dat only). ts_ns never decreases. */
enum status sched_source_next(struct sched_source *source, struct sched_event *event, struct error *err);

/* prev_state as the kernel writes it. A size of 32 is enough. */
void sched_source_state_text(const struct sched_source *source, uint64_t prev_state, char *text, size_t size);
struct leave_reason_table *sched_source_leave_reasons(struct sched_source *source);
/* The names at the start of the lines of a text trace. */
struct running_names sched_source_names(const struct sched_source *source);

/* Like sched_stream_losses() and sched_stream_backwards(): complete at the end of the source. */
void sched_source_losses(const struct sched_source *source, struct losses *losses);
uint64_t sched_source_backwards(const struct sched_source *source, uint64_t *max_ns);
/* Malformed lines of a text trace; 0 for a trace.dat. */
uint64_t sched_source_malformed(const struct sched_source *source);
/* Events overwritten before the first one, over all CPUs, from the header of a text trace. */
uint64_t sched_source_overwritten(const struct sched_source *source);
/* These and those that a flight recorder or a ring of pages overwrote before the first page of a CPU. */
uint64_t sched_source_before_first(const struct sched_source *source);
/* The number of events that a whole text trace has, by its headers; 0: unknown. */
uint64_t sched_source_entries(const struct sched_source *source);
/* Events dropped by full buffers, over all CPUs; and those after the last event: sched_stream_dropped_last(). */
uint64_t sched_source_dropped(const struct sched_source *source);
uint64_t sched_source_dropped_last(const struct sched_source *source);
/* The trace clock; "" if unknown, NULL for a text trace. */
const char *sched_source_clock(const struct sched_source *source);

/* Call before the first event. True if events before this CPU's first one were overwritten, or if all of its events are
 * missing. */
bool sched_source_starts_late(const struct sched_source *source, uint32_t cpu);

/* The tasks and CPUs that the trace covers; valid as long as the source. */
const struct trace_scope *sched_source_scope(const struct sched_source *source);

/* The stream of a trace.dat; NULL for a text trace. */
struct sched_stream *sched_source_stream(const struct sched_source *source);
/* The results of a text trace so far; NULL for a trace.dat. Valid until the next call. */
const struct ftrace_text *sched_source_text(const struct sched_source *source);
/* The last SCHED_SWITCH in its original text; NULL if it is not the kernel's usual text. */
const struct ftrace_text_switch *sched_source_text_switch(const struct sched_source *source);
/* How the lines of a text trace were put into the order of time; NULL for a trace.dat. */
const struct text_order *sched_source_text_order(const struct sched_source *source);
/* The kind of a text trace; NULL if not known. */
const struct text_kind *sched_source_text_kind(const struct sched_source *source);

#endif
