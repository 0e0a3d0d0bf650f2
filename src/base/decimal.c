/* SPDX-License-Identifier: MIT */
#include "base/decimal.h"

#define NANOSECONDS_PER_SECOND 1000000000u

static unsigned int digit_count(uint64_t value)
{
	unsigned int count = 1;

	for (; value >= 10; value /= 10)
		count++;
	return count;
}

char *decimal_put_fixed(char *to, uint64_t value, unsigned int digits)
{
	for (char *at = to + digits; at > to; value /= 10)
		*--at = (char)('0' + value % 10);
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
