/* SPDX-License-Identifier: MIT */
#include "trace/format/ring_page.h"

#include <string.h>

static const char page_place[] = "header_page";
static const char event_place[] = "header_event";

/* The maximum of a type of five bits. */
#define TYPE_MAX 31

static enum status report_missing(const char *name, struct error *err)
{
	return error_set(err, STATUS_CORRUPT, page_place, "no usable field %s", name);
}

static enum status parse_header_page(struct text_span text, struct ring_page_layout *layout, struct error *err)
{
	struct text_span lines = text;
	struct event_field field;
	enum status status;

	while ((status = event_field_next(&lines, page_place, &field, err)) == STATUS_OK) {
		if (text_span_is(field.name, "timestamp") && field.size == 8) {
			layout->timestamp_offset = field.offset;
		} else if (text_span_is(field.name, "commit") && (field.size == 4 || field.size == 8)) {
			layout->commit_offset = field.offset;
			layout->commit_size = field.size;
		} else if (text_span_is(field.name, "data")) {
			layout->data_offset = field.offset;
			layout->data_size = field.size;
		}
	}
	if (status != STATUS_END)
		return status;
	if (layout->timestamp_offset == UINT32_MAX)
		return report_missing("timestamp", err);
	if (layout->commit_size == 0)
		return report_missing("commit", err);
	/* The cursor reads time and commit only if all bytes before the data are present. */
	if (layout->data_size == 0 || layout->data_offset < (uint64_t)layout->timestamp_offset + 8 ||
	    layout->data_offset < (uint64_t)layout->commit_offset + layout->commit_size)
		return report_missing("data", err);
	return STATUS_OK;
}

/* The number in "KEY : 27 bits", "KEY : type == 29" or "KEY == 28"; -1 if no line starts with key. */
static int header_event_number(struct text_span text, const char *key)
{
	struct text_span line;
	size_t key_length = strlen(key);

	while (text_span_line(&text, &line)) {
		size_t at = 0;
		while (at < line.length && (line.text[at] == ' ' || line.text[at] == '\t'))
			at++;
		if (line.length - at < key_length || memcmp(line.text + at, key, key_length) != 0)
			continue;
		for (at += key_length; at < line.length; at++) {
			int value = 0;
			size_t digits = 0;
			while (at < line.length && line.text[at] >= '0' && line.text[at] <= '9' && digits < 3) {
				value = value * 10 + (line.text[at++] - '0');
				digits++;
			}
			if (digits)
				return value;
		}
	}
	return -1;
}

static bool header_event_type(struct text_span text, const char *key, uint8_t *type)
{
	int number = header_event_number(text, key);

	if (number <= 0 || number > TYPE_MAX)
		return false;
	*type = (uint8_t)number;
	return true;
}

static enum status parse_header_event(struct text_span text, struct ring_page_layout *layout, struct error *err)
{
	int type_bits = header_event_number(text, "type_len");
	int delta_bits = header_event_number(text, "time_delta");

	if (type_bits < 0 || delta_bits < 0)
		return error_set(err, STATUS_CORRUPT, event_place, "no widths of type_len and time_delta");
	if (type_bits != 5 || delta_bits != 27)
		return error_set(err, STATUS_UNSUPPORTED, event_place, "records with %d and %d bits of type and time",
				 type_bits, delta_bits);
	if (!header_event_type(text, "data max type_len", &layout->data_type_max) ||
	    !header_event_type(text, "padding", &layout->padding_type) ||
	    !header_event_type(text, "time_extend", &layout->time_extend_type))
		return error_set(err, STATUS_CORRUPT, event_place, "not all record types are given");
	header_event_type(text, "time_stamp", &layout->time_stamp_type);
	if (layout->padding_type <= layout->data_type_max || layout->time_extend_type <= layout->data_type_max ||
	    layout->padding_type == layout->time_extend_type)
		return error_set(err, STATUS_CORRUPT, event_place, "two record types have the same number");
	return STATUS_OK;
}

enum status ring_page_layout_parse(struct text_span header_page, struct text_span header_event,
				   struct ring_page_layout *layout, struct error *err)
{
	*layout = (struct ring_page_layout){.timestamp_offset = UINT32_MAX};
	enum status status = parse_header_page(header_page, layout, err);

