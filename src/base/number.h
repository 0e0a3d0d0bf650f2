/* SPDX-License-Identifier: MIT
 *
 * Strict numbers: the whole text is one number, or there is none. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits only; no sign, no spaces. False also where the value does not fit. */
bool number_parse_u64(const char *text, uint64_t *value);
/* An optional minus sign, then decimal digits. */
bool number_parse_i64(const char *text, int64_t *value);
/* A finite decimal number: digits, at most one point, optional exponent; a leading minus sign. What is too small for a
 * double is 0. Its own reader, because strtod takes spaces, hexadecimal, inf and nan, and 6 KB of the binary. */
bool number_parse_real(const char *text, double *value);

#endif
