/* SPDX-License-Identifier: MIT */
#include "compare/metric_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *metric_value_text(double value, char text[METRIC_TEXT_SIZE])
{
	double size = fabs(value);
	int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 4;

	if (isnan(value))
		snprintf(text, METRIC_TEXT_SIZE, "-");
	else if (size >= 1e10)
		snprintf(text, METRIC_TEXT_SIZE, "%.3e", value);
	else
		snprintf(text, METRIC_TEXT_SIZE, "%.*f", size == 0 ? 0 : decimals, value);
	return text;
}

/* A change or one of its bounds, with significant digits only; a percentage from +1000 on as a factor. */
static void put_signed(double value, bool is_percent, char *text, size_t size)
{
	double factor = 1 + value / 100;

	if (isinf(value))
		snprintf(text, size, "%cinf", value > 0 ? '+' : '-');
	else if (is_percent && value >= 1000)
		snprintf(text, size, "x%.*f", factor < 1000 ? 1 : 0, factor);
	else if (value == 0)
		snprintf(text, size, "0");
	else if (is_percent && fabs(value) < 0.05)
		snprintf(text, size, "0.0"); /* without a sign */
	else if (is_percent || fabs(value) >= 100)
		snprintf(text, size, "%+.1f", value);
	else
		snprintf(text, size, "%+.3f", value);
}

const char *change_text(const struct comparison *comparison, char text[METRIC_TEXT_SIZE])
{
	if (isnan(comparison->change)) {
		snprintf(text, METRIC_TEXT_SIZE, "-");
		return text;
	}
	put_signed(comparison->change, comparison->is_percent, text, METRIC_TEXT_SIZE - 1);
	if (comparison->is_percent && text[0] != 'x')
		strcat(text, "%");
	return text;
}

const char *interval_text(const struct comparison *comparison, char text[METRIC_TEXT_SIZE])
{
	char low[24], high[24];

	text[0] = '\0';
	if (isnan(comparison->low) || (comparison->low == 0 && comparison->high == 0))
		return text;
	put_signed(comparison->low, comparison->is_percent, low, sizeof(low));
	put_signed(comparison->high, comparison->is_percent, high, sizeof(high));
	snprintf(text, METRIC_TEXT_SIZE, "[%s, %s]", low, high);
	return text;
}

const char *spread_text(const struct comparison_sample *sample, char text[METRIC_TEXT_SIZE])
{
	if (isnan(sample->spread_percent))
		text[0] = '\0';
	else if (sample->spread_percent >= 999.5)
		snprintf(text, METRIC_TEXT_SIZE, ">999%%");
	else
		snprintf(text, METRIC_TEXT_SIZE, "%.0f%%", sample->spread_percent);
	return text;
}
