/* SPDX-License-Identifier: MIT
 *
 * Fast conversion of numbers to decimal digits, for rows and lines of text. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define DECIMAL_MAX 20 /* digits of a uint64_t */

/* Writes value without leading zeros and without a NUL; returns the end. This and what is made of it writes eight bytes
 * even if there are fewer digits. */
char *decimal_put(char *to, uint64_t value);
char *decimal_put_signed(char *to, int64_t value);
/* At least width characters, filled up on the left: fill is a space or '0'. */
char *decimal_put_padded(char *to, uint64_t value, size_t width, char fill);
/* Writes the last digits of value, leading zeros too; returns the end. */
char *decimal_put_fixed(char *to, uint32_t value, unsigned int digits);
/* Nanoseconds as seconds with nine decimals: "12.000000345". */
char *decimal_put_seconds(char *to, uint64_t ns);

/* The same for times that are mostly within one second, whose digits are cached. A zeroed struct is an empty cache. to
 * always needs room for 26 bytes. */
struct decimal_second {
	uint64_t start_ns;
	uint32_t length; /* of the digits and the point; 0: empty */
	char text[16];
};
char *decimal_put_time(char *to, uint64_t ns, struct decimal_second *second);

#endif
