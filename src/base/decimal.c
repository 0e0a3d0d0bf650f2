/* SPDX-License-Identifier: MIT */
#include "base/decimal.h"

#include <string.h>

#define BILLION         1000000000u
#define HUNDRED_MILLION 100000000u
#define DIGIT_ZEROS     UINT64_C(0x3030303030303030) /* '0' in each byte */

/* The eight digits of a value below 100,000,000 as numbers 0 to 9, the first in the lowest byte: a loop of digits is
 * half of the time of a row. All parts of a word are divided at once, into two parts of four digits, four of two, eight
 * of one. (n * 10486) >> 20 is n / 100 for n below 10,000, and (n * 103) >> 10 is n / 10 for n below 100. */
static inline uint64_t eight_digits(uint32_t value)
{
	uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
	uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
	uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);

	return tens | (twos - tens * 10) << 8;
}

/* Writes count of the digits, the first ones. */
static inline char *put_digits(char *to, uint64_t digits, unsigned int count)
{
	digits |= DIGIT_ZEROS;
	memcpy(to, &digits, sizeof(digits));
	return to + count;
}

static inline char *put_digit(char *to, uint64_t digit)
{
	*to = (char)('0' + digit);
	return to + 1;
}

char *decimal_put(char *to, uint64_t value)
{
	if (value < 10)
		return put_digit(to, value);
	if (value >= HUNDRED_MILLION)
		return put_digits(decimal_put(to, value / HUNDRED_MILLION),
				  eight_digits((uint32_t)(value % HUNDRED_MILLION)), 8);
	const uint64_t digits = eight_digits((uint32_t)value);
	const unsigned int zeros = (unsigned int)__builtin_ctzll(digits) / 8;
	return put_digits(to, digits >> 8 * zeros, 8 - zeros);
}

char *decimal_put_signed(char *to, int64_t value)
{
	if (value >= 0)
		return decimal_put(to, (uint64_t)value);
	*to = '-';
	return decimal_put(to + 1, -(uint64_t)value);
}

char *decimal_put_padded(char *to, uint64_t value, unsigned int width, char fill)
{
	unsigned int count = 1;

	for (uint64_t limit = 10; count < width && value >= limit; limit *= 10)
		count++;
	for (; count < width; count++)
		*to++ = fill;
	return decimal_put(to, value);
}

char *decimal_put_fixed(char *to, uint32_t value, unsigned int digits)
{
	if (digits > 8) {
		to = put_digit(to, value / HUNDRED_MILLION);
		digits = 8;
	}
	return put_digits(to, eight_digits(value % HUNDRED_MILLION) >> 8 * (8 - digits), digits);
}

char *decimal_put_seconds(char *to, uint64_t ns)
{
	to = decimal_put(to, ns / BILLION);
	*to = '.';
	return decimal_put_fixed(to + 1, (uint32_t)(ns % BILLION), 9);
}
