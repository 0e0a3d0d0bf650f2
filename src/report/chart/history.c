/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "report/chart/svg.h"

#define LEFT      52.0
#define RIGHT     388.0
#define TALL      170.0
#define LABEL_MAX 14
#define POINTS    300 /* drawn; of more, every second, third... */
#define CHANGES   60

struct history_scales {
	struct svg_scale x, y;
	double top, bottom;
};

static double x_of(const struct history_scales *scales, size_t point)
{
	return svg_place(&scales->x, (double)point + 1);
}

static void widen(double value, double *min, double *max)
{
	if (!isfinite(value))
		return;
	*min = value < *min ? value : *min;
	*max = value > *max ? value : *max;
}

static bool make_scales(const char *x_title, const struct chart_axis *y, const struct chart_point *points, size_t count,
			double top, struct history_scales *scales)
{
	const struct chart_axis x = {x_title, CHART_NUMBER, false};
	double min = INFINITY, max = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		widen(points[i].value, &min, &max);
		widen(points[i].low, &min, &max);
		widen(points[i].high, &min, &max);
	}
	if (min > max)
		return false;
	const double room = max > min ? (max - min) * 0.06 : fabs(max) * 0.1 + 1e-9;
	*scales = (struct history_scales){.top = top, .bottom = top + TALL};
	scales->x = svg_scale_make(&x, 1, (double)count, LEFT, RIGHT);
	scales->x.from = 0.5;
	scales->x.to = (double)count + 0.5;
	scales->y = svg_scale_make(y, min > room ? min - room : 0, max + room, scales->bottom, top);
	return true;
}

/* The level between two changes. */
static void draw_levels(struct buffer *out, const struct history_scales *scales, const struct chart_point *points,
			size_t count)
{
	const double half = count > 1 ? (x_of(scales, 1) - x_of(scales, 0)) / 2 : 10;

	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && points[end].level == points[first].level;)
			end++;
		if (isfinite(points[first].level))
			svg_put(out, "<path class=\"l l0\" d=\"M~ ~H~\"/>", x_of(scales, first) - half,
				svg_place(&scales->y, points[first].level), x_of(scales, end - 1) + half);
	}
}

static void draw_change(struct buffer *out, const struct history_scales *scales, const struct chart_change *change)
{
	const double half = (x_of(scales, 1) - x_of(scales, 0)) / 2;
	const double x = x_of(scales, change->point) - half;
	const bool is_right = x > (LEFT + RIGHT) / 2;

	svg_line(out, "q", x, scales->top - 6, x, scales->bottom);
	svg_text(out, is_right ? x - 5 : x + 5, scales->top - 8 + 4, is_right ? "s r a" : "s a", change->label,
		 svg_middle(LABEL_MAX));
}

static void draw_point(struct buffer *out, const struct history_scales *scales, size_t number,
		       const struct chart_point *point)
{
	const double x = x_of(scales, number);

	if (!isfinite(point->value))
		return;
	if (isfinite(point->low) && isfinite(point->high) && point->high > point->low) {
		const double low = svg_place(&scales->y, point->low), high = svg_place(&scales->y, point->high);
		svg_put(out, "<path class=\"f1\" d=\"M~ ~h2V~h-2zM~ ~h8v1.4h-8zM~ ~h8v1.4h-8z\"/>", x - 1, high, low,
			x - 4, high, x - 4, low - 1.4);
	}
	svg_shape(out, 1, x, svg_place(&scales->y, point->value), svg_dot);
}

void chart_history(const struct chart *chart, const char *x_title, const struct chart_axis *y,
		   const struct chart_point *points, size_t count, const struct chart_change *changes,
		   size_t change_count)
{
	struct buffer *out = chart->out;
	const double top = SVG_TITLE + 28;
	struct history_scales scales;

	svg_begin(chart, SVG_WIDTH, top + TALL + 42);
	if (!make_scales(x_title, y, points, count, top, &scales)) {
		svg_label(out, SVG_WIDTH / 2, top + TALL / 2, "d c", "nothing to draw");
		svg_end(chart);
		return;
	}
	svg_x_axis(out, &scales.x, scales.top, scales.bottom, x_title);
	svg_y_axis(out, &scales.y, LEFT, RIGHT, y->title);
	for (size_t i = 0; i < change_count && i < CHANGES && count > 1; i++)
		draw_change(out, &scales, &changes[i]);
	draw_levels(out, &scales, points, count);
	for (size_t i = 0; i < count; i += count / POINTS + 1)
		draw_point(out, &scales, i, &points[i]);
	svg_end(chart);
}