	if (status == STATUS_OK)
		status = parse_header_event(header_event, layout, err);
	return status;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ring-buffer pages are read little-endian only");

#define TIME_DELTA_BITS (32 - RING_TYPE_BITS)
/* An absolute time stamp has 27 + 32 bits; the kernel takes the upper bits from the previous time. */
#define TIME_STAMP_MASK (~UINT64_C(0) >> 5)

/* Bits of the commit word: RB_MISSED_EVENTS if events were overwritten before this page, RB_MISSED_STORED if their
 * count follows the data. */
#define COMMIT_EVENTS_MISSED UINT32_C(0x80000000)
#define COMMIT_MISSED_STORED UINT32_C(0x40000000)

static uint32_t load_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint64_t load_u64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

enum status ring_page_open(const struct ring_page_layout *layout, const uint8_t *bytes, size_t available,
			   uint32_t page_size, struct ring_page *page, struct error *err)
{
	*page = (struct ring_page){.layout = layout, .bytes = bytes, .at = bytes, .end = bytes};
	if (page_size <= layout->data_offset)
		return error_set(err, STATUS_CORRUPT, NULL, "pages of %u bytes have no room for data", page_size);
	if (available < layout->data_offset) {
		page->cut = true;
		return STATUS_OK;
	}
	/* The kernel adds the bits as a negative int, which sets the upper half of a 64-bit word as well. */
	uint32_t commit = load_u32(bytes + layout->commit_offset);
	uint32_t committed = commit & ~(COMMIT_EVENTS_MISSED | COMMIT_MISSED_STORED);
	if (committed > page_size - layout->data_offset)
		return error_set(err, STATUS_CORRUPT, NULL, "page claims %u bytes of data; max %u", committed,
				 page_size - layout->data_offset);
	size_t data_end = (size_t)layout->data_offset + committed;
	page->ts = load_u64(bytes + layout->timestamp_offset);
	page->at = bytes + layout->data_offset;
	page->end = bytes + (data_end < available ? data_end : available);
	page->cut = data_end > available;
	page->events_missed = commit & COMMIT_EVENTS_MISSED;
	if (commit & COMMIT_MISSED_STORED && page->events_missed && data_end + layout->commit_size <= available) {
		page->missed = layout->commit_size == 8 ? load_u64(bytes + data_end) : load_u32(bytes + data_end);
		page->missed_known = true;
	}
	return STATUS_OK;
}

void ring_page_clear_missed(const struct ring_page *page, uint8_t *bytes)
{
	const struct ring_page_layout *layout = page->layout;
	uint64_t commit = (uint64_t)(page->end - page->bytes) - layout->data_offset;

	memcpy(bytes + layout->commit_offset, &commit, layout->commit_size);
}

/* Like the kernel's rb_fix_abs_ts(): adds the bits for which a time stamp record has no room. */
static uint64_t absolute_time(uint64_t stamp, uint64_t before)
{
	if (!(before & ~TIME_STAMP_MASK))
		return stamp;
	stamp |= before & ~TIME_STAMP_MASK;
	return stamp < before ? stamp + TIME_STAMP_MASK + 1 : stamp;
}

/* After a corrupt record the rest of the page cannot be trusted. */
static enum status bad_record(struct ring_page *page, const uint8_t *at, const char *what, struct error *err)
{
	page->at = page->end;
	/* In a truncated file, the last record of the last page is cut too. */
	if (page->cut)
		return STATUS_END;
	return error_set(err, STATUS_CORRUPT, NULL, "record at byte %zu of the page %s", (size_t)(at - page->bytes),
			 what);
}

/* Reads a record that is not small data. *is_event: it holds an event; STATUS_END at the end of the page. */
static enum status next_long(struct ring_page *page, uint32_t type, uint64_t delta, struct ring_record *record,
			     bool *is_event, struct error *err)
{
	const struct ring_page_layout *layout = page->layout;
	const uint8_t *start = page->at;
	size_t left = (size_t)(page->end - start) - 4;

	/* Padding without a time fills the rest of a page that has no room for a length. */
	if (type == layout->padding_type && delta == 0)
		return STATUS_END;
	if (left < 4)
		return bad_record(page, start, "goes past its end", err);
	uint32_t second = load_u32(start + 4);
	uint64_t wide = delta + ((uint64_t)second << TIME_DELTA_BITS);
	page->at = start + 8;
	if (type == layout->time_extend_type) {
		page->ts += wide;
		return STATUS_OK;
	}
	if (type == layout->time_stamp_type && type != 0) {
		page->ts = absolute_time(wide, page->ts);
		return STATUS_OK;
	}
	if (type != 0 && type != layout->padding_type)
		return bad_record(page, start, "is of no known type", err);
	/* The second word is the length, which includes that word. */
	uint64_t length = ((uint64_t)second + 3) & ~UINT64_C(3);
	if (length < 4 || length > left)
		return bad_record(page, start, "goes past its end", err);
	page->ts += delta;
	page->at = start + 4 + length;
	*is_event = type == 0;
	*record = (struct ring_record){page->ts, start + 8, (uint32_t)length - 4};
	return STATUS_OK;
}

enum status ring_page_next(struct ring_page *page, struct ring_record *record, struct error *err)
{
	while (page->end - page->at >= 4) {
		if (ring_page_take(page, record))
			return STATUS_OK;
		uint32_t word = load_u32(page->at);
		uint32_t type = word & ((1u << RING_TYPE_BITS) - 1);
		uint64_t delta = word >> RING_TYPE_BITS;

		if (type != 0 && type <= page->layout->data_type_max)
			return bad_record(page, page->at, "goes past its end", err);
		bool is_event = false;
		enum status status = next_long(page, type, delta, record, &is_event, err);
		if (status == STATUS_END)
			break;
		if (status != STATUS_OK || is_event)
			return status;
	}
	page->at = page->end;
	return STATUS_END;
}
