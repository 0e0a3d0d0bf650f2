/* SPDX-License-Identifier: MIT
 *
 * The kernel's text trace (the file "trace" of tracefs), read for its sched_switch lines. Pure and
 * streaming: works on bytes that the caller holds, in one pass, and keeps nothing of what it has read.
 *
 * Task names hold any byte, newlines and the text's own keywords too. They are distinguished by what the kernel
 * guarantees: a name has at most 15 bytes, the task column is at least 16 wide, and the fields stand in one order.
 * Source: kernel/trace/trace_output.c and the print fmt of the sched events. */
#ifndef FORMAT_FTRACE_TEXT_H
#define FORMAT_FTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ftrace_record.h"

/* What a mark like "CPU:2 [LOST 10 EVENTS]" says, summed per CPU. */
struct ftrace_text_loss {
	uint32_t cpu;
	uint64_t events; /* those that were counted */
	uint64_t marks;
};

enum ftrace_text_kind { FTRACE_TEXT_SWITCH, FTRACE_TEXT_OTHER, FTRACE_TEXT_LOST };

/* Any event, or a mark that says that events were lost. */
struct ftrace_text_event {
	enum ftrace_text_kind kind;
	uint32_t cpu;
	/* Not of FTRACE_TEXT_LOST: */
	uint64_t ts_ns;
	int32_t pid;                     /* who was running, or -1 */
	char interrupt;                  /* that it happened in: h, s, H, z, Z, or '.' none; 0 without flags */
	struct ftrace_span name, fields; /* "sched_wakeup", "comm=cat pid=7 ..." */
	/* FTRACE_TEXT_SWITCH */
	struct ftrace_text_switch switched;
	/* FTRACE_TEXT_LOST; 0 if the mark does not say how many */
	uint64_t lost;
};

#define FTRACE_TEXT_MOST_LOSSES 64
#define FTRACE_TEXT_FRAGMENTS   16

struct ftrace_text {
	/* Results, complete once ftrace_text_next() has returned false. */
	uint64_t switches, other_events;
	uint64_t malformed_lines;
	uint64_t first_malformed_line; /* from 1; 0 if none was malformed */
	/* The header's entries-written less its entries-in-buffer: what was overwritten before it was read. */
	uint64_t overwritten;
	struct ftrace_text_loss losses[FTRACE_TEXT_MOST_LOSSES]; /* further CPUs are summed in the last */
	size_t loss_count;

	/* The parser's own. */
	const char *start, *at, *end;
	uint64_t line;
	const char *fragments[FTRACE_TEXT_FRAGMENTS]; /* where the last malformed lines began */
};

/* The bytes must outlive *text and every span taken from it. */
void ftrace_text_open(struct ftrace_text *text, const char *bytes, size_t length);
/* The next sched_switch, or false at the end. Lines that are blank or whose first character is # are skipped; lines
 * that are no event, and sched_switch lines whose fields are ambiguous, are counted as malformed. */
bool ftrace_text_next(struct ftrace_text *text, struct ftrace_text_switch *event);
/* The same for events of every kind, and with the places where events were lost. */
bool ftrace_text_next_event(struct ftrace_text *text, struct ftrace_text_event *event);

#endif
