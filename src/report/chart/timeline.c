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
	const struct chart_timeline *timeline;
	size_t cpu_count, name_count; /* that are drawn */
	size_t cells;                 /* of a lane */
	uint32_t *owners;             /* name + 1; 0 none; UINT32_MAX several */
	uint8_t *how;                 /* bits of enum chart_how */
	double y;                     /* of the current lane */
};

static double x_of_cell(const struct lanes *lanes, size_t cell)
{
	return LEFT + (double)cell * (RIGHT - LEFT) / (double)lanes->cells;
}

static unsigned int colour_of(const struct lanes *lanes, uint32_t owner)
{
	return owner == UINT32_MAX ? SEVERAL : lanes->timeline->colours[owner - 1];
}

static void mark_cells(const struct lanes *lanes, const struct chart_slice *slice)
{
	const uint64_t from_ns = lanes->timeline->from_ns, to_ns = lanes->timeline->to_ns;
	double scale = (double)lanes->cells / (double)(to_ns - from_ns);
	uint64_t start = slice->start_ns > from_ns ? slice->start_ns - from_ns : 0;
	uint64_t end = (slice->end_ns < to_ns ? slice->end_ns : to_ns) - from_ns;
	size_t first = (size_t)((double)start * scale);
	size_t last = (size_t)((double)end * scale);

	if (first >= lanes->cells)
		first = lanes->cells - 1;
	if (last > lanes->cells)
		last = lanes->cells;
	if (slice->start_ns >= from_ns)
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
				 lanes->timeline->colours[name] < CHART_COLOURS ? "n c" : "s c",
				 lanes->timeline->names[name], svg_middle(room));
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

static const char wait_shape[] = "m-6-1.5h12v3h-12z";

static void draw_wait(const struct lanes *lanes)
{
	const struct chart_timeline *timeline = lanes->timeline;
	const struct svg_scale x = {(double)timeline->from_ns, (double)timeline->to_ns, LEFT, RIGHT, false, CHART_NS};
	const double start = svg_place(&x, (double)timeline->wait.start_ns);

	svg_rect(lanes->chart->out, "f1", start, lanes->y + LANE + 1,
		 svg_place(&x, (double)timeline->wait.end_ns) - start, 3);
}

static bool has_wait(const struct chart_timeline *timeline)
{
	return timeline->wait.end_ns > timeline->wait.start_ns;
}

/* Marks the cells of the lane of a CPU. */
static void fill_lane(const struct lanes *lanes, uint32_t cpu)
{
	const struct chart_timeline *timeline = lanes->timeline;

	memset(lanes->owners, 0, lanes->cells * sizeof(*lanes->owners));
	memset(lanes->how, 0, lanes->cells);
	for (size_t i = 0; i < timeline->slice_count; i++) {
		const struct chart_slice *slice = &timeline->slices[i];
		if (slice->cpu == cpu && slice->name < lanes->name_count && slice->end_ns > timeline->from_ns &&
		    slice->start_ns < timeline->to_ns)
			mark_cells(lanes, slice);
	}
}

static void draw_lane(const struct lanes *lanes, uint32_t cpu)
{
	fill_lane(lanes, cpu);
	for (unsigned int colour = 0; colour <= SEVERAL; colour++)
		draw_colour(lanes, colour);
	draw_names(lanes);
	draw_marks(lanes, CHART_WOKEN, woken_shape);
	draw_marks(lanes, CHART_MOVED, moved_shape);
	if (has_wait(lanes->timeline) && lanes->timeline->wait.cpu == cpu)
		draw_wait(lanes);
}

/* The signs that are drawn beside the names. */
struct signs {
	bool woken, moved, wait, several;
	bool names[NAMES]; /* that have a cell of their own */
};

static struct signs find_signs(const struct lanes *lanes)
{
	const struct chart_timeline *timeline = lanes->timeline;
	struct signs signs = {.wait = has_wait(timeline)};

	for (size_t i = 0; i < timeline->slice_count; i++) {
		signs.woken = signs.woken || timeline->slices[i].how & CHART_WOKEN;
		signs.moved = signs.moved || timeline->slices[i].how & CHART_MOVED;
	}
	for (size_t i = 0; i < lanes->cpu_count; i++) {
		fill_lane(lanes, timeline->cpus[i]);
		for (size_t cell = 0; cell < lanes->cells; cell++)
			if (lanes->owners[cell] == UINT32_MAX)
				signs.several = true;
			else if (lanes->owners[cell])
				signs.names[lanes->owners[cell] - 1] = true;
	}
	return signs;
}

