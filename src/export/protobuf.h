/* SPDX-License-Identifier: MIT
 *
 * An encoder for the protocol buffers wire format: https://protobuf.dev/programming-guides/encoding. Each call adds
 * one field to a message; a nested message is added as bytes. Pure. */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include <stdint.h>

#include "base/buffer.h"

/* uint32, uint64, bool, enum. */
void protobuf_unsigned(struct buffer *message, uint32_t field, uint64_t value);
/* int32, int64: negative values take ten bytes. */
void protobuf_signed(struct buffer *message, uint32_t field, int64_t value);
/* bytes, or a message. */
void protobuf_bytes(struct buffer *message, uint32_t field, const void *bytes, size_t length);
/* string: each byte that is not valid UTF-8 becomes U+FFFD, because readers reject or drop invalid strings. */
void protobuf_text(struct buffer *message, uint32_t field, const char *text, size_t length);

#endif
