/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "report/chart/svg.h"

#define RIGHT    336.0
#define STEP     22.0
#define LETTERS  26
#define ROWS_MAX 100 /* max number of rows */

enum { VERDICTS = 7 };

/* Colour, shape and name of each verdict. */
static const char letters[VERDICTS] = {'b', 'w', 'd', 'e', 'n', 'u', 'f'};
static const unsigned int colours[VERDICTS] = {2, 1, 6, 10, 10, 10, 10};
static const char *const shapes[VERDICTS] = {
    "m0-5.5l5.5 5.5-5.5 5.5-5.5-5.5z", "m-4-4h8v8h-8z", "m0-5l5 9h-10z",     svg_dot,
    "m0-4.5l4.5 4.5-4.5 4.5-4.5-4.5z", "m0 5l5-9h-10z", "m-4.5-1.5h9v3h-9z",
};
static const char *const words[VERDICTS] = {"better",     "worse",   "different",   "equal",
					    "negligible", "unclear", "too few runs"};

/* The scale is the logarithm of the ratio: half and double have the same distance from 0. */
static double x_of_percent(const struct svg_scale *scale, double percent)
{
	double ratio = 1 + percent / 100;

	return svg_place(scale, ratio > 0 ? log2(ratio) : -INFINITY);
}

static double reach_of(const struct chart_interval *rows, size_t count)
{
	double reach = 0.2;

	for (size_t i = 0; i < count; i++) {
		const double ends[] = {rows[i].change, rows[i].low, rows[i].high};
		for (size_t k = 0; k < 3; k++) {
			double far = fabs(log2(1 + ends[k] / 100));
			if (isfinite(far) && far > reach)
				reach = far;
		}
	}
	return reach > 5 ? 5 : reach;
}

static void draw_axis(struct buffer *out, const struct svg_scale *scale, double reach, double top, double bottom,
		      const char *title)
{
	static const double ticks[] = {-97, -90, -75, -50, -25, -10, 0, 10, 25, 50, 100, 300, 900, 3000};
	double last = -100;
	char text[24];

	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		if (fabs(log2(1 + ticks[i] / 100)) > reach + 1e-9)
			continue;
		double x = x_of_percent(scale, ticks[i]);
		bool is_zero = i == 6;
		svg_line(out, is_zero ? "q" : "g", x, top, x, bottom);
		/* Zero always has a label; other ticks have one if there is room. */
		double zero = x_of_percent(scale, 0);
		if (!is_zero && (x - last < 46 || fabs(x - zero) < 46))
			continue;
		last = x;
		snprintf(text, sizeof(text), "%+.0f\xc2\xa0%%", ticks[i]);
		svg_label(out, x, bottom + 16, "d s c", is_zero ? "0" : text);
	}
	svg_title(out, scale, SVG_WIDTH, bottom + 34, title);
}

static size_t verdict_of(const struct chart_interval *row)
{
	size_t i = 0;

	while (i < VERDICTS - 1 && letters[i] != row->verdict)
		i++;
	return i;
}

static void draw_row(struct buffer *out, const struct svg_scale *scale, const struct chart_interval *row, double y,
		     struct shortening by)
{
	size_t verdict = verdict_of(row);
	char text[40] = "\xe2\x80\x93";

	svg_text(out, scale->start - 12, y + 4.5, "s r", row->label, by);
	if (isfinite(row->change)) {
		if (!isnan(row->low) && !isnan(row->high)) {
			double low = x_of_percent(scale, row->low);
			double high = x_of_percent(scale, row->high);
			svg_put(out, "<path class=\"f#\" d=\"M~ ~h~v2h~zm-.7-3h1.4v8h-1.4zM~ ~h1.4v8h-1.4z\"/>",
				colours[verdict], low, y - 1, high - low, low - high, high - 0.7, y - 4);
		}
		svg_shape(out, colours[verdict], x_of_percent(scale, row->change), y, shapes[verdict]);
		double size = fabs(row->change);
		double ratio = 1 + row->change / 100;
		/* Same format as in the tables: from +1000 % on, a factor. */
		if (row->change >= 1000)
			snprintf(text, sizeof(text), "\xc3\x97%.*f", ratio < 99.95 ? 1 : 0, ratio);
		else if (size < 0.05)
			snprintf(text, sizeof(text), "0\xc2\xa0%%");
		else
			snprintf(text, sizeof(text), "%+.*f\xc2\xa0%%", size < 9.95 ? 1 : 0, row->change);
	}
	svg_label(out, RIGHT + 10, y + 4.5, "s", text);
}

void chart_intervals(const struct chart *chart, const char *x_title, const struct chart_interval *rows, size_t count)
{
	struct buffer *out = chart->out;
	struct chart_text names[VERDICTS];
	const char *used_shapes[VERDICTS];
	unsigned int used_colours[VERDICTS];
	size_t used = 0;

	if (count > ROWS_MAX)
		count = ROWS_MAX;
	double reach = reach_of(rows, count);
	const struct shortening by = svg_shortening((struct svg_texts){rows, sizeof(*rows), count}, LETTERS);
	const double left = 16 + 7.2 * (by.width > 8 ? by.width : 8);
	for (size_t i = 0; i < VERDICTS; i++) {
		bool is_there = false;
		for (size_t k = 0; k < count; k++)
			is_there = is_there || verdict_of(&rows[k]) == i;
		if (!is_there)
			continue;
		names[used] = chart_string(words[i]);
		used_shapes[used] = shapes[i];
		used_colours[used++] = colours[i];
	}
	double legend = svg_legend(NULL, 0, SVG_WIDTH, used_shapes, names, used_colours, used);
	double top = SVG_TITLE + legend + 8;
	double bottom = top + STEP * (double)count;
	struct svg_scale scale = {-reach, reach, left, RIGHT, false, CHART_NUMBER};
	svg_begin(chart, SVG_WIDTH, bottom + 44);
	svg_legend(out, SVG_TITLE, SVG_WIDTH, used_shapes, names, used_colours, used);
	draw_axis(out, &scale, reach, top, bottom, x_title);
	for (size_t i = 0; i < count; i++)
		draw_row(out, &scale, &rows[i], top + STEP * ((double)i + 0.5), by);
	svg_end(chart);
}
