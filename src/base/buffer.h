/* SPDX-License-Identifier: MIT
 *
 * A growable sequence of bytes. A zeroed struct is an empty buffer. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct buffer {
	char *data; /* a NUL follows the last byte after the first addition */
	size_t length;
	size_t capacity;
};

void buffer_add(struct buffer *buffer, const void *bytes, size_t length);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reserves length more bytes and returns where to write them. The caller then adds the number of bytes that it
 * wrote to buffer->length. */
static inline void *buffer_reserve(struct buffer *buffer, size_t length);
void buffer_clear(struct buffer *buffer); /* the memory stays allocated */
void buffer_free(struct buffer *buffer);

/* Internal. */
void buffer_grow(struct buffer *buffer, size_t length);

static inline void *buffer_reserve(struct buffer *buffer, size_t length)
{
	if (length >= buffer->capacity - buffer->length)
		buffer_grow(buffer, length);
	return buffer->data + buffer->length;
}

#endif
