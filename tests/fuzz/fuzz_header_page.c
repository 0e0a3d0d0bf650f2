/* SPDX-License-Identifier: MIT
 *
 * The texts of header_page and header_event, the second behind a line "--". A layout that is taken must be safe
 * for any page. */
#include <stdlib.h>
#include <string.h>

#include "trace/format/ring_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 512

/* Records of all types and of short lengths, and a commit word that goes to the end of the page. */
static void fill(const struct ring_page_layout *layout, uint8_t *bytes, size_t length)
{
	uint32_t draw = (uint32_t)length;
	uint64_t commit = (PAGE - (uint64_t)layout->data_offset) | (length % 2 ? UINT64_C(0xc0000000) : 0);

	for (size_t i = 0; i < length; i++) {
		draw = draw * 1103515245 + 12345;
		bytes[i] = (uint8_t)(i % 4 == 0 ? draw >> 16 : draw >> 30);
	}
	if (layout->data_offset < PAGE && layout->data_offset <= length)
		memcpy(bytes + layout->commit_offset, &commit, layout->commit_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *mark = size ? memmem(data, size, "--\n", 3) : NULL;
	struct text_span header_page = {(const char *)data, mark ? (size_t)(mark - data) : size};
	struct text_span header_event = {"", 0};
	struct ring_page_layout layout;
	struct ring_page page;
	struct ring_record record;
	struct error err;

	if (mark)
		header_event = (struct text_span){(const char *)mark + 3, size - header_page.length - 3};
	if (ring_page_layout_parse(header_page, header_event, &layout, &err) != STATUS_OK)
		return 0;
	/* Pages of any length and content, on the heap for ASan to watch their ends. */
	for (size_t length = 0; length <= PAGE; length += 17) {
		uint8_t *bytes = malloc(length + 1);
		if (!bytes)
			return 0;
		fill(&layout, bytes, length);
		if (ring_page_open(&layout, bytes, length, PAGE, &page, &err) == STATUS_OK) {
			while (ring_page_next(&page, &record, &err) == STATUS_OK)
				;
		}
		free(bytes);
	}
	return 0;
}
