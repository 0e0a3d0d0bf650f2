/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <math.h>

/* Any number with a larger exponent is infinite or 0. */
#define EXPONENT_MOST 20000

bool number_parse_u64(const char *text, uint64_t *value)
{
	uint64_t sum = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		uint64_t digit = (uint64_t)(*text - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*value = sum;
	return true;
}

bool number_parse_i64(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	uint64_t size;

	if (!number_parse_u64(text + negative, &size))
		return false;
	if (size > (uint64_t)INT64_MAX + negative)
		return false;
	*value = negative ? (int64_t)(0 - size) : (int64_t)size;
	return true;
}

/* Ten to a power, which is exact up to 27. */
static long double power_of_ten(unsigned int exponent)
{
	long double power = 1;

	for (long double square = 10; exponent; exponent /= 2, square *= square)
		if (exponent % 2)
			power *= square;
	return power;
}

/* The nearest double where the digits fit into one and ten to the power does, which is what people write; else at most
 * one unit in the last place away. */
static double scaled(uint64_t digits, int exponent)
{
	unsigned int size = (unsigned int)(exponent < 0 ? -exponent : exponent);

	if (digits < UINT64_C(1) << 53 && size <= 22) {
		double power = (double)power_of_ten(size);
		return exponent < 0 ? (double)digits / power : (double)digits * power;
	}
	if (digits == 0)
		return 0;
	return (double)(exponent < 0 ? (long double)digits / power_of_ten(size)
				     : (long double)digits * power_of_ten(size));
}

/* The digits from *text on, without what 64 bits do not hold of them; *exponent says where the point lies. */
static bool take_digits(const char **text, uint64_t *digits, int *exponent)
{
	bool any = false;
	bool point = false;

	*digits = 0;
	*exponent = 0;
	for (;; (*text)++) {
		if (**text == '.' && !point) {
			point = true;
			continue;
		}
		if (**text < '0' || **text > '9')
			return any;
		any = true;
		bool kept = *digits < UINT64_MAX / 10 - 1;
		if (kept)
			*digits = *digits * 10 + (uint64_t)(**text - '0');
		if (kept == point && *exponent > -EXPONENT_MOST && *exponent < EXPONENT_MOST)
			*exponent += point ? -1 : 1;
	}
}

bool number_parse_real(const char *text, double *value)
{
	bool negative = *text == '-';
	uint64_t digits;
	int exponent;
	int64_t written = 0;

	text += negative;
	if (!take_digits(&text, &digits, &exponent))
		return false;
	if (*text == 'e' || *text == 'E') {
		text++;
		if (!number_parse_i64(text + (*text == '+' && text[1] != '-'), &written))
			return false;
		if (written > EXPONENT_MOST || written < -EXPONENT_MOST)
			written = written < 0 ? -EXPONENT_MOST : EXPONENT_MOST;
	} else if (*text) {
		return false;
	}
	double parsed = scaled(digits, exponent + (int)written);
	if (!isfinite(parsed))
		return false;
	*value = negative ? -parsed : parsed;
	return true;
}
