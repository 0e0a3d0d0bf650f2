/* SPDX-License-Identifier: MIT */
#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t expected_length(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if ((first & 0xf0) == 0xe0)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

size_t utf8_sequence(const char *text, size_t length)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t need = length ? expected_length(bytes[0]) : 0;

	if (need == 0 || need > length)
		return 0;
	for (size_t i = 1; i < need; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	if (bytes[0] == 0xe0 && bytes[1] < 0xa0)
		return 0;
	if (bytes[0] == 0xed && bytes[1] > 0x9f)
		return 0;
	if (bytes[0] == 0xf0 && bytes[1] < 0x90)
		return 0;
	if (bytes[0] == 0xf4 && bytes[1] > 0x8f)
		return 0;
	return need;
}

/* UTF-8 continuation bytes have no width. */
static bool begins_character(char byte)
{
	return ((uint8_t)byte & 0xc0) != 0x80;
}

size_t utf8_columns(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += begins_character(text[i]);
	return columns;
}

size_t utf8_fitting(const char *text, size_t length, size_t columns)
{
	size_t at = 0;

	for (; at < length; at++)
		if (begins_character(text[at]) && columns-- == 0)
			break;
	return at;
}

static bool is_plain(const char *text, size_t sequence, bool keep_lines)
{
	uint8_t byte = (uint8_t)text[0];

	if (sequence == 0 || byte == 0x7f)
		return false;
	/* C1 controls, U+0080 to U+009F, move the cursor on some terminals. */
	if (sequence == 2 && byte == 0xc2 && (uint8_t)text[1] < 0xa0)
		return false;
	return byte >= 0x20 || (keep_lines && (byte == '\n' || byte == '\t'));
}

static size_t escape_bytes(const char *from, size_t length, char *to, size_t size, bool keep_lines)
{
	size_t out = 0;
	size_t i = 0;

	if (size == 0)
		return 0;
	while (i < length) {
		size_t sequence = utf8_sequence(from + i, length - i);
		char piece[8];
		size_t width;
		if (is_plain(from + i, sequence, keep_lines)) {
			memcpy(piece, from + i, sequence);
			width = sequence;
		} else {
			width = (size_t)snprintf(piece, sizeof(piece), "\\x%02x", (uint8_t)from[i]);
			sequence = 1;
		}
		if (out + width >= size)
			break;
		memcpy(to + out, piece, width);
		out += width;
		i += sequence;
	}
	to[out] = '\0';
	return out;
}

size_t escape_terminal(const char *from, size_t length, char *to, size_t size)
{
	return escape_bytes(from, length, to, size, true);
}

size_t escape_line(const char *from, size_t length, char *to, size_t size)
{
	return escape_bytes(from, length, to, size, false);
}

void escape_buffer(struct buffer *buffer)
{
	struct buffer safe = {0};
	size_t length = 0;

	for (size_t i = 0; i < buffer->length; i++)
		if (buffer->data[i] != '\r' || i + 1 == buffer->length || buffer->data[i + 1] != '\n')
			buffer->data[length++] = buffer->data[i];
	char *to = buffer_reserve(&safe, 4 * length + 1);
	safe.length = escape_terminal(buffer->data, length, to, 4 * length + 1);
	buffer_free(buffer);
	*buffer = safe;
}

void escape_line_add(const char *text, size_t length, struct buffer *out)
{
	char *escaped = buffer_reserve(out, 4 * length + 1);

	out->length += escape_line(text, length, escaped, 4 * length + 1);
}
