/* SPDX-License-Identifier: MIT
 *
 * Elements of charts. Lengths are in the units of the view box. */
#ifndef REPORT_CHART_SVG_H
#define REPORT_CHART_SVG_H

#include "base/shorten.h"
#include "report/chart/chart.h"

/* Width of all charts except timelines: text is readable when a phone scales it to the screen. */
#define SVG_WIDTH 400.0
/* Height of the title; the drawing begins below. */
#define SVG_TITLE 30.0

/* The start of a chart up to the drawing, and its end. */
void svg_begin(const struct chart *chart, double width, double height);
void svg_end(const struct chart *chart);

/* Adds markup with placeholders: ~ is a double (up to one decimal), % a string, # an unsigned int. */
void svg_put(struct buffer *out, const char *format, ...);

/* style: classes of chart_style, such as d dim, s small, c centred on x, r ending at x, a with an outline in the page's
 * colour. */
void svg_text(struct buffer *out, double x, double y, const char *style, struct chart_text text, struct shortening by);
void svg_label(struct buffer *out, double x, double y, const char *style, const char *text);
void svg_line(struct buffer *out, const char *style, double x1, double y1, double x2, double y2);
void svg_rect(struct buffer *out, const char *style, double x, double y, double width, double height);
/* shape: a path relative to the centre of the shape. */
void svg_shape(struct buffer *out, unsigned int colour, double x, double y, const char *shape);
extern const char svg_box[], svg_dot[];

/* Number of displayed characters: each UTF-8 sequence is one. */
size_t svg_characters(struct chart_text text);

/* Shortens a text to max characters, with an ellipsis in its middle. */
static inline struct shortening svg_middle(size_t max)
{
	return (struct shortening){(unsigned int)max, (unsigned int)(max - 1) - (unsigned int)(max - 1) / 2};
}

/* Texts of one kind, a struct chart_text at the start of every stride bytes. */
struct svg_texts {
	const void *first;
	size_t stride, count;
};
/* How to shorten the texts to max characters; to a few more if otherwise different texts would become equal. */
struct shortening svg_shortening(struct svg_texts texts, unsigned int max);

/* A scale from values to positions. */
struct svg_scale {
	double from, to;   /* values; decimal logarithms on a log scale */
	double start, end; /* positions */
	bool is_log;
	enum chart_unit unit;
};
/* Widens [from, to] to round values; to whole decades on a log axis. */
struct svg_scale svg_scale_make(const struct chart_axis *axis, double from, double to, double start, double end);
double svg_place(const struct svg_scale *scale, double value);

#define SVG_TICKS_MAX 16
/* Round values on the scale, about as many as wanted; returns their number. */
unsigned int svg_ticks(const struct svg_scale *scale, unsigned int wanted, double ticks[SVG_TICKS_MAX]);
/* A single value with about three digits: "250", "1.5M", "40 %", "20 us". */
void svg_value(double value, enum chart_unit unit, char *text, size_t size);
/* The label of a tick, distinguishable from the next tick's. All ticks of a linear scale have the same unit. */
void svg_tick(const struct svg_scale *scale, double value, double step, char *text, size_t size);

/* Draws coloured boxes with names, in lines of this width; returns their height. shapes: drawn instead of boxes;
 * svg_as_lines draws dashed lines. out NULL: only returns the height. */
extern const char *const svg_as_lines[];
double svg_legend(struct buffer *out, double top, double width, const char *const *shapes,
		  const struct chart_text *names, const unsigned int *colours, size_t count);

/* The title of an x axis, centred on the scale, or ending at right. */
void svg_title(struct buffer *out, const struct svg_scale *scale, double right, double y, const char *title);
/* The x axis at the bottom and the y axis at the left, with grid lines. */
void svg_x_axis(struct buffer *out, const struct svg_scale *scale, double top, double bottom, const char *title);
void svg_y_axis(struct buffer *out, const struct svg_scale *scale, double left, double right, const char *title);

#endif
