/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/chart/svg.h"

#define WIDTH      960.0
#define LEFT       58.0
#define RIGHT      946.0
#define ROW_HEIGHT 30.0
#define STEP       42.0
#define LANES      32
#define NAMES      16
#define CURVE      96.0 /* height of the row of a curve */

/* The history of a CPU consists of cells. A cell is initially half a unit wide, which is below the visible
 * resolution. */
#define CELLS     ((size_t)((RIGHT - LEFT) * 2))
#define BYTES_MAX 65536u /* max size of all histories; if it is exceeded, cells are made wider */

enum {
	MARKS = CHART_COLOURS + 1, /* the colour of marks */
	SEVERAL,                   /* colour of cells shared by several names */
	THROTTLED,                 /* colour of times in which a task is throttled */
};

struct cpu_histories {
	const struct chart *chart;
	const struct chart_timeline *timeline;
	size_t cpu_count, name_count; /* numbers of drawn CPUs and names */
	size_t cells;                 /* number of cells of a history */
	uint32_t *owners;             /* name + 1; 0 none; UINT32_MAX several */
	uint8_t *how;                 /* bits of enum chart_how */
	double y;                     /* position of the current history */
};

static double x_of_cell(const struct cpu_histories *histories, size_t cell)
{
	return LEFT + (double)cell * (RIGHT - LEFT) / (double)histories->cells;
}

static unsigned int colour_of(const struct cpu_histories *histories, uint32_t owner)
{
	return owner == UINT32_MAX ? SEVERAL : histories->timeline->colours[owner - 1];
}

static void mark_cells(const struct cpu_histories *histories, const struct chart_slice *slice)
{
	const uint64_t from_ns = histories->timeline->from_ns, to_ns = histories->timeline->to_ns;
	double scale = (double)histories->cells / (double)(to_ns - from_ns);
	uint64_t start = slice->start_ns > from_ns ? slice->start_ns - from_ns : 0;
	uint64_t end = (slice->end_ns < to_ns ? slice->end_ns : to_ns) - from_ns;
	size_t first = (size_t)((double)start * scale);
	size_t last = (size_t)((double)end * scale);

	if (first >= histories->cells)
		first = histories->cells - 1;
	if (last > histories->cells)
		last = histories->cells;
	if (slice->start_ns >= from_ns)
		histories->how[first] |= slice->how;
	/* A slice shorter than a cell still fills one. Only the first cell can already have an owner: a slice that ends
	 * in it. */
	for (size_t i = first; i < last || i == first; i++) {
		bool is_shared = i == first && histories->owners[i] && histories->owners[i] != slice->name + 1;
		histories->owners[i] = is_shared ? UINT32_MAX : slice->name + 1;
	}
}

/* The end of a sequence of cells with the same owner; or of one of its tasks, if that can be seen. */
static size_t run_end(const struct cpu_histories *histories, size_t begin)
{
	enum { SEEN = 4 };
	size_t end = begin;

	while (end < histories->cells && histories->owners[end] == histories->owners[begin] &&
	       (end < begin + SEEN || !(histories->how[end] & CHART_ANOTHER)))
		end++;
	return end;
}

/* Draws all slices of a colour as one path. */
static void draw_colour(const struct cpu_histories *histories, unsigned int colour)
{
	struct buffer *out = histories->chart->out;
	bool any = false;

	for (size_t i = 0, end; i < histories->cells; i = end) {
		end = run_end(histories, i);
		if (!histories->owners[i] || colour_of(histories, histories->owners[i]) != colour)
			continue;
		double x = x_of_cell(histories, i);
		double wide = x_of_cell(histories, end) - x;
		if (!any && colour == SEVERAL)
			buffer_printf(out, "<path fill=\"url(#%s-h)\" d=\"", histories->chart->id);
		else if (!any)
			svg_put(out, "<path class=\"f#\" d=\"", colour);
		any = true;
		wide = wide > 2 && colour != SEVERAL ? wide - 0.4 : wide;
		svg_put(out, "M~ ~h~v~h~z", x, histories->y, wide, ROW_HEIGHT, -wide);
	}
	if (any)
		buffer_text(out, "\"/>");
}