static double draw_legend(struct buffer *out, const struct lanes *lanes, struct signs signs)
{
	const struct {
		bool is_used;
		const char *text, *shape;
		unsigned int colour;
	} keys[] = {{signs.woken, "woken", woken_shape, MARKS},
		    {signs.moved, "came from another CPU", moved_shape, MARKS},
		    {signs.wait, "the wait", wait_shape, 1},
		    {signs.several, "several, too short to show", svg_box, CHART_COLOURS}};
	enum { KEYS = sizeof(keys) / sizeof(*keys) };
	struct chart_text shown[NAMES + KEYS];
	unsigned int colours[NAMES + KEYS];
	const char *shapes[NAMES + KEYS];
	size_t count = 0;

	for (size_t i = 0; i < lanes->name_count; i++) {
		if (!signs.names[i])
			continue;
		shown[count] = lanes->timeline->names[i];
		colours[count] = lanes->timeline->colours[i];
		shapes[count++] = svg_box;
	}
	for (size_t i = 0; i < KEYS; i++) {
		if (!keys[i].is_used)
			continue;
		shown[count] = chart_string(keys[i].text);
		colours[count] = keys[i].colour;
		shapes[count++] = keys[i].shape;
	}
	return svg_legend(out, SVG_TITLE, WIDTH, shapes, shown, colours, count);
}

/* Draws all lanes with this number of cells; returns the number of bytes. */
static size_t draw_lanes(struct lanes *lanes, double top)
{
	struct buffer *out = lanes->chart->out;
	size_t before = out->length;

	for (size_t i = 0; i < lanes->cpu_count; i++) {
		char label[24];
		lanes->y = top + STEP * (double)i + STEP - LANE;
		snprintf(label, sizeof(label), "CPU %u", lanes->timeline->cpus[i]);
		svg_label(out, LEFT - 8, lanes->y + 20, "r", label);
		draw_lane(lanes, lanes->timeline->cpus[i]);
	}
	return out->length - before;
}

#define NOTE_LINE 14.0
#define NOTES_MAX 90000u /* size of all notes; later ones are left out */

static double note_height(const struct chart_timeline *timeline)
{
	unsigned int max = 0;

	for (size_t i = 0; i < timeline->note_count; i++) {
		unsigned int lines = 1;
		for (const char *at = timeline->notes[i].text; *at; at++)
			lines += *at == '\n';
		max = lines > max ? lines : max;
	}
	return max ? NOTE_LINE * max + 14 : 0;
}

static void draw_note(struct buffer *out, const struct chart_note *note, double y)
{
	const char *line = note->text;

	for (size_t length; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		svg_put(out, "<tspan x=\"~\" y=\"~\">", LEFT, y);
		chart_escape(out, line, length);
		buffer_text(out, "</tspan>");
		y += NOTE_LINE;
	}
}

static void draw_notes(const struct lanes *lanes, const struct svg_scale *x, double top, double bottom)
{
	const struct chart_timeline *timeline = lanes->timeline;
	struct buffer *out = lanes->chart->out;
	const size_t before = out->length;

	for (size_t i = 0; i < timeline->note_count && out->length - before < NOTES_MAX; i++) {
		const struct chart_note *note = &timeline->notes[i];
		size_t lane = 0;
		while (lane < lanes->cpu_count && timeline->cpus[lane] != note->cpu)
			lane++;
		if (lane == lanes->cpu_count)
			continue;
		const double from = svg_place(x, (double)note->start_ns);
		const double wide = svg_place(x, (double)note->end_ns) - from;
		buffer_text(out, "<g class=\"k\">");
		svg_rect(out, "kp", from, top + STEP * (double)(lane + 1) - LANE, wide, LANE);
		buffer_text(out, "<text class=\"kt\">");
		draw_note(out, note, bottom);
		buffer_text(out, "</text></g>");
	}
}

void chart_timeline(const struct chart *chart, const struct chart_timeline *timeline)
{
	struct buffer *out = chart->out;
	struct lanes lanes = {.chart = chart,
			      .timeline = timeline,
			      .cpu_count = timeline->cpu_count < LANES ? timeline->cpu_count : LANES,
			      .name_count = timeline->name_count < NAMES ? timeline->name_count : NAMES,
			      .cells = CELLS};

	if (timeline->to_ns <= timeline->from_ns)
		return;
	lanes.owners = xcalloc(CELLS, sizeof(*lanes.owners) + 1);
	lanes.how = (uint8_t *)(lanes.owners + CELLS);
	const struct signs signs = find_signs(&lanes);
	double top = SVG_TITLE + draw_legend(NULL, &lanes, signs) + 2;
	double bottom = top + STEP * (double)lanes.cpu_count + 6;
	struct svg_scale x = {(double)timeline->from_ns, (double)timeline->to_ns, LEFT, RIGHT, false, CHART_NS};
	const double notes = chart->alone ? 0 : note_height(timeline);
	svg_begin(chart, WIDTH, bottom + 44 + notes);
	buffer_printf(out,
		      "<pattern id=\"%s-h\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
		      "patternTransform=\"rotate(45)\"><path class=\"f8\" d=\"M0 0h4v4h-4z\"/><path class=\"f9\" "
		      "d=\"M0 0h1v4h-1z\"/></pattern>",
		      chart->id);
	draw_legend(out, &lanes, signs);
	svg_x_axis(out, &x, top, bottom, "time in the window");
	size_t before = out->length;
	while (draw_lanes(&lanes, top) > BYTES_MAX && lanes.cells > 1) {
		out->length = before;
		lanes.cells /= 2;
	}
	free(lanes.owners);
	if (notes > 0) {
		svg_label(out, LEFT, bottom + 58, "d s kh", "Point at a switch to see its candidates and their keys.");
		draw_notes(&lanes, &x, top, bottom + 58);
	}
	svg_end(chart);
}
