/* SPDX-License-Identifier: MIT */
#include "vm/protocol/transfer.h"

#include <string.h>

static bool ends_in(const char *name, size_t length, const char *end)
{
	size_t end_length = strlen(end);

	return length > end_length && memcmp(name + length - end_length, end, end_length) == 0;
}

bool transfer_name_is_safe(const char *name, size_t length)
{
	static const char *const ends[] = {".dat", ".dat.partial", ".json", ".log"};
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";

	if (length == 0 || length > TRANSFER_NAME_MAX || name[0] == '.')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!name[i] || !strchr(safe, name[i]))
			return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_in(name, length, ends[i]))
			return true;
	return false;
}

bool transfer_is_trace(const char *name, size_t length)
{
	return ends_in(name, length, ".dat");
}

void transfer_put_number(uint8_t *to, uint64_t value, unsigned int width)
{
	while (width--) {
		*to++ = (uint8_t)value;
		value >>= 8;
	}
}

uint64_t transfer_get_number(const uint8_t *from, unsigned int width)
{
	uint64_t value = 0;

	while (width--)
		value = value << 8 | from[width];
	return value;
}

size_t transfer_frame_head(uint8_t *to, const char *name, size_t length, uint64_t size)
{
	memcpy(to, TRANSFER_FRAME_MAGIC, 8);
	transfer_put_number(to + 8, length, 4);
	memcpy(to + TRANSFER_FRAME_FIXED, name, length);
	transfer_put_number(to + TRANSFER_FRAME_FIXED + length, size, 8);
	return TRANSFER_FRAME_FIXED + length + 8;
}

size_t transfer_frame_tail(uint8_t *to, uint32_t checksum)
{
	transfer_put_number(to, checksum, 4);
	memcpy(to + 4, TRANSFER_FRAME_END, 4);
	return TRANSFER_FRAME_TAIL;
}
