/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/chart/svg.h"

#define WIDTH 960.0
#define LEFT  58.0
#define RIGHT 946.0
#define LANE  30.0
#define STEP  42.0
#define LANES 32
#define NAMES 16

/* A cell of a lane, initially half a unit wide, which is below the visible resolution. */
#define CELLS     ((size_t)((RIGHT - LEFT) * 2))
#define BYTES_MAX 65536u /* size of all lanes; above it cells are made wider */

enum {
	MARKS = CHART_COLOURS + 1, /* the colour of marks */
	SEVERAL,                   /* colour of cells shared by several names */
};

struct lanes {
	const struct chart *chart;
	const struct chart_text *names;
	const unsigned int *colours;
	size_t name_count;
	uint64_t from_ns, to_ns;
	size_t cells;     /* of a lane */
	uint32_t *owners; /* name + 1; 0 none; UINT32_MAX several */
	uint8_t *how;     /* bits of enum chart_how */
	double y;         /* of the current lane */
};

static double x_of_cell(const struct lanes *lanes, size_t cell)
{
	return LEFT + (double)cell * (RIGHT - LEFT) / (double)lanes->cells;
}

static unsigned int colour_of(const struct lanes *lanes, uint32_t owner)
{
	return owner == UINT32_MAX ? SEVERAL : lanes->colours[owner - 1];
}

static void mark_cells(const struct lanes *lanes, const struct chart_slice *slice)
{
	double scale = (double)lanes->cells / (double)(lanes->to_ns - lanes->from_ns);
	uint64_t start = slice->start_ns > lanes->from_ns ? slice->start_ns - lanes->from_ns : 0;
	uint64_t end = (slice->end_ns < lanes->to_ns ? slice->end_ns : lanes->to_ns) - lanes->from_ns;
	size_t first = (size_t)((double)start * scale);
	size_t last = (size_t)((double)end * scale);

	if (first >= lanes->cells)
		first = lanes->cells - 1;
	if (last > lanes->cells)
		last = lanes->cells;
	if (slice->start_ns >= lanes->from_ns)
		lanes->how[first] |= slice->how;
	/* A slice shorter than a cell still fills one. Only the first cell can already have an owner, whose slice ends
	 * in it. */
	for (size_t i = first; i < last || i == first; i++) {
		bool is_shared = i == first && lanes->owners[i] && lanes->owners[i] != slice->name + 1;
		lanes->owners[i] = is_shared ? UINT32_MAX : slice->name + 1;
	}
}

/* The end of a sequence of cells with the same owner. */
static size_t run_end(const struct lanes *lanes, size_t begin)
{
	size_t end = begin;

	while (end < lanes->cells && lanes->owners[end] == lanes->owners[begin])
		end++;
	return end;
}

/* All slices of a colour are one path. */
static void draw_colour(const struct lanes *lanes, unsigned int colour)
{
	struct buffer *out = lanes->chart->out;
	bool any = false;

	for (size_t i = 0, end; i < lanes->cells; i = end) {
		end = run_end(lanes, i);
		if (!lanes->owners[i] || colour_of(lanes, lanes->owners[i]) != colour)
			continue;
		double x = x_of_cell(lanes, i);
		double wide = x_of_cell(lanes, end) - x;
		if (!any && colour == SEVERAL)
			buffer_printf(out, "<path fill=\"url(#%s-h)\" d=\"", lanes->chart->id);
		else if (!any)
			svg_put(out, "<path class=\"f#\" d=\"", colour);
		any = true;
		wide = wide > 2 && colour != SEVERAL ? wide - 0.4 : wide;
		svg_put(out, "M~ ~h~v~h~z", x, lanes->y, wide, LANE, -wide);
	}
	if (any)
		buffer_text(out, "\"/>");
}

static void draw_names(const struct lanes *lanes)
{
	for (size_t i = 0, end; i < lanes->cells; i = end) {
		end = run_end(lanes, i);
		double x = x_of_cell(lanes, i);
		double wide = x_of_cell(lanes, end) - x;
		uint32_t name = lanes->owners[i] - 1;
		size_t room = wide > 5 ? (size_t)((wide - 5) / 7) : 0;
		if (lanes->owners[i] && name < lanes->name_count && room >= 5)
			svg_text(lanes->chart->out, x + wide / 2, lanes->y + 19,
				 lanes->colours[name] < CHART_COLOURS ? "n c" : "s c", lanes->names[name],
				 svg_middle(room));
	}
}

static const char moved_shape[] = "m-3.5-4h7l-3.5 6z";
static const char woken_shape[] = "m-.5-4h1v6h-1z";

