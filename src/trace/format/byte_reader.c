/* SPDX-License-Identifier: MIT */
#include "trace/format/byte_reader.h"

#include <string.h>

/* The next length bytes, or NULL. */
static const uint8_t *take_bytes(struct byte_reader *reader, uint64_t length)
{
	if (reader->failed || length > reader->length - reader->at) {
		reader->failed = true;
		return NULL;
	}
	const uint8_t *from = reader->bytes + reader->at;
	reader->at += (size_t)length;
	return from;
}

static uint64_t read_number(struct byte_reader *reader, unsigned int size)
{
	const uint8_t *from = take_bytes(reader, size);
	uint64_t value = 0;

	for (unsigned int i = 0; from && i < size; i++)
		value |= (uint64_t)from[i] << (8 * i);
	return value;
}

uint8_t read_u8(struct byte_reader *reader)
{
	return (uint8_t)read_number(reader, 1);
}

uint16_t read_u16(struct byte_reader *reader)
{
	return (uint16_t)read_number(reader, 2);
}

uint32_t read_u32(struct byte_reader *reader)
{
	return (uint32_t)read_number(reader, 4);
}

uint64_t read_u64(struct byte_reader *reader)
{
	return read_number(reader, 8);
}

struct text_span read_span(struct byte_reader *reader, uint64_t length)
{
	const uint8_t *from = take_bytes(reader, length);

	return from ? (struct text_span){(const char *)from, (size_t)length} : (struct text_span){"", 0};
}

struct text_span read_string(struct byte_reader *reader)
{
	const uint8_t *from = reader->bytes + reader->at;
	size_t left = reader->length - reader->at;
	const uint8_t *end = reader->failed || left == 0 ? NULL : memchr(from, '\0', left);

	if (!end) {
		reader->failed = true;
		return (struct text_span){"", 0};
	}
	reader->at += (size_t)(end - from) + 1;
	return (struct text_span){(const char *)from, (size_t)(end - from)};
}

struct byte_reader read_part(struct byte_reader *reader, uint64_t length)
{
	const uint8_t *from = take_bytes(reader, length);

	return from ? (struct byte_reader){.bytes = from, .length = (size_t)length}
		    : (struct byte_reader){.failed = true};
}

bool read_match(struct byte_reader *reader, const void *bytes, size_t length)
{
	if (reader->failed || length > reader->length - reader->at ||
	    memcmp(reader->bytes + reader->at, bytes, length) != 0)
		return false;
	reader->at += length;
	return true;
}
