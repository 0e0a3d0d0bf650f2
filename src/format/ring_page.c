/* SPDX-License-Identifier: MIT */
#include "format/ring_page.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ring-buffer pages are read little-endian only");

/* The first word of a record: the low 5 bits are type_len, the rest is time_delta. */
#define TYPE_BITS       5
#define TIME_DELTA_BITS 27
/* An absolute time stamp has 27 + 32 bits; the kernel takes the others from the time that it had. */
#define TIME_STAMP_MASK (~UINT64_C(0) >> 5)

/* Bits of the commit word (RB_MISSED_EVENTS, RB_MISSED_STORED): on a page that a reader took after events were
 * overwritten, and where their count stands behind the data. */
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

/* A long of the kernel that wrote the page. */
static uint64_t load_long(const uint8_t *bytes, uint32_t size)
{
	return size == 8 ? load_u64(bytes) : load_u32(bytes);
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
		return error_set(err, STATUS_CORRUPT, NULL, "page says it holds %u bytes of %u", committed,
				 page_size - layout->data_offset);
	size_t data_end = (size_t)layout->data_offset + committed;
	page->ts = load_u64(bytes + layout->timestamp_offset);
	page->at = bytes + layout->data_offset;
	page->end = bytes + (data_end < available ? data_end : available);
	page->cut = data_end > available;
	page->events_missed = commit & COMMIT_EVENTS_MISSED;
	if (commit & COMMIT_MISSED_STORED && page->events_missed && data_end + layout->commit_size <= available) {
		page->missed = load_long(bytes + data_end, layout->commit_size);
		page->missed_known = true;
	}
	return STATUS_OK;
}

void ring_page_set_missed(const struct ring_page *page, uint8_t *bytes, uint32_t page_size, uint64_t events)
{
	const struct ring_page_layout *layout = page->layout;
	size_t data_end = (size_t)(page->end - page->bytes);
	uint64_t commit = data_end - layout->data_offset;
	bool known = !page->events_missed || page->missed_known;
	uint64_t missed = events + page->missed;

	/* The kernel's int becomes the upper half of a long, too. */
	if (events)
		commit |= ~UINT64_C(0) << 31;
	if (events && known && data_end + layout->commit_size <= page_size) {
		commit |= COMMIT_MISSED_STORED;
		memcpy(bytes + data_end, &missed, layout->commit_size);
	}
	memcpy(bytes + layout->commit_offset, &commit, layout->commit_size);
}

/* What the kernel's rb_fix_abs_ts() does: the bits that a time stamp record has no room for. */
static uint64_t absolute_time(uint64_t stamp, uint64_t before)
{
	if (!(before & ~TIME_STAMP_MASK))
		return stamp;
	stamp |= before & ~TIME_STAMP_MASK;
	return stamp < before ? stamp + TIME_STAMP_MASK + 1 : stamp;
}

/* Nothing of the page can be trusted behind a record that is wrong. */
static enum status bad_record(struct ring_page *page, const uint8_t *at, const char *what, struct error *err)
{
	page->at = page->end;
	/* In a file that ends early, the last page's last record is cut as well. */
	if (page->cut)
		return STATUS_END;
	return error_set(err, STATUS_CORRUPT, NULL, "record at byte %zu of the page %s", (size_t)(at - page->bytes),
			 what);
}

/* Takes a record that is not small data. *is_event says whether it holds one; STATUS_END where the page ends. */
static enum status next_long(struct ring_page *page, uint32_t type, uint64_t delta, struct ring_record *record,
			     bool *is_event, struct error *err)
{
	const struct ring_page_layout *layout = page->layout;
	const uint8_t *start = page->at;
	size_t left = (size_t)(page->end - start) - 4;

	/* Padding without a time is what is left of the page when it is too short for a length. */
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
	/* The second word is the length, and counts itself. */
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
		uint32_t word = load_u32(page->at);
		uint32_t type = word & ((1u << TYPE_BITS) - 1);
		uint64_t delta = word >> TYPE_BITS;

		if (type != 0 && type <= page->layout->data_type_most) {
			uint32_t length = type * 4;
			if (length > (size_t)(page->end - page->at) - 4)
				return bad_record(page, page->at, "goes past its end", err);
			page->ts += delta;
			*record = (struct ring_record){page->ts, page->at + 4, length};
			page->at += 4 + length;
			return STATUS_OK;
		}
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
