/* SPDX-License-Identifier: MIT
 *
 * Charts as SVG. Each has a title, a description for screen readers, axes with units, and a legend. The colours suit
 * light and dark pages and colour blindness; lines also have dashes and labels. The same data give the same bytes.
 * Charts in a page use the page's colours and need chart_style once; a chart with alone set is a complete file. A
 * timeline is at least 44 rem wide: put it in an element that scrolls. No chart is larger than about 100 KB: further
 * data are left out or drawn more coarsely. Pure. */
#ifndef REPORT_CHART_CHART_H
#define REPORT_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

/* CSS for svg.chart, for a page that contains charts. */
extern const char *const chart_style;

#define CHART_TITLE_SIZE 256
struct chart {
	struct buffer *out;
	char id[64];                  /* unique in the page: letters, digits and - */
	char title[CHART_TITLE_SIZE]; /* shown above the chart */
	char description[512];        /* one or two sentences on contents and result, for screen readers */
	bool alone;                   /* a complete SVG file */
	bool has_notes;               /* parts show more under the pointer, so the chart is not an image */
};

/* Number of characters of a title for which a chart, and a wide chart, has room. */
#define CHART_TITLE      41
#define CHART_TITLE_WIDE 98

/* Text of any bytes; markup and control characters are escaped. */
struct chart_text {
	const char *bytes;
	size_t length;
};
static inline struct chart_text chart_string(const char *text)
{
	return (struct chart_text){text, strlen(text)};
}

/* Number of colours in the palette, each with its dashes. The colour after the last one is gray, for the background. */
#define CHART_COLOURS 8

/* A line through points in ascending order of x. colour: index in the palette. */
struct chart_series {
	struct chart_text name;
	unsigned int colour;
	const double *x, *y;
	size_t count;
	/* Points to mark with a dot and a label; -1: none. */
	double mark_x[2], mark_y[2];
	const char *mark[2]; /* "p50" or NULL */
};

enum chart_unit {
	CHART_NUMBER,
	CHART_SHARE, /* 0 to 1, shown as a percentage */
	CHART_NS,    /* nanoseconds, shown in a suitable unit: ns, us, ms or s */
};

struct chart_axis {
	const char *title;
	enum chart_unit unit;
	bool is_log; /* values of 0 and less are left out */
};

/* Lines. is_steps: each value holds until the next. A series without points is not drawn; a chart without points shows
 * a message. */
void chart_lines(const struct chart *chart, const struct chart_axis *x, const struct chart_axis *y, bool is_steps,
		 const struct chart_series *series, size_t count);

/* Slices by CPU: one row per CPU (up to 32), and a curve below, from from_ns to to_ns. The slices of a CPU are in time
 * order and do not overlap. Slices that are too short to be visible are drawn together as one hatched area. name: index
 * in names (up to 16), each with its colour. how: what is shown at the start of the slice. */
enum chart_how {
	CHART_WOKEN = 1,   /* the task waited after a wakeup */
	CHART_MOVED = 2,   /* the task came from another CPU */
	CHART_ANOTHER = 4, /* the slice before was that of another task, perhaps of the same name */
};
struct chart_slice {
	uint64_t start_ns, end_ns;
	uint32_t cpu, name;
	uint8_t how; /* bits of enum chart_how */
};
struct chart_span {
	uint64_t start_ns, end_ns;
	uint32_t cpu;
};
struct chart_timeline {
	uint64_t from_ns, to_ns;
	const uint32_t *cpus;
	size_t cpu_count;
	const struct chart_slice *slices;
	size_t slice_count;
	const struct chart_text *names;
	const unsigned int *colours;
	size_t name_count;
	struct {
		uint32_t cpu;
		uint64_t start_ns, end_ns;  /* equal: no wait */
	} wait;                             /* wait for this CPU; drawn below its row */
	const struct chart_span *throttled; /* a task that waited for the CPU was throttled; by start */
	size_t throttled_count;
	const struct chart_note *notes; /* in the order of time */
	size_t note_count;
	/* Values of a row below those of CPUs, each until the next; count 0: there is none. */
	struct {
		const char *title;
		const struct chart_point *points; /* in the order of time */
		size_t count;
	} curve;
};
struct chart_point {
	uint64_t ns;
	double value;              /* in ns */
	bool is_marked, is_strong; /* with a dot; with a larger one of another colour */
};
/* Lines that are shown below the chart while the pointer is at this time of the row, or after a touch. A chart that is
 * a file has none, because it may be shown as an image. */
struct chart_note {
	uint64_t start_ns, end_ns;
	uint32_t cpu;
	const char *text; /* columns are aligned by spaces */
};
void chart_timeline(const struct chart *chart, const struct chart_timeline *timeline);

/* Differences in percent with their intervals, one row each, around a line at 0. NAN low or high: no interval. */
struct chart_interval {
	struct chart_text label;
	double change, low, high;
	/* 'b' better, 'w' worse, 'd' different, 'e' equal, 'n' negligible, 'u' unclear, 'f' too few runs */
	char verdict;
};
void chart_intervals(const struct chart *chart, const char *x_title, const struct chart_interval *rows, size_t count);

/* Text for SVG and HTML. */
void chart_escape(struct buffer *out, const char *bytes, size_t length);

#endif