static void draw_names(const struct cpu_histories *histories)
{
	for (size_t i = 0, end; i < histories->cells; i = end) {
		end = run_end(histories, i);
		double x = x_of_cell(histories, i);
		double wide = x_of_cell(histories, end) - x;
		uint32_t name = histories->owners[i] - 1;
		size_t room = wide > 5 ? (size_t)((wide - 5) / 7) : 0;
		if (histories->owners[i] && name < histories->name_count && room >= 5)
			svg_text(histories->chart->out, x + wide / 2, histories->y + 19,
				 histories->timeline->colours[name] < CHART_COLOURS ? "n c" : "s c",
				 histories->timeline->names[name], svg_middle(room));
	}
}

static const char moved_shape[] = "m-3.5-4h7l-3.5 6z";
static const char woken_shape[] = "m-.5-4h1v6h-1z";

static void draw_marks(const struct cpu_histories *histories, unsigned int how, const char *shape)
{
	svg_put(histories->chart->out, "<path class=\"f#\" d=\"", (unsigned int)MARKS);
	for (size_t i = 0; i < histories->cells; i++)
		if (histories->how[i] & how)
			svg_put(histories->chart->out, "M~ ~%", x_of_cell(histories, i), histories->y - 4, shape);
	buffer_text(histories->chart->out, "\"/>");
}

static const char dot_shape[] = "m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z";
static const char wait_shape[] = "m-6-1.5h12v3h-12z";

static void draw_wait(const struct cpu_histories *histories)
{
	const struct chart_timeline *timeline = histories->timeline;
	const struct svg_scale x = {(double)timeline->from_ns, (double)timeline->to_ns, LEFT, RIGHT, false, CHART_NS};
	const double start = svg_place(&x, (double)timeline->wait.start_ns);

	svg_rect(histories->chart->out, "f1", start, histories->y + ROW_HEIGHT + 1,
		 svg_place(&x, (double)timeline->wait.end_ns) - start, 3);
}

static const char throttled_shape[] = "m-6-1.5h12v3h-12z";

/* The times of the CPU, below its row and the wait, as one path: overlapping ones are of several tasks. */
static size_t draw_throttled(const struct cpu_histories *histories, uint32_t cpu, struct buffer *out)
{
	const struct chart_timeline *timeline = histories->timeline;
	const struct svg_scale x = {(double)timeline->from_ns, (double)timeline->to_ns, LEFT, RIGHT, false, CHART_NS};
	double last = LEFT;
	size_t count = 0;

	for (size_t i = 0; i < timeline->throttled_count; i++) {
		const struct chart_span *span = &timeline->throttled[i];
		const uint64_t from_ns = span->start_ns > timeline->from_ns ? span->start_ns : timeline->from_ns,
			       to_ns = span->end_ns < timeline->to_ns ? span->end_ns : timeline->to_ns;
		if (span->cpu != cpu || from_ns >= to_ns)
			continue;
		double start = svg_place(&x, (double)from_ns);
		const double end = svg_place(&x, (double)to_ns);
		start = start > last ? start : last;
		if (end - start < 0.5)
			continue;
		if (out && !count)
			svg_put(out, "<path class=\"f#\" d=\"", (unsigned int)THROTTLED);
		if (out)
			svg_put(out, "M~ ~h~v~h~z", start, histories->y + ROW_HEIGHT + 5, end - start, 3.0,
				start - end);
		last = end;
		count++;
	}
	if (out && count)
		buffer_text(out, "\"/>");
	return count;
}

static bool has_wait(const struct chart_timeline *timeline)
{
	return timeline->wait.end_ns > timeline->wait.start_ns;
}

