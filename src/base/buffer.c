/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"

/* Most texts fit, so that printf formats them once. */
#define PRINTF_ROOM 120

void *buffer_reserve(struct buffer *buffer, size_t length)
{
	size_t need = buffer->length + length + 1;

	if (buffer->failed || need < length || need > SIZE_MAX / 2) {
		buffer->failed = true;
		return NULL;
	}
	if (need > buffer->capacity) {
		size_t capacity = buffer->capacity ? buffer->capacity : 256;
		while (capacity < need)
			capacity *= 2;
		char *data = realloc(buffer->data, capacity);
		if (!data) {
			buffer->failed = true;
			return NULL;
		}
		buffer->data = data;
		buffer->capacity = capacity;
	}
	return buffer->data + buffer->length;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t length)
{
	char *to = buffer_reserve(buffer, length);

	if (!to)
		return;
	copy_short(to, bytes, length);
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
	va_list args;

	if (!to)
		return;
	size_t room = buffer->capacity - buffer->length;
	va_start(args, format);
	int length = vsnprintf(to, room, format, args);
	va_end(args);
	if (length < 0) {
		buffer->failed = true;
	} else if ((size_t)length >= room && (to = buffer_reserve(buffer, (size_t)length))) {
		va_start(args, format);
		vsnprintf(to, (size_t)length + 1, format, args);
		va_end(args);
	}
	if (buffer->failed)
		buffer->data[buffer->length] = '\0';
	else
		buffer->length += (size_t)length;
}

void buffer_clear(struct buffer *buffer)
{
	buffer->length = 0;
	buffer->failed = false;
	if (buffer->data)
		buffer->data[0] = '\0';
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}
