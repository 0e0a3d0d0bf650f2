/* SPDX-License-Identifier: MIT */
#include "compare/metric_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct metric_scale own_unit = {.divisor = 1};

struct metric_scale metric_scale_of(const struct comparison_row *row)
{
	const double most_us = 10000;
	struct metric_scale scale = own_unit;
	double max = 0;

	for (size_t set = 0; set < COMPARISON_SETS_MAX; set++) {
		const struct comparison_sample *sample = &row->cells[set].sample;
		max = sample->count ? fmax(max, sample->median) : max;
	}
	if (strcmp(row->metric->unit, "us") == 0 && max > most_us)
		return (struct metric_scale){.divisor = 1000, .unit = " ms"};
	if (row->is_rare) {
		scale = (struct metric_scale){.divisor = 1 / row->seconds, .is_count = true};
		snprintf(scale.unit, sizeof(scale.unit), " in %.2g s", row->seconds);
	}
	return scale;
}

/* With thousands separators. */
static void put_real(double value, char *text, size_t size)
{
	if (value < 0)
		*text++ = '-', value = -value, size--;
	int decimals = value >= 1000 || value == 0 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : value >= 1 ? 3 : 4;
	char digits[32];

	if (value >= 1e10) {
		snprintf(text, size, "%.3e", value);
		return;
	}
	int length = snprintf(digits, sizeof(digits), "%.*f", decimals, value);
	int whole = decimals ? length - decimals - 1 : length;
	for (int i = 0; i < length && size > 2; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			*text++ = ',', size--;
		*text++ = digits[i];
		size--;
	}
	*text = '\0';
}

/* In the unit of the scale. The runs of a workload differ a little in length: a count is an integer, or the mean of
 * two. */
static void put_scaled(double value, const struct metric_scale *scale, char *text, size_t size)
{
	const double scaled = value / scale->divisor, halves = floor(2 * scaled + 0.5) / 2;

	if (scale->is_count)
		snprintf(text, size, "%g", halves);
	else
		put_real(scaled, text, size);
}

const char *metric_value_text(double value, const struct metric_scale *scale, char text[METRIC_TEXT_SIZE])
{
	scale = scale ? scale : &own_unit;
	if (isnan(value)) {
		snprintf(text, METRIC_TEXT_SIZE, "-");
		return text;
	}
	put_scaled(value, scale, text, METRIC_TEXT_SIZE - sizeof(scale->unit));
	strcat(text, scale->unit);
	return text;
}

/* The size of a percentage, without the sign and the %; from 1000 on as a factor. */
static void put_percent(double size, char *text, size_t text_size)
{
	double factor = 1 + size / 100;

	if (size >= 1000 && factor < 100) {
		snprintf(text, text_size, "x%.1f", factor);
	} else if (size >= 1000) {
		text[0] = 'x';
		put_real(factor < 1000 ? floor(factor + 0.5) : factor, text + 1, text_size - 1);
		text[strcspn(text, ".")] = '\0';
	} else {
		snprintf(text, text_size, "%.*f", size < 99.95 ? 1 : 0, size);
	}
}

/* A change or one of its bounds, without its sign. */
static void put_size(double size, bool is_percent, const struct metric_scale *scale, char *text, size_t text_size)
{
	if (size == 0)
		snprintf(text, text_size, "0");
	else if (is_percent && size < 0.05)
		snprintf(text, text_size, "0.0");
	else if (is_percent)
		put_percent(size, text, text_size);
	else
		put_scaled(size, scale, text, text_size);
}

static void put_signed(double value, bool is_percent, const struct metric_scale *scale, char *text, size_t size)
{
	put_size(fabs(value), is_percent, scale, text + 1, size - 1);
	text[0] = value < 0 ? '-' : '+';
	bool is_zero = strspn(text + 1, "0.") == strlen(text + 1);
	if (is_zero || text[1] == 'x') /* no sign */
		memmove(text, text + 1, strlen(text));
}

struct shown_change shown_change(const struct comparison *comparison, const struct metric_scale *scale)
{
	if (scale->is_count)
		return (struct shown_change){comparison->absolute, false};
	return (struct shown_change){{comparison->change, comparison->low, comparison->high}, comparison->is_percent};
}

/* The unit of a change that was put into text. */
static const char *unit_of(const struct shown_change *shown, const struct metric_scale *scale, const char *text)
{
	if (!shown->is_percent)
		return scale->is_count ? "" : scale->unit;
	return text[0] == 'x' ? "" : "%"; /* a factor */
}