/* Fills the cells of the history of a CPU. */
static void fill_history(const struct cpu_histories *histories, uint32_t cpu)
{
	const struct chart_timeline *timeline = histories->timeline;

	memset(histories->owners, 0, histories->cells * sizeof(*histories->owners));
	memset(histories->how, 0, histories->cells);
	for (size_t i = 0; i < timeline->slice_count; i++) {
		const struct chart_slice *slice = &timeline->slices[i];
		if (slice->cpu == cpu && slice->name < histories->name_count && slice->end_ns > timeline->from_ns &&
		    slice->start_ns < timeline->to_ns)
			mark_cells(histories, slice);
	}
}

static void draw_history(const struct cpu_histories *histories, uint32_t cpu)
{
	fill_history(histories, cpu);
	for (unsigned int colour = 0; colour <= SEVERAL; colour++)
		draw_colour(histories, colour);
	draw_names(histories);
	draw_marks(histories, CHART_WOKEN, woken_shape);
	draw_marks(histories, CHART_MOVED, moved_shape);
	draw_throttled(histories, cpu, histories->chart->out);
	if (has_wait(histories->timeline) && histories->timeline->wait.cpu == cpu)
		draw_wait(histories);
}

/* The signs in the legend, next to the names. */
struct signs {
	bool woken, moved, wait, throttled, several, marked, strong;
	bool names[NAMES]; /* true for names that have their own cell */
};

static struct signs find_signs(const struct cpu_histories *histories)
{
	const struct chart_timeline *timeline = histories->timeline;
	struct signs signs = {.wait = has_wait(timeline)};

	for (size_t i = 0; i < timeline->curve.count; i++) {
		signs.marked = signs.marked || timeline->curve.points[i].is_marked;
		signs.strong = signs.strong || timeline->curve.points[i].is_strong;
	}
	for (size_t i = 0; i < timeline->slice_count; i++) {
		signs.woken = signs.woken || timeline->slices[i].how & CHART_WOKEN;
		signs.moved = signs.moved || timeline->slices[i].how & CHART_MOVED;
	}
	for (size_t i = 0; i < histories->cpu_count; i++) {
		signs.throttled = signs.throttled || draw_throttled(histories, timeline->cpus[i], NULL);
		fill_history(histories, timeline->cpus[i]);
		for (size_t cell = 0; cell < histories->cells; cell++)
			if (histories->owners[cell] == UINT32_MAX)
				signs.several = true;
			else if (histories->owners[cell])
				signs.names[histories->owners[cell] - 1] = true;
	}
	return signs;
}

