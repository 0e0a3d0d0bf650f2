/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/svg.h"

#define WIDTH  960.0
#define LEFT   58.0
#define RIGHT  946.0
#define LANE   30.0
#define STEP   40.0
#define OTHERS 8u /* the colour of names behind the palette */
#define NAMES  24

/* What the lane shows at a place: half a unit wide, which no eye tells from less. */
#define CELLS ((size_t)((RIGHT - LEFT) * 2))

static unsigned int colour_of(uint32_t name)
{
	return name < CHART_COLOURS ? name : OTHERS;
}

struct lane {
	struct buffer *out;
	const struct chart_text *names;
	size_t name_count;
	double y;
};

static void draw_run(const struct lane *lane, size_t begin, size_t end, uint32_t name, bool is_many)
{
	double x = LEFT + (double)begin / 2;
	double wide = (double)(end - begin) / 2;
	char style[16];

	snprintf(style, sizeof(style), is_many ? "m" : "f%u", colour_of(name));
	svg_rect(lane->out, style, x, lane->y + (is_many ? LANE / 4 : 0), wide > 2 ? wide - 0.4 : wide,
		 is_many ? LANE / 2 : LANE);
	if (is_many || name >= lane->name_count)
		return;
	size_t room = (size_t)(wide / 7.2);
	if (room >= 4 && wide > 34)
		svg_text(lane->out, x + wide / 2, lane->y + 19, "n", 'm', lane->names[name], room);
}

/* cells: 0 nothing, name + 1, or UINT32_MAX where several share one. */
static void draw_lane(const struct lane *lane, const uint32_t *cells)
{
	for (size_t i = 0; i < CELLS;) {
		size_t begin = i;
		while (i < CELLS && cells[i] == cells[begin])
			i++;
		if (cells[begin])
			draw_run(lane, begin, i, cells[begin] - 1, cells[begin] == UINT32_MAX);
	}
}

static void fill(uint32_t *cells, uint64_t from_ns, uint64_t to_ns, const struct chart_slice *slice)
{
	double scale = (double)CELLS / (double)(to_ns - from_ns);
	uint64_t start = slice->start_ns > from_ns ? slice->start_ns - from_ns : 0;
	uint64_t end = slice->end_ns < to_ns ? slice->end_ns - from_ns : to_ns - from_ns;
	size_t first = (size_t)((double)start * scale);
	size_t last = (size_t)((double)end * scale);

	if (first >= CELLS)
		first = CELLS - 1;
	if (last > CELLS)
		last = CELLS;
	if (last <= first) { /* less than a cell: seen, and shared where another is there */
		cells[first] = cells[first] && cells[first] != slice->name + 1 ? UINT32_MAX : slice->name + 1;
		return;
	}
	for (size_t i = first; i < last; i++)
		cells[i] = i == first && cells[i] && cells[i] != slice->name + 1 ? UINT32_MAX : slice->name + 1;
}

void chart_timeline(const struct chart *chart, uint64_t from_ns, uint64_t to_ns, const uint32_t *cpus, size_t cpu_count,
		    const struct chart_slice *slices, size_t slice_count, const struct chart_text *names,
		    size_t name_count)
{
	static const struct chart_axis axis = {"time in the window", CHART_NS, false};
	struct buffer *out = chart->out;
	unsigned int colours[NAMES];
	struct chart_text shown[NAMES];
	size_t shown_count = 0;
	uint32_t *cells = calloc(CELLS, sizeof(*cells));

	if (!cells || to_ns <= from_ns) {
		out->failed = out->failed || !cells;
		free(cells);
		return;
	}
	for (; shown_count < name_count && shown_count < CHART_COLOURS; shown_count++) {
		shown[shown_count] = names[shown_count];
		colours[shown_count] = (unsigned int)shown_count;
	}
	if (name_count > CHART_COLOURS) {
		shown[shown_count] = chart_string("others");
		colours[shown_count++] = OTHERS;
	}
	double legend = svg_legend(NULL, 0, 0, WIDTH, false, shown, colours, shown_count);
	double top = SVG_TITLE + legend + 6;
	double bottom = top + STEP * (double)cpu_count;
	struct svg_scale x = {(double)from_ns, (double)to_ns, LEFT, RIGHT, false, CHART_NS};
	svg_begin(chart, WIDTH, bottom + 44);
	svg_legend(out, 0, SVG_TITLE, WIDTH, false, shown, colours, shown_count);
	svg_x_axis(out, &x, top, bottom, axis.title);
	for (size_t i = 0; i < cpu_count; i++) {
		struct lane lane = {out, names, name_count, top + STEP * (double)i + (STEP - LANE) / 2};
		char label[24];
		memset(cells, 0, CELLS * sizeof(*cells));
		for (size_t s = 0; s < slice_count; s++)
			if (slices[s].cpu == cpus[i] && slices[s].end_ns > from_ns && slices[s].start_ns < to_ns)
				fill(cells, from_ns, to_ns, &slices[s]);
		snprintf(label, sizeof(label), "CPU %u", cpus[i]);
		svg_label(out, LEFT - 8, lane.y + 20, "", 'e', label);
		draw_lane(&lane, cells);
	}
	free(cells);
	svg_end(chart);
}
