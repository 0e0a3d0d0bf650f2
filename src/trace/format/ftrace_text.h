/* SPDX-License-Identifier: MIT
 *
 * Parser of the kernel's text trace (the file "trace" of tracefs). Pure and streaming: works in one pass on bytes that
 * the caller holds, and copies nothing.
 *
 * A task name may contain any byte, including newlines and the text's own keywords. The parser relies on what the
 * kernel guarantees: a name has at most 15 bytes, the task column is at least 16 wide, the order of fields is fixed.
 * Source: kernel/trace/trace_output.c and the print fmt of the sched events. */
#ifndef TRACE_FORMAT_FTRACE_TEXT_H
#define TRACE_FORMAT_FTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runs/loss.h"
#include "trace/format/ftrace_record.h"

enum ftrace_text_kind { FTRACE_TEXT_SWITCH, FTRACE_TEXT_OTHER, FTRACE_TEXT_LOST };

/* Any event, or a mark of lost events. */
struct ftrace_text_event {
	enum ftrace_text_kind kind;
	uint32_t cpu;
	/* Not set for FTRACE_TEXT_LOST: */
	uint64_t ts_ns;
	int32_t pid;                     /* the running task, or -1 */
	char interrupt;                  /* interrupt context: h, s, H, z, Z, or '.' none; 0 without flags */
	struct ftrace_span name, fields; /* "sched_wakeup", "comm=cat pid=7 ..." */
	/* FTRACE_TEXT_SWITCH */
	struct ftrace_text_switch switched;
	/* FTRACE_TEXT_LOST; 0 if the mark has no count */
	uint64_t lost;
};

#define FTRACE_TEXT_LOSSES_MAX 64
#define FTRACE_TEXT_FRAGMENTS  16

struct ftrace_text {
	/* Results, complete once ftrace_text_next() has returned false. */
	uint64_t switches, other_events;
	uint64_t malformed_lines;
	uint64_t first_malformed_line; /* from 1; 0 if none */
	/* Events overwritten before they were read: the header's entries-written minus entries-in-buffer. */
	uint64_t overwritten;
	/* Marks such as "CPU:2 [LOST 10 EVENTS]", summed per CPU; the last one sums all further CPUs. */
	struct loss losses[FTRACE_TEXT_LOSSES_MAX];
	size_t loss_count;

	/* Internal to the parser. */
	const char *start, *at, *end;
	uint64_t line;
	const char *fragments[FTRACE_TEXT_FRAGMENTS]; /* starts of the last malformed lines */
};

/* The bytes must outlive *text and every span taken from it. */
void ftrace_text_open(struct ftrace_text *text, const char *bytes, size_t length);
/* The next sched_switch, or false at the end. Blank lines and lines that start with # are skipped. Lines that are not
 * events, and sched_switch lines with ambiguous fields, are counted as malformed. */
bool ftrace_text_next(struct ftrace_text *text, struct ftrace_text_switch *event);
/* The next event of any kind, or mark of lost events. */
bool ftrace_text_next_event(struct ftrace_text *text, struct ftrace_text_event *event);

#endif
