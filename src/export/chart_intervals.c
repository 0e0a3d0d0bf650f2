/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "export/svg.h"

#define WIDTH 560.0
#define LEFT  200.0
#define RIGHT 490.0
#define STEP  22.0

struct verdict {
	char letter;
	unsigned int colour;
	const char *text;
};

/* log2(), whose tables would be 2 KB of the binary. */
static double doublings(double ratio)
{
	return log10(ratio) * 3.32192809488736235;
}

static const struct verdict verdicts[] = {
    {'b', 2, "better"}, {'w', 1, "worse"}, {'d', 6, "different"}, {'s', 8, "same"}, {'f', 8, "too few runs"},
};

/* Changes are shown on a scale that grows like the logarithm of the ratio: half and double are equally far. */
static double place(const struct svg_scale *scale, double percent)
{
	double ratio = 1 + percent / 100;

	return svg_place(scale, ratio > 0 ? doublings(ratio) : -INFINITY);
}

static double reach_of(const struct chart_interval *rows, size_t count)
{
	double reach = 0.2;

	for (size_t i = 0; i < count; i++) {
		const double ends[] = {rows[i].change, rows[i].low, rows[i].high};
		for (size_t k = 0; k < 3; k++) {
			double far = fabs(doublings(1 + ends[k] / 100));
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
		if (fabs(doublings(1 + ticks[i] / 100)) > reach + 1e-9)
			continue;
		double x = place(scale, ticks[i]);
		bool is_zero = i == 6;
		svg_line(out, is_zero ? "x" : "g", x, top, x, bottom);
		/* The zero always has its label; others where there is room. */
		double zero = place(scale, 0);
		if (!is_zero && (x - last < 40 || fabs(x - zero) < 40))
			continue;
		last = x;
		snprintf(text, sizeof(text), "%+.0f\xc2\xa0%%", ticks[i]);
		svg_label(out, x, bottom + 16, "d s", 'm', is_zero ? "0" : text);
	}
	svg_label(out, (LEFT + RIGHT) / 2, bottom + 34, "d", 'm', title);
}

static void draw_row(struct buffer *out, const struct svg_scale *scale, const struct chart_interval *row, double y)
{
	const struct verdict *verdict = verdicts;
	char style[16];
	char text[40];

	while (verdict->letter != row->verdict && verdict < verdicts + 4)
		verdict++;
	svg_text(out, LEFT - 12, y + 4.5, "", 'e', row->label, 27);
	if (!isfinite(row->change)) {
		svg_label(out, RIGHT + 8, y + 4.5, "d s", 's', "\xe2\x80\x93");
		return;
	}
	double x = place(scale, row->change);
	if (!isnan(row->low) && !isnan(row->high)) {
		snprintf(style, sizeof(style), "f%u", verdict->colour);
		double low = place(scale, row->low);
		double high = place(scale, row->high);
		svg_rect(out, style, low, y - 1, high - low > 1 ? high - low : 1, 2);
		svg_rect(out, style, low - 0.7, y - 4, 1.4, 8);
		svg_rect(out, style, high - 0.7, y - 4, 1.4, 8);
	}
	buffer_printf(out, "<circle class=\"f%u\" r=\"4\" cx=\"", verdict->colour);
	svg_number(out, x);
	buffer_text(out, "\" cy=\"");
	svg_number(out, y);
	buffer_text(out, "\"/>");
	snprintf(text, sizeof(text), "%+.*f\xc2\xa0%%", fabs(row->change) < 9.95 ? 1 : 0, row->change);
	svg_label(out, RIGHT + 10, y + 4.5, "s", 's', text);
}

void chart_intervals(const struct chart *chart, const char *x_title, const struct chart_interval *rows, size_t count)
{
	struct buffer *out = chart->out;
	struct chart_text names[5];
	unsigned int colours[5];
	size_t used = 0;
	double reach = reach_of(rows, count);

	for (size_t i = 0; i < 5; i++) {
		bool is_there = false;
		for (size_t k = 0; k < count; k++)
			is_there = is_there || rows[k].verdict == verdicts[i].letter;
		if (!is_there)
			continue;
		names[used] = chart_string(verdicts[i].text);
		colours[used++] = verdicts[i].colour;
	}
	double legend = svg_legend(NULL, 0, 0, WIDTH, false, names, colours, used);
	double top = SVG_TITLE + legend + 8;
	double bottom = top + STEP * (double)count;
	struct svg_scale scale = {-reach, reach, LEFT, RIGHT, false, CHART_NUMBER};
	svg_begin(chart, WIDTH, bottom + 44);
	svg_legend(out, 0, SVG_TITLE, WIDTH, false, names, colours, used);
	draw_axis(out, &scale, reach, top, bottom, x_title);
	for (size_t i = 0; i < count; i++)
		draw_row(out, &scale, &rows[i], top + STEP * ((double)i + 0.5));
	svg_end(chart);
}