static void draw_marks(const struct lanes *lanes, unsigned int how, const char *shape)
{
	svg_put(lanes->chart->out, "<path class=\"f#\" d=\"", (unsigned int)MARKS);
	for (size_t i = 0; i < lanes->cells; i++)
		if (lanes->how[i] & how)
			svg_put(lanes->chart->out, "M~ ~%", x_of_cell(lanes, i), lanes->y - 4, shape);
	buffer_text(lanes->chart->out, "\"/>");
}

static void draw_lane(const struct lanes *lanes)
{
	for (unsigned int colour = 0; colour <= SEVERAL; colour++)
		draw_colour(lanes, colour);
	draw_names(lanes);
	draw_marks(lanes, CHART_WOKEN, woken_shape);
	draw_marks(lanes, CHART_MOVED, moved_shape);
}

static double draw_legend(struct buffer *out, const struct lanes *lanes, unsigned int how)
{
	struct chart_text shown[NAMES + 2];
	unsigned int colours[NAMES + 2];
	const char *shapes[NAMES + 2];
	size_t count = 0;

	for (; count < lanes->name_count; count++) {
		shown[count] = lanes->names[count];
		colours[count] = lanes->colours[count];
		shapes[count] = svg_box;
	}
	if (how & CHART_WOKEN) {
		shown[count] = chart_string("woken");
		colours[count] = MARKS;
		shapes[count++] = woken_shape;
	}
	if (how & CHART_MOVED) {
		shown[count] = chart_string("came from another CPU");
		colours[count] = MARKS;
		shapes[count++] = moved_shape;
	}
	return svg_legend(out, SVG_TITLE, WIDTH, shapes, shown, colours, count);
}

/* Draws all lanes with this number of cells; returns the number of bytes. */
static size_t draw_lanes(struct lanes *lanes, double top, const uint32_t *cpus, size_t cpu_count,
			 const struct chart_slice *slices, size_t slice_count)
{
	struct buffer *out = lanes->chart->out;
	size_t before = out->length;

	for (size_t i = 0; i < cpu_count; i++) {
		char label[24];
		memset(lanes->owners, 0, lanes->cells * sizeof(*lanes->owners));
		memset(lanes->how, 0, lanes->cells);
		lanes->y = top + STEP * (double)i + STEP - LANE;
		for (size_t s = 0; s < slice_count; s++)
			if (slices[s].cpu == cpus[i] && slices[s].name < lanes->name_count &&
			    slices[s].end_ns > lanes->from_ns && slices[s].start_ns < lanes->to_ns)
				mark_cells(lanes, &slices[s]);
		snprintf(label, sizeof(label), "CPU %u", cpus[i]);
		svg_label(out, LEFT - 8, lanes->y + 20, "r", label);
		draw_lane(lanes);
	}
	return out->length - before;
}

void chart_timeline(const struct chart *chart, uint64_t from_ns, uint64_t to_ns, const uint32_t *cpus, size_t cpu_count,
		    const struct chart_slice *slices, size_t slice_count, const struct chart_text *names,
		    const unsigned int *colours, size_t name_count)
{
	struct buffer *out = chart->out;
	struct lanes lanes = {chart, names, colours, name_count < NAMES ? name_count : NAMES, from_ns, to_ns, CELLS,
			      NULL,  NULL,  0};
	unsigned int how = 0;

	if (to_ns <= from_ns)
		return;
	lanes.owners = xcalloc(CELLS, sizeof(*lanes.owners) + 1);
	lanes.how = (uint8_t *)(lanes.owners + CELLS);
	if (cpu_count > LANES)
		cpu_count = LANES;
	for (size_t i = 0; i < slice_count; i++)
		how |= slices[i].how;
	double top = SVG_TITLE + draw_legend(NULL, &lanes, how) + 2;
	double bottom = top + STEP * (double)cpu_count + 6;
	struct svg_scale x = {(double)from_ns, (double)to_ns, LEFT, RIGHT, false, CHART_NS};
	svg_begin(chart, WIDTH, bottom + 44);
	buffer_printf(out,
		      "<pattern id=\"%s-h\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
		      "patternTransform=\"rotate(45)\"><path class=\"f8\" d=\"M0 0h4v4h-4z\"/><path class=\"f9\" "
		      "d=\"M0 0h1v4h-1z\"/></pattern>",
		      chart->id);
	draw_legend(out, &lanes, how);
	svg_x_axis(out, &x, top, bottom, "time in the window");
	size_t before = out->length;
	while (draw_lanes(&lanes, top, cpus, cpu_count, slices, slice_count) > BYTES_MAX && lanes.cells > 1) {
		out->length = before;
		lanes.cells /= 2;
	}
	free(lanes.owners);
	svg_end(chart);
}
