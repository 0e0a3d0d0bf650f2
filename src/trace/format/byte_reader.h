/* SPDX-License-Identifier: MIT
 *
 * Reads little-endian numbers, strings and spans of bytes in sequence, never past the end. The first read that does
 * not fit sets failed; every later read returns zero or an empty span. A caller can thus check failed once after a
 * group of reads. */
#ifndef TRACE_FORMAT_BYTE_READER_H
#define TRACE_FORMAT_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format/event_format.h"

struct byte_reader {
	const uint8_t *bytes;
	size_t length;
	size_t at;
	bool failed;
};

uint8_t read_u8(struct byte_reader *reader);
uint16_t read_u16(struct byte_reader *reader);
uint32_t read_u32(struct byte_reader *reader);
uint64_t read_u64(struct byte_reader *reader);
/* The next length bytes, unchanged. */
struct text_span read_span(struct byte_reader *reader, uint64_t length);
/* Bytes up to the next NUL; skips the NUL too. */
struct text_span read_string(struct byte_reader *reader);
/* A reader limited to the next length bytes; skips them in *reader. */
struct byte_reader read_part(struct byte_reader *reader, uint64_t length);
/* Skips the next bytes and returns true if they are equal to these. Otherwise returns false and leaves failed
 * unchanged. */
bool read_match(struct byte_reader *reader, const void *bytes, size_t length);

#endif
