/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "report/chart/svg.h"

#define LEFT   46.0
#define RIGHT  388.0
#define TALL   200.0
#define POINTS 400 /* points per line; more would be indistinguishable */
#define LINES  16

static bool is_shown(const struct chart_axis *axis, double value)
{
	return isfinite(value) && (!axis->is_log || value > 0);
}

static void widen_range(const struct chart_axis *axis, const double *values, size_t count, double *min, double *max)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_shown(axis, values[i]))
			continue;
		if (!(values[i] >= *min))
			*min = values[i];
		if (!(values[i] <= *max))
			*max = values[i];
	}
}

static void draw_line(struct buffer *out, const struct chart_series *series, const struct svg_scale *x,
		      const struct svg_scale *y, bool is_steps)
{
	size_t every = series->count / POINTS + 1;
	bool is_first = true;

	svg_put(out, "<path class=\"l l#\" d=\"", series->colour);
	for (size_t i = 0; i < series->count; i++) {
		if (i % every && i + 1 != series->count)
			continue;
		if (!isfinite(series->x[i]) || !isfinite(series->y[i]) || (x->is_log && series->x[i] <= 0) ||
		    (y->is_log && series->y[i] <= 0))
			continue;
		svg_put(out,
			is_first   ? "M~ ~"
			: is_steps ? "H~V~"
				   : "L~ ~",
			svg_place(x, series->x[i]), svg_place(y, series->y[i]));
		is_first = false;
	}
	buffer_text(out, "\"/>");
}

static void draw_marks(struct buffer *out, const struct chart_series *series, size_t index, const struct svg_scale *x,
		       const struct svg_scale *y)
{
	for (int i = 0; i < 2; i++) {
		if (!series->mark[i] || !(series->mark_x[i] > 0))
			continue;
		double at_x = svg_place(x, series->mark_x[i]);
		double at_y = svg_place(y, series->mark_y[i]);
		char value[40];
		char text[80];
		svg_value(series->mark_x[i], x->unit, value, sizeof(value));
		snprintf(text, sizeof(text), "%s %s", series->mark[i], value);
		svg_shape(out, series->colour, at_x, at_y, svg_dot);
		if (index > 1)
			continue; /* no room for more labels; the table has all values */
		/* With two lines, one has its labels above and to the left, the other below and to the right. */
		double wide = 6.8 * (double)svg_characters(chart_string(text));
		double left = index ? at_x + 7 : at_x - 7 - wide;
		left = left + wide > RIGHT + 10 ? RIGHT + 10 - wide : left < LEFT + 3 ? at_x + 7 : left;
		svg_label(out, left, index ? at_y + 16 : at_y - 6, "s a", text);
	}
}

void chart_lines(const struct chart *chart, const struct chart_axis *x_axis, const struct chart_axis *y_axis,
		 bool is_steps, const struct chart_series *series, size_t count)
{
	struct chart_text names[LINES] = {{"", 0}};
	unsigned int colours[LINES] = {0};
	double min_x = NAN;
	double max_x = NAN;
	double min_y = y_axis->is_log ? NAN : 0;
	double max_y = y_axis->unit == CHART_SHARE ? 1 : NAN;

	if (count > LINES)
		count = LINES;
	for (size_t i = 0; i < count; i++) {
		names[i] = series[i].name;
		colours[i] = series[i].colour;
		widen_range(x_axis, series[i].x, series[i].count, &min_x, &max_x);
		widen_range(y_axis, series[i].y, series[i].count, &min_y, &max_y);
	}
	double legend = svg_legend(NULL, 0, SVG_WIDTH, svg_as_lines, names, colours, count);
	double top = SVG_TITLE + legend + 24;
	double bottom = top + TALL;
	struct buffer *out = chart->out;
	svg_begin(chart, SVG_WIDTH, bottom + 42);
	svg_legend(out, SVG_TITLE, SVG_WIDTH, svg_as_lines, names, colours, count);
	if (isnan(min_x) || isnan(max_y)) {
		svg_label(out, SVG_WIDTH / 2, top + TALL / 2, "d c", "nothing to draw");
		svg_end(chart);
		return;
	}
	struct svg_scale x = svg_scale_make(x_axis, min_x, max_x, LEFT, RIGHT);
	struct svg_scale y = svg_scale_make(y_axis, min_y, max_y, bottom, top);
	if (!x_axis->is_log) { /* the time axis is not rounded up: lines end at its edge */
		x.from = min_x;
		x.to = max_x > min_x ? max_x : min_x + 1;
	}
	svg_x_axis(out, &x, top, bottom, x_axis->title);
	svg_y_axis(out, &y, LEFT, RIGHT, y_axis->title);
	for (size_t i = 0; i < count; i++)
		draw_line(out, &series[i], &x, &y, is_steps);
	for (size_t i = 0; i < count; i++)
		draw_marks(out, &series[i], i, &x, &y);
	svg_end(chart);
}
