/* SPDX-License-Identifier: MIT
 *
 * The header of a trace.dat: the kernel's descriptions of a session's events, pages, clock and tasks. */
#ifndef RECORD_TRACEFS_DAT_HEADER_H
#define RECORD_TRACEFS_DAT_HEADER_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "record/tracefs/session.h"
#include "trace/format/tracedat_write.h"

/* With migration_stacks, the header reserves this many bytes for kernel symbols, at first filled with newlines. Which
 * symbols are needed is known only when the file is read back (record/read_back.h). */
#define DAT_SYMBOL_ROOM 65536

/* The texts that make a trace.dat self-describing, and the offsets of each CPU's pages. Zeroed: empty. */
struct dat_header {
	const struct capture_session *session;
	struct buffer clock, cmdlines;
	struct buffer symbols;              /* reserved space, empty lines; only with stacks */
	struct buffer *formats;             /* of each event */
	struct tracedat_event_file *events; /* the recorded events and the event of marks */
	size_t event_count;
	struct buffer followed; /* numbers of the tasks that the session is restricted to */
	bool followed_only;
	char uname[256];
	unsigned int cpu_count;
	struct buffer *stats; /* per CPU; empty for an absent CPU */
	const char **stats_texts;
	struct tracedat_section *sections;
};

/* Fills a zeroed header from the running or stopped session, which must outlive it. STATUS_SYSTEM if a file of tracefs
 * cannot be read. dat_header_free() also after an error. */
enum status dat_header_read(const struct capture_session *session, struct dat_header *header, struct error *err);
/* The texts, in the memory of header and of its session. */
struct tracedat_header dat_header_texts(const struct dat_header *header);
void dat_header_free(struct dat_header *header);

#endif
