/* SPDX-License-Identifier: MIT
 *
 * Charts as SVG. Each has a title, a description for those who cannot see it, axes with units, and a legend; it is
 * readable in light and dark, in colours that people with colour blindness tell apart, with dashes and labels beside
 * them. The same data give the same bytes. Within a page they take the page's colours and need chart_style once; alone
 * each is a whole file. A timeline does not shrink below 44 rem: put it where it can be scrolled. No chart is larger
 * than some 100 KB: what is too much is left out, or made coarser. Pure. */
#ifndef CHART_CHART_H
#define CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* CSS for svg.chart: of the page that charts lie in. */
extern const char *const chart_style;

struct chart {
	struct buffer *out;
	const char *id;          /* unlike any other in the page: letters, digits and - */
	const char *title;       /* shown above it */
	const char *description; /* one or two sentences: what it shows, and what is to be seen; for screen readers */
	bool alone;              /* a file of its own */
};

/* A text of any bytes: markup and control characters are made harmless. */
struct chart_text {
	const char *bytes;
	size_t length;
};

/* Colours of the palette, each with its dashes; that one behind them is gray, for what is in the background. */
#define CHART_COLOURS 8

/* A line through points, of which x does not fall. colour: which of the palette's. */
struct chart_series {
	struct chart_text name;
	unsigned int colour;
	const double *x, *y;
	size_t count;
	/* Points that are marked with a dot and a label; -1 none. */
	double mark_x[2], mark_y[2];
	const char *mark[2]; /* "p50" or NULL */
};

enum chart_unit {
	CHART_NUMBER,
	CHART_SHARE, /* 0 to 1, shown in percent */
	CHART_NS,    /* nanoseconds, shown in ns, us, ms or s as fits */
};

struct chart_axis {
	const char *title;
	enum chart_unit unit;
	bool is_log; /* values of 0 and less are left out */
};

/* Lines; is_steps: each value holds until the next. Nothing is drawn of a series without points; without any point
 * the chart says so. */
void chart_lines(const struct chart *chart, const struct chart_axis *x, const struct chart_axis *y, bool is_steps,
		 const struct chart_series *series, size_t count);

/* Horizontal bars, each divided into parts: values[bar * part_count + part], in the unit. Bars of the same group
 * (a number) stand together. with normal each bar is as long as the others, 100 %. */
struct chart_bar {
	struct chart_text label;
	unsigned int group;
};
void chart_bars(const struct chart *chart, const struct chart_axis *x, bool normal, const struct chart_bar *bars,
		size_t bar_count, const struct chart_text *parts, const unsigned int *part_colours, size_t part_count,
		const double *values);

/* Who ran where: one lane a CPU (32 at most), from from_ns to to_ns. Those slices of one CPU that do not overlap, in
 * their order; where several are shorter than can be seen, the place is hatched. name: of names (16 at most), which
 * have these colours. how: marks at its start. */
enum chart_how {
	CHART_WOKEN = 1, /* it waited since a wakeup */
	CHART_MOVED = 2, /* its task came from another CPU */
};
struct chart_slice {
	uint64_t start_ns, end_ns;
	uint32_t cpu, name;
	uint8_t how; /* bits of enum chart_how */
};
void chart_timeline(const struct chart *chart, uint64_t from_ns, uint64_t to_ns, const uint32_t *cpus, size_t cpu_count,
		    const struct chart_slice *slices, size_t slice_count, const struct chart_text *names,
		    const unsigned int *colours, size_t name_count);

/* count x count values, by row (from) and column (to); labels are the numbers of the CPUs. */
void chart_matrix(const struct chart *chart, const char *row_title, const char *column_title, const uint32_t *labels,
		  size_t count, const uint64_t *values);

/* Differences in percent with their intervals, a line each, about a line at 0. NAN low or high: no interval. */
struct chart_interval {
	struct chart_text label;
	double change, low, high;
	char verdict; /* 'b' better, 'w' worse, 'd' different, 's' same, 'f' too few runs */
};
void chart_intervals(const struct chart *chart, const char *x_title, const struct chart_interval *rows, size_t count);

/* Text for SVG and HTML. */
void chart_escape(struct buffer *out, const char *bytes, size_t length);

#endif
