/* SPDX-License-Identifier: MIT */
#include "cmd/compare_figures.h"

#include <math.h>
#include <stdio.h>

const char *figure_text(double value, char text[FIGURE_TEXT])
{
	double size = fabs(value);
	int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 4;

	if (isnan(value))
		snprintf(text, FIGURE_TEXT, "-");
	else if (size >= 1e10)
		snprintf(text, FIGURE_TEXT, "%.3e", value);
	else
		snprintf(text, FIGURE_TEXT, "%.*f", size == 0 ? 0 : decimals, value);
	return text;
}

/* A change and its bounds: with a sign, and no more digits than say something. */
static int put_signed(double value, bool is_percent, char *text, size_t size)
{
	if (isinf(value))
		return snprintf(text, size, "%cinf", value > 0 ? '+' : '-');
	if (fabs(value) >= 1e6)
		return snprintf(text, size, "%+.2e", value);
	return snprintf(text, size, "%+.*f", fabs(value) >= 1000 ? 0 : is_percent || fabs(value) >= 100 ? 1 : 3, value);
}

const char *change_text(const struct comparison *comparison, char text[FIGURE_TEXT])
{
	if (isnan(comparison->change)) {
		snprintf(text, FIGURE_TEXT, "-");
		return text;
	}
	int length = put_signed(comparison->change, comparison->is_percent, text, FIGURE_TEXT - 1);
	if (comparison->is_percent)
		snprintf(text + length, FIGURE_TEXT - (size_t)length, "%%");
	return text;
}

const char *interval_text(const struct comparison *comparison, char text[FIGURE_TEXT])
{
	char low[24], high[24];

	text[0] = '\0';
	if (isnan(comparison->low))
		return text;
	put_signed(comparison->low, comparison->is_percent, low, sizeof(low));
	put_signed(comparison->high, comparison->is_percent, high, sizeof(high));
	snprintf(text, FIGURE_TEXT, "[%s, %s]", low, high);
	return text;
}

const char *spread_text(const struct comparison_sample *sample, char text[FIGURE_TEXT])
{
	if (isnan(sample->spread_percent))
		text[0] = '\0';
	else
		snprintf(text, FIGURE_TEXT, "%.0f%%", sample->spread_percent);
	return text;
}
