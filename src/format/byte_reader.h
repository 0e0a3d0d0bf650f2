/* SPDX-License-Identifier: MIT
 *
 * Reads little-endian numbers, strings and runs of bytes one after the other, and never past the end: the first
 * read that does not fit sets failed, and from then on every read gives zero or nothing, so that a caller can
 * check once after a group of reads. */
#ifndef FORMAT_BYTE_READER_H
#define FORMAT_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event_format.h"

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
/* length bytes as they stand. */
struct text_span read_span(struct byte_reader *reader, uint64_t length);
/* Bytes up to the next NUL, which is passed over. */
struct text_span read_string(struct byte_reader *reader);
/* A reader of the next length bytes alone, which are passed over. */
struct byte_reader read_part(struct byte_reader *reader, uint64_t length);
/* True if the next bytes are these; they are passed over. Else false, and failed is left as it was. */
bool read_match(struct byte_reader *reader, const void *bytes, size_t length);

#endif
