/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "report/chart/svg.h"

#define RIGHT    388.0
#define BAR      19.0
#define STEP     25.0
#define GAP      10.0
#define BARS_MAX 64 /* bars */
#define LETTERS  20

static double total_of(const double *values, size_t count)
{
	double total = 0;

	for (size_t i = 0; i < count; i++)
		total += values[i] > 0 && isfinite(values[i]) ? values[i] : 0;
	return total;
}

static void draw_bar(struct buffer *out, const double *values, double total, const unsigned int *colours, size_t parts,
		     const struct svg_scale *x, bool normal, double y)
{
	double sum = 0;

	for (size_t i = 0; i < parts; i++) {
		double value = values[i] > 0 && isfinite(values[i]) ? values[i] : 0;
		double share = total > 0 ? value / total : 0;
		double begin = svg_place(x, normal ? sum / (total > 0 ? total : 1) : sum);
		sum += value;
		double end = svg_place(x, normal ? sum / (total > 0 ? total : 1) : sum);
		char style[16];
		char text[40];
		if (end - begin < 0.05)
			continue;
		snprintf(style, sizeof(style), "f%u", colours[i]);
		/* A thin gap separates two parts even without colours. */
		svg_rect(out, style, begin, y, end - begin > 1.5 ? end - begin - 0.7 : end - begin, BAR);
		svg_value(normal ? share : value, x->unit, text, sizeof(text));
		if (end - begin > 6.5 * (double)svg_characters(chart_string(text)) + 4)
			svg_label(out, (begin + end) / 2, y + 13.5, colours[i] < CHART_COLOURS ? "n c" : "s c", text);
	}
}

void chart_bars(const struct chart *chart, const struct chart_axis *axis, bool normal, const struct chart_bar *bars,
		size_t bar_count, const struct chart_text *parts, const unsigned int *colours, size_t part_count,
		const double *values)
{
	struct buffer *out = chart->out;
	size_t count = bar_count < BARS_MAX ? bar_count : BARS_MAX;
	const struct shortening by = svg_shortening((struct svg_texts){bars, sizeof(*bars), count}, LETTERS);
	double left = 12 + 7.1 * (by.width > 3 ? by.width : 3);
	double max = 0;
	double tall = 0;

	for (size_t i = 0; i < count; i++) {
		double total = total_of(values + i * part_count, part_count);
		max = total > max ? total : max;
		tall += STEP + (i && bars[i].group != bars[i - 1].group ? GAP : 0);
	}
	double legend = svg_legend(NULL, 0, SVG_WIDTH, NULL, parts, colours, part_count);
	double top = SVG_TITLE + legend + 6;
	struct chart_axis shown = *axis;
	if (normal)
		shown.unit = CHART_SHARE;
	struct svg_scale x = svg_scale_make(&shown, 0, normal ? 1 : max, left, RIGHT);
	svg_begin(chart, SVG_WIDTH, top + tall + 44);
	svg_legend(out, SVG_TITLE, SVG_WIDTH, NULL, parts, colours, part_count);
	svg_x_axis(out, &x, top, top + tall, axis->title);
	double y = top + (STEP - BAR) / 2;
	for (size_t i = 0; i < count; i++) {
		const double *row = values + i * part_count;
		if (i && bars[i].group != bars[i - 1].group)
			y += GAP;
		svg_text(out, left - 8, y + 13.5, "s r", bars[i].label, by);
		draw_bar(out, row, total_of(row, part_count), colours, part_count, &x, normal, y);
		y += STEP;
	}
	svg_end(chart);
}
