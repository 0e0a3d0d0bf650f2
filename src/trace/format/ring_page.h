/* SPDX-License-Identifier: MIT
 *
 * A cursor over the records of one page (sub-buffer) of the kernel's trace ring buffer, as read from
 * per_cpu/cpuN/trace_pipe_raw. Source: kernel/trace/ring_buffer.c (struct buffer_data_page, struct ring_buffer_event,
 * ring_buffer_read_page()). Little-endian only. Input is hostile: no read goes beyond the page. */
#ifndef TRACE_FORMAT_RING_PAGE_H
#define TRACE_FORMAT_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "trace/format/event_format.h"

/* The layout of a page, and the numbers of the record types: events/header_page, events/header_event. */
struct ring_page_layout {
	uint32_t timestamp_offset;
	uint32_t commit_offset;
	uint32_t commit_size; /* of the kernel's long: 4 or 8 */
	uint32_t data_offset;
	uint32_t data_size; /* according to header_page; a file's own page size takes precedence */
	uint8_t data_type_max;
	uint8_t padding_type;
	uint8_t time_extend_type;
	uint8_t time_stamp_type; /* 0 if the kernel has none (before 4.17) */
};

/* STATUS_CORRUPT if a text lacks a required entry, STATUS_UNSUPPORTED if the record's first word is not split into
 * 5 and 27 bits. */
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
	uint64_t ts;        /* time of the current record; before the first one, the page's timestamp */
	bool cut;           /* the bytes end before the page's data: only complete records are returned */
	bool events_missed; /* events were lost between the previous page and this one */
	bool missed_known;
	uint64_t missed; /* their number, if missed_known */
};

/* available: bytes present; page_size: bytes of a complete page. STATUS_CORRUPT if the page's commit count exceeds
 * page_size. */
enum status ring_page_open(const struct ring_page_layout *layout, const uint8_t *bytes, size_t available,
			   uint32_t page_size, struct ring_page *page, struct error *err);

/* Clears the flags for lost events in bytes, the writable bytes of the page. */
void ring_page_clear_missed(const struct ring_page *page, uint8_t *bytes);

/* The next record with an event. Time records are applied and skipped, padding is skipped. STATUS_END after the last
 * one, STATUS_CORRUPT if a record extends beyond the page or has an unknown type. */
enum status ring_page_next(struct ring_page *page, struct ring_record *record, struct error *err);

/* The first word of a record: the low 5 bits are type_len, the rest is time_delta. */
#define RING_TYPE_BITS 5

/* Fast path of ring_page_next(), for a complete small data record. Otherwise it changes nothing and returns false: call
 * ring_page_next(). */
static inline bool ring_page_take(struct ring_page *page, struct ring_record *record)
{
	size_t left = (size_t)(page->end - page->at);
	uint32_t word;

	if (left < sizeof(word))
		return false;
	memcpy(&word, page->at, sizeof(word));
	uint32_t type = word & ((1u << RING_TYPE_BITS) - 1);
	if (type - 1u >= page->layout->data_type_max || type * 4u > left - sizeof(word))
		return false;
	page->ts += word >> RING_TYPE_BITS;
	record->ts = page->ts;
	record->data = page->at + sizeof(word);
	record->length = type * 4u;
	page->at = record->data + record->length;
	return true;
}

#endif
