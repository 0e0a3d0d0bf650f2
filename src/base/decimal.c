/* SPDX-License-Identifier: MIT */
#include "base/decimal.h"

#include <string.h>

#define NANOSECONDS_PER_SECOND 1000000000u
#define EIGHT_DIGITS           100000000u                   /* the first number of more digits */
#define DIGIT_ZEROS            UINT64_C(0x3030303030303030) /* '0' in each byte */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";

static size_t digit_count(uint64_t value)
{
	size_t count = 1;

	for (; value >= 10000; value /= 10000)
		count += 4;
	return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* The eight digits of a value below 100,000,000 as numbers 0 to 9, the first in the lowest byte. All parts of one word
 * are divided at once: into two parts of four digits, four of two, eight of one. (n * 10486) >> 20 is n / 100 for n
 * below 10,000; (n * 103) >> 10 is n / 10 for n below 100. */
static inline uint64_t eight_digits(uint32_t value)
{
	uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
	uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
	uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);

	return tens | (twos - tens * 10) << 8;
}

static inline char *put_eight(char *to, uint32_t value)
{
	uint64_t digits = eight_digits(value) | DIGIT_ZEROS;

	memcpy(to, &digits, sizeof(digits));
	return to + sizeof(digits);
}

char *decimal_put(char *to, uint64_t value)
{
	if (value < 10) {
		*to = (char)('0' + value);
		return to + 1;
	}
	if (value >= EIGHT_DIGITS)
		return put_eight(decimal_put(to, value / EIGHT_DIGITS), (uint32_t)(value % EIGHT_DIGITS));
	uint64_t digits = eight_digits((uint32_t)value);
	unsigned int zeros = (unsigned int)__builtin_ctzll(digits) / 8;
	digits = (digits | DIGIT_ZEROS) >> 8 * zeros;
	memcpy(to, &digits, sizeof(digits));
	return to + sizeof(digits) - zeros;
}

char *decimal_put_signed(char *to, int64_t value)
{
	if (value >= 0)
		return decimal_put(to, (uint64_t)value);
	*to = '-';
	return decimal_put(to + 1, -(uint64_t)value);
}

char *decimal_put_padded(char *to, uint64_t value, size_t width, char fill)
{
	for (size_t count = digit_count(value); count < width; count++)
		*to++ = fill;
	return decimal_put(to, value);
}

char *decimal_put_fixed(char *to, uint32_t value, unsigned int digits)
{
	char *at = to + digits;

	for (; at - to >= 2; value /= 100) {
		at -= 2;
		memcpy(at, digit_pairs + 2 * (value % 100), 2);
	}
	if (at > to)
		*to = (char)('0' + value % 10);
	return to + digits;
}

static char *put_fraction(char *to, uint32_t fraction)
{
	*to = (char)('0' + fraction / EIGHT_DIGITS);
	return put_eight(to + 1, fraction % EIGHT_DIGITS);
}

char *decimal_put_seconds(char *to, uint64_t ns)
{
	if (ns < NANOSECONDS_PER_SECOND)
		*to++ = '0';
	else
		to = decimal_put(to, ns / NANOSECONDS_PER_SECOND);
	*to = '.';
	return put_fraction(to + 1, (uint32_t)(ns % NANOSECONDS_PER_SECOND));
}

char *decimal_put_time(char *to, uint64_t ns, struct decimal_second *second)
{
	if (ns < second->start_ns || ns - second->start_ns >= NANOSECONDS_PER_SECOND || second->length == 0) {
		uint64_t seconds = ns / NANOSECONDS_PER_SECOND;
		char *end = decimal_put(second->text, seconds);
		*end++ = '.';
		second->start_ns = seconds * NANOSECONDS_PER_SECOND;
		second->length = (uint32_t)(end - second->text);
	}
	/* A fixed length compiles to one move. */
	memcpy(to, second->text, sizeof(second->text));
	return put_fraction(to + second->length, (uint32_t)(ns - second->start_ns));
}
