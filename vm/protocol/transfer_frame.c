/* SPDX-License-Identifier: MIT */
#include "vm/protocol/transfer_frame.h"

#include <string.h>

void delivery_put(uint8_t *to, uint64_t value, unsigned int width)
{
	while (width--) {
		*to++ = (uint8_t)value;
		value >>= 8;
	}
}

uint64_t delivery_get(const uint8_t *from, unsigned int width)
{
	uint64_t value = 0;

	while (width--)
		value = value << 8 | from[width];
	return value;
}

size_t delivery_frame_head(uint8_t *to, const char *name, size_t length, uint64_t size)
{
	memcpy(to, DELIVERY_FRAME_MAGIC, 8);
	delivery_put(to + 8, length, 4);
	memcpy(to + DELIVERY_FRAME_FIXED, name, length);
	delivery_put(to + DELIVERY_FRAME_FIXED + length, size, 8);
	return DELIVERY_FRAME_FIXED + length + 8;
}

size_t delivery_frame_tail(uint8_t *to, uint32_t checksum)
{
	delivery_put(to, checksum, 4);
	memcpy(to + 4, DELIVERY_FRAME_END, 4);
	return DELIVERY_FRAME_TAIL;
}
