/* SPDX-License-Identifier: MIT
 *
 * Strict numbers: the whole text must be one number. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits only; no sign, no spaces. False also if the value does not fit. */
bool number_parse_u64(const char *text, uint64_t *value);
/* An optional minus sign, then decimal digits. */
bool number_parse_i64(const char *text, int64_t *value);
/* A finite decimal number: digits, at most one point, an optional exponent, a leading minus sign. A value too small for
 * a double is 0. */
bool number_parse_real(const char *text, double *value);
/* A number that may end in a unit of the same kind as unit: a time (ns us ms s min h) or a size (B K M G T, also KB and
 * KiB; powers of 1024). The value is in unit, and so is a number without one: "0.5s" with unit "ms" is 500. */
bool number_parse_with_unit(const char *text, const char *unit, double *value);

#endif
