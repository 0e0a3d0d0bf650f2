/* SPDX-License-Identifier: MIT */
#include "export/protobuf.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"

#define VARINT_MAX 10

enum wire_type { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

/* Seven bits per byte, the lowest first; the eighth bit means that more bytes follow. */
static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

static void add_key_and_value(struct buffer *message, uint32_t field, enum wire_type type, uint64_t value)
{
	uint8_t bytes[2 * VARINT_MAX];
	uint8_t *end = put_varint(put_varint(bytes, (uint64_t)field << 3 | type), value);

	buffer_add(message, bytes, (size_t)(end - bytes));
}

void protobuf_unsigned(struct buffer *message, uint32_t field, uint64_t value)
{
	add_key_and_value(message, field, WIRE_VARINT, value);
}

void protobuf_signed(struct buffer *message, uint32_t field, int64_t value)
{
	add_key_and_value(message, field, WIRE_VARINT, (uint64_t)value);
}

void protobuf_bytes(struct buffer *message, uint32_t field, const void *bytes, size_t length)
{
	add_key_and_value(message, field, WIRE_LENGTH, length);
	buffer_add(message, bytes, length);
}

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
#define REPLACEMENT_SIZE (sizeof(replacement) - 1)

void protobuf_text(struct buffer *message, uint32_t field, const char *text, size_t length)
{
	size_t valid_length = 0;

	for (size_t at = 0; at < length;) {
		size_t sequence = utf8_sequence(text + at, length - at);
		valid_length += sequence ? sequence : REPLACEMENT_SIZE;
		at += sequence ? sequence : 1;
	}
	add_key_and_value(message, field, WIRE_LENGTH, valid_length);
	for (size_t at = 0; at < length;) {
		size_t sequence = utf8_sequence(text + at, length - at);
		if (sequence)
			buffer_add(message, text + at, sequence);
		else
			buffer_add(message, replacement, REPLACEMENT_SIZE);
		at += sequence ? sequence : 1;
	}
}
