/* SPDX-License-Identifier: MIT
 *
 * Conversion of numbers to decimal digits, for rows and lines of text. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdint.h>

#define DECIMAL_MAX  20                /* digits of a uint64_t */
#define DECIMAL_ROOM (DECIMAL_MAX + 7) /* bytes that writing one may change */

/* Each writes no NUL and returns the end of the digits; up to 7 bytes after it change, too. */

/* Without leading zeros. */
char *decimal_put(char *to, uint64_t value);
char *decimal_put_signed(char *to, int64_t value);
/* At least width characters, filled up on the left: fill is a space or '0'. */
char *decimal_put_padded(char *to, uint64_t value, unsigned int width, char fill);
/* The last digits of a value below 10^9, 1 to 9 of them, leading zeros too. */
char *decimal_put_fixed(char *to, uint32_t value, unsigned int digits);
/* Nanoseconds as seconds with nine decimals: "12.000000345". */
char *decimal_put_seconds(char *to, uint64_t ns);

#endif
