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

uint32_t utf8_code(const char *text, size_t sequence)
{
	const uint8_t *bytes = (const uint8_t *)text;
	uint32_t code = sequence == 1 ? bytes[0] : bytes[0] & (0xffu >> (sequence + 1));

	for (size_t i = 1; i < sequence; i++)
		code = code << 6 | (bytes[i] & 0x3f);
	return code;
}

/* Controls (Cc), and characters that are invisible or reorder text: Default_Ignorable_Code_Point of Unicode 16, the
 * line and paragraph separators, and annotations. */
bool utf8_is_control(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
	    {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
	    {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
	    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	if (code >= 0x20 && code < 0x7f)
		return false;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

size_t utf8_printable(const char *text, size_t length)
{
	size_t sequence = utf8_sequence(text, length);

	return sequence && !utf8_is_control(utf8_code(text, sequence)) ? sequence : 0;
}

static size_t escape_bytes(const char *from, size_t length, char *to, size_t size, bool keep_lines)
{
	size_t out = 0;
	size_t i = 0;

	if (size == 0)
		return 0;
	while (i < length) {
		size_t sequence = utf8_printable(from + i, length - i);
		char piece[8];
		size_t width;
		if (keep_lines && (from[i] == '\n' || from[i] == '\t'))
			sequence = 1;
		if (sequence) {
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
