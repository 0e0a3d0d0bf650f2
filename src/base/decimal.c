/* SPDX-License-Identifier: MIT */
#include "base/decimal.h"

#include <string.h>

#define NANOSECONDS_PER_SECOND 1000000000u

/* Two digits per division: rows of datasets and lines of text are mostly numbers. */
static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";

static unsigned int digit_count(uint64_t value)
{
	unsigned int count = 1;

	for (uint64_t limit = 10; count < DECIMAL_MAX && value >= limit; limit *= 10)
		count++;
	return count;
}

char *decimal_put_fixed(char *to, uint64_t value, unsigned int digits)
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

char *decimal_put(char *to, uint64_t value)
{
	return decimal_put_fixed(to, value, digit_count(value));
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
	for (unsigned int count = digit_count(value); count < width; count++)
		*to++ = fill;
	return decimal_put(to, value);
}

char *decimal_put_seconds(char *to, uint64_t ns)
{
	to = decimal_put(to, ns / NANOSECONDS_PER_SECOND);
	*to = '.';
	return decimal_put_fixed(to + 1, ns % NANOSECONDS_PER_SECOND, 9);
}
