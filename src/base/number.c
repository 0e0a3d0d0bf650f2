/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"

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

/* Digits with at most one point, then an optional exponent: strtod() alone also takes spaces, "+1", hexadecimal, "inf"
 * and "nan". */
static bool is_decimal(const char *text)
{
	size_t whole = strspn(text, DIGITS);
	size_t fraction = 0;

	text += whole;
	if (*text == '.') {
		fraction = strspn(++text, DIGITS);
		text += fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (*text != 'e' && *text != 'E')
		return !*text;
	text++;
	text += *text == '+' || *text == '-';
	return *text && !text[strspn(text, DIGITS)];
}

bool number_parse_real(const char *text, double *value)
{
	if (!is_decimal(text + (*text == '-')))
		return false;
	double parsed = strtod(text, NULL);
	if (!isfinite(parsed))
		return false;
	*value = parsed;
	return true;
}

struct unit {
	const char *name;
	double size;
};

/* In nanoseconds, so that their ratios are exact. */
static const struct unit time_units[] = {{"ns", 1},     {"us", 1e3}, {"ms", 1e6},   {"s", 1e9},
					 {"min", 60e9}, {"m", 60e9}, {"h", 3600e9}, {NULL, 0}};
/* Powers of 1024, as memory is counted. */
static const struct unit size_units[] = {
    {"B", 1},      {"K", 0x1p10},  {"KB", 0x1p10},  {"KiB", 0x1p10}, {"M", 0x1p20},  {"MB", 0x1p20},  {"MiB", 0x1p20},
    {"G", 0x1p30}, {"GB", 0x1p30}, {"GiB", 0x1p30}, {"T", 0x1p40},   {"TB", 0x1p40}, {"TiB", 0x1p40}, {NULL, 0}};

static double unit_size(const struct unit *units, const char *name)
{
	for (; units->name; units++)
		if (strcasecmp(units->name, name) == 0)
			return units->size;
	return 0;
}

bool number_parse_with_unit(const char *text, const char *unit, double *value)
{
	const struct unit *units = unit_size(time_units, unit) > 0 ? time_units : size_units;
	size_t length = strlen(text);
	char number[64];
	double parsed;

	if (number_parse_real(text, value))
		return true;
	while (length > 0 && isalpha((unsigned char)text[length - 1]))
		length--;
	double factor = unit_size(units, text + length);
	if (factor <= 0 || length == 0 || length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	if (!number_parse_real(number, &parsed))
		return false;
	/* Divides if the given unit is smaller, so that 500us is exactly 0.5 ms. */
	double own = unit_size(units, unit);
	*value = factor < own ? parsed / (own / factor) : parsed * (factor / own);
	return isfinite(*value);
}
