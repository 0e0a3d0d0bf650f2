/* SPDX-License-Identifier: MIT
 *
 * The header of a trace.dat: the kernel's own descriptions of a session's events, pages, clock and tasks. */
#ifndef CAPTURE_DAT_HEADER_H
#define CAPTURE_DAT_HEADER_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "capture/session.h"
#include "format/tracedat_write.h"

/* With migration_stacks the header has room for so many bytes of kernel symbols, empty lines at first: which ones occur
 * is known only once the file is read again (record/stack_symbols.h). */
#define DAT_SYMBOL_ROOM 65536

/* The texts that make a trace.dat self-describing, and where in it each CPU's pages lie. Zeroed: empty. */
struct dat_header {
	struct buffer header_page, header_event, clock, cmdlines;
	struct buffer symbols;              /* room for them, empty lines so far; only with stacks */
	struct buffer *formats;             /* of each event */
	struct tracedat_event_file *events; /* those recorded, and the one of marks */
	size_t event_count;
	char uname[256];
	uint32_t page_size;
	unsigned int cpu_count;
	struct buffer *stats; /* of each CPU; empty for one that is not there */
	const char **stats_texts;
	struct tracedat_section *sections;
};

enum status dat_header_read(const struct capture_session *session, struct dat_header *header, struct error *err);
/* Appends the header with its sections as they are. */
enum status dat_header_write(const struct dat_header *header, struct buffer *out, struct error *err);
void dat_header_free(struct dat_header *header);

/* Appends the header of a file without pages: it is enough to decode the pages of a session that still records. */
enum status dat_header_of(const struct capture_session *session, struct buffer *out, struct error *err);

#endif
