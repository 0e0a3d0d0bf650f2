/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool number_parse_real(const char *text, double *value)
{
	/* strtod also takes spaces, a plus sign, hexadecimal, inf and nan, which no option means. */
	if (!*text || *text == '+' || text[strspn(text, "0123456789.eE+-")])
		return false;
	char *end;
	errno = 0;
	double parsed = strtod(text, &end);
	if (*end || end == text || errno == ERANGE || !isfinite(parsed))
		return false;
	*value = parsed;
	return true;
}
