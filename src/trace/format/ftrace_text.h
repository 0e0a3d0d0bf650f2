/* SPDX-License-Identifier: MIT
 *
 * Parser of the kernel's text trace (the file "trace" of tracefs), and of the texts that other tools make of its
 * events: their lines differ in the layout of the start (enum ftrace_layout) and in the texts around the fields
 * (ftrace_forms). text_kind.h has the kinds of texts. Pure and streaming: works in one pass on bytes that the caller
 * holds, and copies nothing.
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
	enum ftrace_layout layout;
	int32_t pid;                     /* the running task, or -1 */
	struct ftrace_span comm;         /* its name, padded with spaces; empty if unknown */
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
	uint64_t entries; /* the header's entries-in-buffer: events that follow it in a whole text; 0: unknown */
	uint32_t headers; /* before the last event: of the trace file, or of trace-cmd report */
	/* Marks such as "CPU:2 [LOST 10 EVENTS]", summed per CPU; the last one sums all further CPUs. */
	struct loss losses[FTRACE_TEXT_LOSSES_MAX];
	size_t loss_count;

	enum ftrace_form_name form; /* of the lines, since the first sched_switch; before it FTRACE_FORMS */

	/* Internal to the parser. */
	bool is_page; /* HTML: lines are read only between <script class="trace-data"> and </script> */
	const char *start, *at, *end;
	uint64_t line;
	const char *fragments[FTRACE_TEXT_FRAGMENTS]; /* starts of the last malformed lines */
};

/* The bytes must outlive *text and every span taken from it. */
void ftrace_text_open(struct ftrace_text *text, const char *bytes, size_t length);
/* The same, but only whole lines of the first size bytes; of a page, whose viewer may be long, those of its first
 * trace. */
void ftrace_text_open_beginning(struct ftrace_text *text, const char *bytes, size_t length, size_t size);
/* The next sched_switch, or false at the end. Blank lines, lines that start with #, and those that stand between events
 * in a known kind of text are skipped. Other lines that are not events, and sched_switch lines with ambiguous fields,
 * are counted as malformed. */
bool ftrace_text_next(struct ftrace_text *text, struct ftrace_text_switch *event);
/* The next event of any kind, or mark of lost events. An event of a probe that has the name of another event is one of
 * FTRACE_TEXT_OTHER. */
bool ftrace_text_next_event(struct ftrace_text *text, struct ftrace_text_event *event);

/* Adds lost events to one of at most FTRACE_TEXT_LOSSES_MAX CPUs; the last one sums all further CPUs. */
void ftrace_text_add_loss(struct ftrace_text *text, const struct loss *loss);

#endif
