/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/chart/svg.h"

#define LEFT           56.0
#define SHOWN_CPUS_MAX 32 /* CPUs */
#define LEVELS         8  /* levels of colour; level 0 is a pair without migrations */

struct grid {
	struct buffer *out;
	const uint64_t *values;
	size_t shown, count;
	double cell, side, top;
	double max;
};

static size_t level_of(const struct grid *grid, size_t row, size_t column)
{
	uint64_t value = grid->values[row * grid->count + column];

	return value ? 1 + (size_t)(sqrt((double)value / grid->max) * (LEVELS - 0.01)) : 0;
}

/* All cells of a level are one path. */
static void draw_level(const struct grid *grid, size_t level)
{
	svg_put(grid->out, level ? "<g fill-opacity=\".#\"><path class=\"f0\" d=\"" : "<g><path class=\"e\" d=\"",
		(unsigned int)(11 + 6 * level));
	for (size_t row = 0; row < grid->shown; row++)
		for (size_t column = 0; column < grid->shown; column++)
			if (row != column && level_of(grid, row, column) == level)
				svg_put(grid->out, "M~ ~h~v~h~z", LEFT + grid->cell * (double)column + 1,
					grid->top + grid->side * (double)row + 1, grid->cell - 2, grid->side - 2,
					2 - grid->cell);
	buffer_text(grid->out, "\"/></g>");
}

static void draw_row(const struct grid *grid, size_t row, const uint32_t *labels)
{
	double middle = grid->top + grid->side * ((double)row + 0.5) + 4.5;
	char text[40];

	if (row % 4 == 0 || grid->cell > 18) {
		snprintf(text, sizeof(text), "%u", labels[row]);
		svg_label(grid->out, LEFT + grid->cell * ((double)row + 0.5), grid->top - 8, "c", text);
		svg_label(grid->out, LEFT - 8, middle, "r", text);
	}
	/* Numbers are drawn only if all fit; the table also has them. */
	svg_value(grid->max, CHART_NUMBER, text, sizeof(text));
	if (7 * (double)strlen(text) > grid->cell - 3)
		return;
	for (size_t column = 0; column < grid->shown; column++) {
		svg_value((double)grid->values[row * grid->count + column], CHART_NUMBER, text, sizeof(text));
		if (row != column)
			svg_label(grid->out, LEFT + grid->cell * ((double)column + 0.5), middle, "s c", text);
	}
}

void chart_matrix(const struct chart *chart, const char *row_title, const char *column_title, const uint32_t *labels,
		  size_t count, const uint64_t *values)
{
	struct buffer *out = chart->out;
	struct grid grid = {out, values, count < SHOWN_CPUS_MAX ? count : SHOWN_CPUS_MAX, count, 0, 0, SVG_TITLE + 44,
			    0};
	char text[64];

	grid.cell = (SVG_WIDTH - LEFT - 2) / (double)(grid.shown ? grid.shown : 1);
	if (grid.cell > 60)
		grid.cell = 60;
	grid.side = grid.cell > 36 ? 36 : grid.cell;
	for (size_t row = 0; row < grid.shown; row++)
		for (size_t column = 0; column < grid.shown; column++)
			grid.max = fmax(grid.max, (double)values[row * count + column]);
	double bottom = grid.top + grid.side * (double)grid.shown;
	svg_begin(chart, SVG_WIDTH, bottom + (grid.shown < count ? 30 : 10));
	svg_label(out, LEFT, SVG_TITLE + 14, "d", column_title);
	svg_label(out, 0, grid.top - 8, "d s", row_title);
	for (size_t level = 0; level <= LEVELS; level++)
		draw_level(&grid, level);
	for (size_t row = 0; row < grid.shown; row++)
		draw_row(&grid, row, labels);
	if (grid.shown < count) {
		snprintf(text, sizeof(text), "the first %d of %zu CPUs", SHOWN_CPUS_MAX, count);
		svg_label(out, LEFT, bottom + 20, "d", text);
	}
	svg_end(chart);
}
