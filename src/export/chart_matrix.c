/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/svg.h"

#define WIDTH 560.0
#define MOST  32 /* CPUs */

void chart_matrix(const struct chart *chart, const char *row_title, const char *column_title, const uint32_t *labels,
		  size_t count, const uint64_t *values)
{
	struct buffer *out = chart->out;
	size_t shown = count < MOST ? count : MOST;
	double left = 66;
	double cell = (WIDTH - left - 12) / (double)(shown ? shown : 1);
	uint64_t most = 0;
	char text[64];

	if (cell > 64)
		cell = 64;
	double side = cell < 30 ? cell : cell > 40 ? 40 : cell;
	for (size_t row = 0; row < shown; row++)
		for (size_t column = 0; column < shown; column++)
			most = values[row * count + column] > most ? values[row * count + column] : most;
	double top = SVG_TITLE + 42;
	svg_begin(chart, WIDTH, top + side * (double)shown + (shown < count ? 30 : 10));
	svg_label(out, left, SVG_TITLE + 14, "d", 's', column_title);
	svg_label(out, 0, top - 8, "d", 's', row_title);
	for (size_t row = 0; row < shown; row++) {
		double y = top + side * (double)row;
		snprintf(text, sizeof(text), "%u", labels[row]);
		svg_label(out, left + cell * ((double)row + 0.5), top - 8, "", 'm', text);
		svg_label(out, left - 8, y + side / 2 + 4.5, "", 'e', text);
		for (size_t column = 0; column < shown; column++) {
			uint64_t value = values[row * count + column];
			double x = left + cell * (double)column;
			double share = most ? sqrt((double)value / (double)most) : 0;
			svg_rect(out, "e", x + 1, y + 1, cell - 2, side - 2);
			if (value) {
				buffer_printf(out, "<g fill-opacity=\"%.2f\">", 0.08 + 0.62 * share);
				svg_rect(out, "f0", x + 1, y + 1, cell - 2, side - 2);
				buffer_text(out, "</g>");
			}
			svg_value((double)value, CHART_NUMBER, text, sizeof(text));
			if (row != column && 6.6 * (double)strlen(text) < cell - 3)
				svg_label(out, x + cell / 2, y + side / 2 + 4.5, cell < 50 ? "s" : "", 'm', text);
		}
	}
	if (shown < count) {
		snprintf(text, sizeof(text), "the first %d of %zu CPUs", MOST, count);
		svg_label(out, left, top + side * (double)shown + 20, "d", 's', text);
	}
	svg_end(chart);
}
