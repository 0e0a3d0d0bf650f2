/* SPDX-License-Identifier: MIT
 *
 * The texts of header_page and header_event, the second behind a line "--". A layout that is taken must be safe
 * for any page. */
#include <stdlib.h>
#include <string.h>

#include "format/ring_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 512

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
	/* Pages of each byte and of each length, on the heap for ASan to watch their ends. */
	for (size_t length = 0; length <= PAGE; length += 17) {
		uint8_t *bytes = malloc(length + 1);
		if (!bytes)
			return 0;
		memset(bytes, (int)(length * 31), length);
		if (length >= 16)
			memset(bytes + 8, 0, 8);
		if (ring_page_open(&layout, bytes, length, PAGE, &page, &err) == STATUS_OK) {
			while (ring_page_next(&page, &record, &err) == STATUS_OK)
				;
		}
		free(bytes);
	}
	return 0;
}
