/* SPDX-License-Identifier: MIT
 *
 * Deflated bytes; the first two bytes say how long the text is to be. Nothing is written outside of it, and what was
 * taken once is taken again with the same outcome. */
#include <stdlib.h>
#include <string.h>

#include "base/inflate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	size_t length = (size_t)data[0] | (size_t)data[1] << 8;
	/* Each on the heap and of exactly this size, for ASan to watch their ends. */
	uint8_t *packed = malloc(size - 2 ? size - 2 : 1);
	uint8_t *first = malloc(length ? length : 1);
	uint8_t *second = malloc(length ? length : 1);
	if (!packed || !first || !second)
		abort();
	memcpy(packed, data + 2, size - 2);
	memset(first, 1, length);
	memset(second, 2, length);
	bool taken = inflate(packed, size - 2, first, length);
	if (inflate(packed, size - 2, second, length) != taken || (taken && memcmp(first, second, length) != 0))
		abort();
	free(packed);
	free(first);
	free(second);
	return 0;
}
