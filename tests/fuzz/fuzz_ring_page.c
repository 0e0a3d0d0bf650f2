/* SPDX-License-Identifier: MIT
 *
 * A page's bytes, whole or cut, of a 64-bit kernel and of a 32-bit one. */
#include <stdlib.h>

#include "fuzz/page_mutator.h"
#include "support/kernel_texts.h"
#include "trace/format/ring_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* How many records; each lies within the page, behind the one before. */
static size_t walk(struct text_span header_page, const uint8_t *data, size_t size, uint32_t page_size)
{
	struct ring_page_layout layout;
	struct ring_page page;
	struct ring_record record;
	struct error err;
	const uint8_t *last = data;
	size_t count = 0;
	enum status status;

	if (ring_page_layout_parse(header_page, SPAN(HEADER_EVENT), &layout, &err) != STATUS_OK)
		abort();
	if (ring_page_open(&layout, data, size, page_size, &page, &err) != STATUS_OK)
		return 0;
	while ((status = ring_page_next(&page, &record, &err)) == STATUS_OK) {
		if (record.data < last || record.length > size || record.data + record.length > data + size)
			abort();
		last = record.data + record.length;
		count++;
	}
	if (status == STATUS_CORRUPT && page.cut)
		abort();
	if (ring_page_next(&page, &record, &err) != STATUS_END)
		abort();
	return count;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	if (size < 24 || seed % 3 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	page_mutate(data, size, seed >> 4);
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 65536)
		return 0;
	size_t whole = walk(SPAN(HEADER_PAGE), data, size, (uint32_t)size);
	/* The same bytes as the beginning of a larger page give no less. */
	size_t cut = walk(SPAN(HEADER_PAGE), data, size, 65536);
	if (cut < whole)
		abort();
	walk(SPAN(HEADER_PAGE_32), data, size, (uint32_t)size);
	return 0;
}