static double draw_legend(struct buffer *out, const struct cpu_histories *histories, struct signs signs)
{
	const struct {
		bool is_used;
		const char *text, *shape;
		unsigned int colour;
	} keys[] = {{signs.woken, "woken", woken_shape, MARKS},
		    {signs.moved, "came from another CPU", moved_shape, MARKS},
		    {signs.wait, "the wait", wait_shape, 1},
		    {signs.throttled, "a task is throttled (quota)", throttled_shape, THROTTLED},
		    {signs.several, "several, too short to show", svg_box, CHART_COLOURS},
		    {signs.marked, "another one is picked", dot_shape, 1},
		    {signs.strong, "against the rule", svg_dot, 3}};
	enum { KEYS = sizeof(keys) / sizeof(*keys) };
	struct chart_text shown[NAMES + KEYS];
	unsigned int colours[NAMES + KEYS];
	const char *shapes[NAMES + KEYS];
	size_t count = 0;

	for (size_t i = 0; i < histories->name_count; i++) {
		if (!signs.names[i])
			continue;
		shown[count] = histories->timeline->names[i];
		colours[count] = histories->timeline->colours[i];
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

/* Draws all histories with the present number of cells; returns the number of bytes. */
static size_t draw_histories(struct cpu_histories *histories, double top)
{
	struct buffer *out = histories->chart->out;
	size_t before = out->length;

	for (size_t i = 0; i < histories->cpu_count; i++) {
		char label[24];
		histories->y = top + STEP * (double)i + STEP - ROW_HEIGHT;
		snprintf(label, sizeof(label), "CPU %u", histories->timeline->cpus[i]);
		svg_label(out, LEFT - 8, histories->y + 20, "r", label);
		draw_history(histories, histories->timeline->cpus[i]);
	}
	return out->length - before;
}

#define NOTE_LINE 14.0
#define NOTES_MAX 90000u /* max size of all notes; later ones are left out */

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

static void draw_note_text(struct buffer *out, const struct chart_note *note, double y)
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

static void draw_notes(const struct cpu_histories *histories, const struct svg_scale *x, double top, double bottom)
{
	const struct chart_timeline *timeline = histories->timeline;
	struct buffer *out = histories->chart->out;
	const size_t before = out->length;
	char hint[160];
	size_t i = 0;

	for (; i < timeline->note_count && out->length - before < NOTES_MAX; i++) {
		const struct chart_note *note = &timeline->notes[i];
		size_t row = 0;
		while (row < histories->cpu_count && timeline->cpus[row] != note->cpu)
			row++;
		if (row == histories->cpu_count)
			continue;
		const double from = svg_place(x, (double)note->start_ns);
		const double wide = svg_place(x, (double)note->end_ns) - from;
		/* A touch gives the element the focus. */
		svg_put(out, "<g class=\"k\" tabindex=\"-1\"><path d=\"M~ ~h~v~h~z\"/><text class=\"kt\">", from,
			top + STEP * (double)(row + 1) - ROW_HEIGHT, wide, ROW_HEIGHT, -wide);
		draw_note_text(out, note, bottom);
		buffer_text(out, "</text></g>");
	}
	int length =
	    snprintf(hint, sizeof(hint), "Point at a switch, or touch it, to see its candidates and their keys");
	if (i < timeline->note_count)
		length += snprintf(hint + length, sizeof(hint) - (size_t)length, " (shown up to %.6f s of the window)",
				   (double)(timeline->notes[i - 1].start_ns - timeline->from_ns) / 1e9);
	snprintf(hint + length, sizeof(hint) - (size_t)length, ".");
	svg_label(out, LEFT, bottom, "d s kh", hint);
}

/* --- The curve --- */

static struct svg_scale curve_scale(const struct chart_timeline *timeline, double top)
{
	const struct chart_axis axis = {.unit = CHART_NS};
	double low = 0, high = 0;

	for (size_t i = 0; i < timeline->curve.count; i++) {
		low = timeline->curve.points[i].value < low ? timeline->curve.points[i].value : low;
		high = timeline->curve.points[i].value > high ? timeline->curve.points[i].value : high;
	}
	if (high - low <= 0)
		high = 1;
	return svg_scale_make(&axis, low, high, top + CURVE - 6, top + 22);
}

static void draw_dots(struct buffer *out, const struct chart_timeline *timeline, const struct svg_scale *x,
		      const struct svg_scale *y, bool is_strong)
{
	double last = -1;

	for (size_t i = 0; i < timeline->curve.count; i++) {
		const struct chart_point *point = &timeline->curve.points[i];
		const double at = svg_place(x, (double)point->ns);
		if (!(is_strong ? point->is_strong : point->is_marked && !point->is_strong) || at - last < 1)
			continue;
		svg_shape(out, is_strong ? 3 : 1, at, svg_place(y, point->value), is_strong ? svg_dot : dot_shape);
		last = at;
	}
}

/* A line of steps; points less than half a unit apart are drawn as one. */
static void draw_steps(struct buffer *out, const struct chart_timeline *timeline, const struct svg_scale *x,
		       const struct svg_scale *y)
{
	double last = -1;

	buffer_text(out, "<path class=\"l l0\" d=\"");
	for (size_t i = 0; i < timeline->curve.count; i++) {
		const double at = svg_place(x, (double)timeline->curve.points[i].ns),
			     value = svg_place(y, timeline->curve.points[i].value);
		if (last < 0)
			svg_put(out, "M~ ~", at, value);
		else if (at - last >= 0.5)
			svg_put(out, "H~V~", at, value);
		last = last < 0 || at - last >= 0.5 ? at : last;
	}
	buffer_text(out, "\"/>");
}

static void draw_curve(struct buffer *out, const struct chart_timeline *timeline, const struct svg_scale *x, double top)
{
	const struct svg_scale y = curve_scale(timeline, top);
	double ticks[SVG_TICKS_MAX];
	const unsigned int count = svg_ticks(&y, 5, ticks);
	char text[32];

	if (has_wait(timeline)) {
		const double start = svg_place(x, (double)timeline->wait.start_ns);
		svg_rect(out, "e", start, top + 16, svg_place(x, (double)timeline->wait.end_ns) - start, CURVE - 16);
	}
	for (unsigned int i = 0; i < count; i++) {
		const double at = svg_place(&y, ticks[i]);
		const bool is_zero = ticks[i] > -0.5 && ticks[i] < 0.5;
		svg_line(out, is_zero ? "q" : "g", LEFT, at, RIGHT, at);
		svg_tick(&y, ticks[i], count > 1 ? ticks[1] - ticks[0] : 1, text, sizeof(text));
		svg_label(out, LEFT - 8, at + 4, "d s r", text);
	}
	draw_steps(out, timeline, x, &y);
	draw_dots(out, timeline, x, &y, false);
	draw_dots(out, timeline, x, &y, true);
	svg_text(out, LEFT, top + 12, "s a", chart_string(timeline->curve.title), svg_middle(CHART_TITLE_WIDE));
}

void chart_timeline(const struct chart *chart, const struct chart_timeline *timeline)
{
	struct buffer *out = chart->out;
	struct cpu_histories histories = {.chart = chart,
					  .timeline = timeline,
					  .cpu_count = timeline->cpu_count < LANES ? timeline->cpu_count : LANES,
					  .name_count = timeline->name_count < NAMES ? timeline->name_count : NAMES,
					  .cells = CELLS};

	if (timeline->to_ns <= timeline->from_ns)
		return;
	histories.owners = xcalloc(CELLS, sizeof(*histories.owners) + 1);
	histories.how = (uint8_t *)(histories.owners + CELLS);
	const struct signs signs = find_signs(&histories);
	double top = SVG_TITLE + draw_legend(NULL, &histories, signs) + 2;
	const double below = top + STEP * (double)histories.cpu_count + 6;
	const double bottom = below + (timeline->curve.count ? CURVE : 0);
	struct svg_scale x = {(double)timeline->from_ns, (double)timeline->to_ns, LEFT, RIGHT, false, CHART_NS};
	const double notes = chart->alone ? 0 : note_height(timeline);
	svg_begin(chart, WIDTH, bottom + 44 + notes);
	buffer_printf(out,
		      "<pattern id=\"%s-h\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
		      "patternTransform=\"rotate(45)\"><path class=\"f8\" d=\"M0 0h4v4h-4z\"/><path class=\"f9\" "
		      "d=\"M0 0h1v4h-1z\"/></pattern>",
		      chart->id);
	draw_legend(out, &histories, signs);
	svg_x_axis(out, &x, top, bottom, "time in the window");
	size_t before = out->length;
	while (draw_histories(&histories, top) > BYTES_MAX && histories.cells > 1) {
		out->length = before;
		histories.cells /= 2;
	}
	free(histories.owners);
	if (timeline->curve.count)
		draw_curve(out, timeline, &x, below);
	if (notes > 0)
		draw_notes(&histories, &x, top, bottom + 58);
	svg_end(chart);
}
