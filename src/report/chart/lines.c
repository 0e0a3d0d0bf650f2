/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "report/chart/svg.h"

#define LEFT   46.0
#define RIGHT  388.0
#define TALL   200.0
#define POINTS 400 /* max number of points per line; more cannot be distinguished */
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

static bool is_marked(const struct chart_series *series, int mark)
{
	return series->count && series->mark[mark] && series->mark_x[mark] > 0;
}

/* Writes the label in the colour of the line: above the dot and to its left, or below it and to its right. */
static void label_mark(struct buffer *out, const struct chart_series *series, int mark, bool is_left,
		       const struct svg_scale *x, const struct svg_scale *y)
{
	const double at_x = svg_place(x, series->mark_x[mark]), at_y = svg_place(y, series->mark_y[mark]);
	char value[40], text[80], style[16];

	svg_value(series->mark_x[mark], x->unit, value, sizeof(value));
	snprintf(text, sizeof(text), "%s %s", series->mark[mark], value);
	snprintf(style, sizeof(style), "s a f%u", series->colour);
	double wide = 6.8 * (double)svg_characters(chart_string(text));
	double left = is_left ? at_x - 7 - wide : at_x + 7;
	left = left + wide > RIGHT + 10 ? RIGHT + 10 - wide : left < LEFT + 3 ? at_x + 7 : left;
	svg_label(out, left, is_left ? at_y - 6 : at_y + 16, style, text);
}

/* The leftmost line has its labels on the left, the rightmost line on the right. There is no room for more labels. */
static void draw_marks(struct buffer *out, const struct chart_series *series, size_t count, const struct svg_scale *x,
		       const struct svg_scale *y)
{
	for (int mark = 0; mark < 2; mark++) {
		const struct chart_series *first = NULL, *last = NULL;
		for (size_t i = 0; i < count; i++) {
			if (!is_marked(&series[i], mark))
				continue;
			svg_shape(out, series[i].colour, svg_place(x, series[i].mark_x[mark]),
				  svg_place(y, series[i].mark_y[mark]), svg_dot);
			first = !first || series[i].mark_x[mark] < first->mark_x[mark] ? &series[i] : first;
			last = !last || series[i].mark_x[mark] >= last->mark_x[mark] ? &series[i] : last;
		}
		if (first)
			label_mark(out, first, mark, true, x, y);
		if (last != first)
			label_mark(out, last, mark, false, x, y);
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
	draw_marks(out, series, count, &x, &y);
	svg_end(chart);
}
