/* SPDX-License-Identifier: MIT
 *
 * One page (sub-buffer) of the kernel's trace ring buffer, as per_cpu/cpuN/trace_pipe_raw gives it: a cursor over
 * its records. Source: kernel/trace/ring_buffer.c (struct buffer_data_page, struct ring_buffer_event,
 * ring_buffer_read_page()). Little-endian only. Input is hostile: no read leaves the page. */
#ifndef FORMAT_RING_PAGE_H
#define FORMAT_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "format/event_format.h"

/* The layout of a page, and the numbers of the record types: events/header_page, events/header_event. */
struct ring_page_layout {
	uint32_t timestamp_offset;
	uint32_t commit_offset;
	uint32_t commit_size; /* of the kernel's long: 4 or 8 */
	uint32_t data_offset;
	uint32_t data_size; /* of the pages that header_page speaks of; a file's own page size goes before it */
	uint8_t data_type_max;
	uint8_t padding_type;
	uint8_t time_extend_type;
	uint8_t time_stamp_type; /* 0 if the kernel has none (before 4.17) */
};

/* STATUS_CORRUPT if the texts do not say what they must, STATUS_UNSUPPORTED for another split of the record's
 * first word than 5 and 27 bits. */
enum status ring_page_layout_parse(struct text_span header_page, struct text_span header_event,
				   struct ring_page_layout *layout, struct error *err);

struct ring_record {
	uint64_t ts; /* in units of the trace clock */
	const uint8_t *data;
	uint32_t length; /* a multiple of 4, so up to 3 bytes longer than the event */
};

struct ring_page {
	const struct ring_page_layout *layout;
	const uint8_t *bytes, *at, *end;
	uint64_t ts;        /* before the first record: the page's own timestamp */
	bool cut;           /* the bytes end before the page's data do: what is whole is given */
	bool events_missed; /* events were lost between the page before and this one */
	bool missed_known;
	uint64_t missed; /* how many, where missed_known */
};

/* available is how many bytes there are, page_size how many there should be. STATUS_CORRUPT if the page says that
 * it holds more than it can. */
enum status ring_page_open(const struct ring_page_layout *layout, const uint8_t *bytes, size_t available,
			   uint32_t page_size, struct ring_page *page, struct error *err);

/* Clears in bytes, those of the page, that events were lost before it. */
void ring_page_clear_missed(const struct ring_page *page, uint8_t *bytes);

/* The next record that holds an event; time records and padding are taken into account and passed over.
 * STATUS_END after the last, STATUS_CORRUPT if a record goes past the page's end or is of no known type. */
enum status ring_page_next(struct ring_page *page, struct ring_record *record, struct error *err);

#endif
