/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/memory.h"

/* Most texts fit, so that printf formats them once. */
#define PRINTF_ROOM 120

void buffer_grow(struct buffer *buffer, size_t length)
{
	size_t need = buffer->length + length + 1;
	size_t capacity = buffer->capacity ? buffer->capacity : 256;

	if (need < length || need > SIZE_MAX / 2)
		memory_exhausted();
	while (capacity < need)
		capacity *= 2;
	buffer->data = xreallocarray(buffer->data, capacity, 1);
	buffer->capacity = capacity;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t length)
{
	copy_short(buffer_reserve(buffer, length), bytes, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
}

void buffer_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	char *to = buffer_reserve(buffer, PRINTF_ROOM);
	size_t room = buffer->capacity - buffer->length;
	va_list args;

	va_start(args, format);
	int length = vsnprintf(to, room, format, args);
	va_end(args);
	if (length < 0)
		memory_exhausted();
	if ((size_t)length >= room) {
		to = buffer_reserve(buffer, (size_t)length);
		va_start(args, format);
		vsnprintf(to, (size_t)length + 1, format, args);
		va_end(args);
	}
	buffer->length += (size_t)length;
}

void buffer_clear(struct buffer *buffer)
{
	buffer->length = 0;
	if (buffer->data)
		buffer->data[0] = '\0';
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}