const char *change_text(const struct comparison *comparison, const struct metric_scale *scale,
			char text[METRIC_TEXT_SIZE])
{
	scale = scale ? scale : &own_unit;
	const struct shown_change shown = shown_change(comparison, scale);
	if (isnan(shown.difference.change)) {
		snprintf(text, METRIC_TEXT_SIZE, "-");
		return text;
	}
	put_signed(shown.difference.change, shown.is_percent, scale, text, METRIC_TEXT_SIZE - sizeof(scale->unit));
	return strcat(text, unit_of(&shown, scale, text));
}

/* Marks the bound in percent if the other one is a factor. */
static void mark_percent(char *low, char *high)
{
	if (low[0] == 'x' && high[0] != 'x' && high[0] != '.')
		strcat(high, "%");
	if (high[0] == 'x' && low[0] != 'x')
		strcat(low, "%");
}

const char *interval_text(const struct comparison *comparison, const struct metric_scale *scale,
			  char text[METRIC_TEXT_SIZE])
{
	char low[24], high[24];

	scale = scale ? scale : &own_unit;
	const struct shown_change shown = shown_change(comparison, scale);
	text[0] = '\0';
	if (isnan(shown.difference.low))
		return text;
	put_signed(shown.difference.low, shown.is_percent, scale, low, sizeof(low));
	if (isinf(shown.difference.high))
		snprintf(high, sizeof(high), "...");
	else
		put_signed(shown.difference.high, shown.is_percent, scale, high, sizeof(high));
	mark_percent(low, high);
	snprintf(text, METRIC_TEXT_SIZE, "[%s, %s]", low, high);
	return text;
}

const char *missed_text(const struct comparison *comparison, const struct metric_scale *scale,
			char text[METRIC_TEXT_SIZE])
{
	scale = scale ? scale : &own_unit;
	const struct shown_change shown = shown_change(comparison, scale);
	double missed = fmax(fabs(shown.difference.low), fabs(shown.difference.high));
	char size[24];

	text[0] = '\0';
	if (isinf(missed))
		return text;
	put_size(missed, shown.is_percent, scale, size, sizeof(size));
	snprintf(text, METRIC_TEXT_SIZE, "≤%s%s", size, unit_of(&shown, scale, size));
	return text;
}

/* An estimate has two digits that mean something. */
static size_t round_count(size_t count)
{
	size_t unit = 1;

	while (count / unit >= 100)
		unit *= 10;
	return (count + unit / 2) / unit * unit;
}

const char *verdict_text(const struct comparison_cell *cell, const struct metric_scale *scale,
			 char text[METRIC_TEXT_SIZE])
{
	const struct comparison *against = &cell->against;
	char missed[METRIC_TEXT_SIZE];

	if (against->verdict == VERDICT_UNCLEAR && missed_text(against, scale, missed)[0] &&
	    comparison_is_small(against))
		snprintf(text, METRIC_TEXT_SIZE, "unclear %.40s, small", missed);
	else if (against->verdict == VERDICT_UNCLEAR && missed[0])
		snprintf(text, METRIC_TEXT_SIZE,
			 cell->runs_needed ? "unclear %.40s, ~%zu runs decide" : "unclear %.40s", missed,
			 round_count(cell->runs_needed));
	else if (cell->lacks_values)
		snprintf(text, METRIC_TEXT_SIZE, "needs ≥%d values", COMPARISON_RUNS_MIN);
	else
		snprintf(text, METRIC_TEXT_SIZE, "%s%s", comparison_verdict_text(cell->against.verdict),
			 comparison_is_doubtful(cell) ? "?" : "");
	return text;
}

const char *no_verdict_text(const struct comparison_row *row, size_t set, char text[METRIC_TEXT_SIZE])
{
	const struct comparison_sample *first = &row->cells[0].sample, *other = &row->cells[set].sample;

	if (row->cells[set].against.verdict == VERDICT_NOT_AFFECTED)
		snprintf(text, METRIC_TEXT_SIZE, "not affected: the traces of both sets are the same");
	else if (row->cells[set].against.verdict == VERDICT_NOT_EXERCISED)
		snprintf(text, METRIC_TEXT_SIZE, "not exercised: %g in all runs of both sets", first->median);
	else if (first->count && other->count)
		snprintf(text, METRIC_TEXT_SIZE, "needs ≥%d %s in each set, there are %zu and %zu", COMPARISON_RUNS_MIN,
			 row->cells[set].lacks_values ? "values" : "runs", first->count, other->count);
	else
		snprintf(text, METRIC_TEXT_SIZE, "no run of %s has a value",
			 first->count   ? "this set"
			 : other->count ? "the first set"
					: "either set");
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
