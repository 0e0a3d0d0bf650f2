/* SPDX-License-Identifier: MIT
 *
 * Undoes deflate, without gzip's or zlib's frame around it. Small rather than fast. Source: RFC 1951. */
#ifndef BASE_INFLATE_H
#define BASE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes what packed holds to to. False where that is not deflate or not exactly length bytes. */
bool inflate(const uint8_t *packed, size_t packed_length, uint8_t *to, size_t length);

#endif
