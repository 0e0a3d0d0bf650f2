/* SPDX-License-Identifier: MIT
 *
 * Ring-buffer pages made word by word, as kernel/trace/ring_buffer.c lays them out on a 64-bit little-endian
 * machine: timestamp (8), commit (8), records. */
#ifndef SUPPORT_PAGE_RECIPE_H
#define SUPPORT_PAGE_RECIPE_H

#include <stdint.h>
#include <string.h>

#define PAGE_SIZE 4096u
#define PAGE_DATA 16u

struct page_recipe {
	uint8_t bytes[PAGE_SIZE];
	size_t at;
};

static inline void page_u32(struct page_recipe *page, uint32_t word)
{
	memcpy(page->bytes + page->at, &word, sizeof(word));
	page->at += sizeof(word);
}

static inline void page_begin(struct page_recipe *page, uint64_t ts)
{
	memset(page->bytes, 0, sizeof(page->bytes));
	memcpy(page->bytes, &ts, sizeof(ts));
	page->at = PAGE_DATA;
}

/* The first word of every record. */
static inline void page_word(struct page_recipe *page, uint32_t type_len, uint32_t time_delta)
{
	page_u32(page, type_len | time_delta << 5);
}

/* An event of up to 112 bytes (a multiple of 4): its length stands in type_len. */
static inline void page_event(struct page_recipe *page, uint32_t time_delta, const void *payload, uint32_t length)
{
	page_word(page, length / 4, time_delta);
	memcpy(page->bytes + page->at, payload, length);
	page->at += length;
}

/* An event of any length: type_len is 0 and a word, which counts itself, says the length. */
static inline void page_long_event(struct page_recipe *page, uint32_t time_delta, const void *payload, uint32_t length)
{
	page_word(page, 0, time_delta);
	page_u32(page, length + 4);
	memcpy(page->bytes + page->at, payload, length);
	page->at += (length + 3) & ~3u;
}

static inline void page_time_extend(struct page_recipe *page, uint64_t time_delta)
{
	page_word(page, 30, (uint32_t)time_delta & 0x7ffffff);
	page_u32(page, (uint32_t)(time_delta >> 27));
}

static inline void page_time_stamp(struct page_recipe *page, uint64_t ts)
{
	page_word(page, 31, (uint32_t)ts & 0x7ffffff);
	page_u32(page, (uint32_t)(ts >> 27));
}

/* An event that was reserved and then given up: padding with a time and a length. */
static inline void page_discarded(struct page_recipe *page, uint32_t time_delta, uint32_t length)
{
	page_word(page, 29, time_delta);
	page_u32(page, length + 4);
	page->at += length;
}

static inline void page_end(struct page_recipe *page)
{
	uint64_t commit = page->at - PAGE_DATA;

	memcpy(page->bytes + 8, &commit, sizeof(commit));
}

/* Events were lost before this page; the count stands behind the data where there was room for it. The kernel adds
 * 1 << 31 and 1 << 30 to a long, so the upper half is not zero. */
static inline void page_end_missed(struct page_recipe *page, int is_stored, uint64_t count)
{
	int64_t commit = (int64_t)(page->at - PAGE_DATA) - ((int64_t)1 << 31) + (is_stored ? (int64_t)1 << 30 : 0);

	memcpy(page->bytes + 8, &commit, sizeof(commit));
	if (is_stored)
		memcpy(page->bytes + page->at, &count, sizeof(count));
}

#endif
