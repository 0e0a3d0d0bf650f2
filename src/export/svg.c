/* SPDX-License-Identifier: MIT */
#include "export/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/* Colours after Okabe and Ito, darkened on white and lightened on black until they stand out; 8 is for all others. */
const char *const chart_style =
    "svg.chart{max-width:100%;height:auto;display:block;font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "\"Noto Sans\",\"DejaVu Sans\",sans-serif;--i:#1d232a;--d:#5a6570;--g:#e1e6eb;--p:#fff;--k0:#2166ac;--k1:#c8590a;"
    "--k2:#0d8a66;--k3:#b0498a;--k4:#8a6d00;--k5:#2a93c9;--k6:#7a4fb8;--k7:#5c6b2f;--k8:#9aa4ae}"
    "@media(prefers-color-scheme:dark){svg.chart{--i:#e3e8ed;--d:#9aa6b2;--g:#313a44;--p:#14181d;--k0:#6cb2f5;"
    "--k1:#f5a05a;--k2:#4fc9a0;--k3:#e58cc2;--k4:#dcc04a;--k5:#8ad8ff;--k6:#bb9cf0;--k7:#b3c47a;--k8:#6b7681}}"
    "@media print{svg.chart{--i:#000;--d:#444;--g:#ddd;--p:#fff;--k0:#2166ac;--k1:#c8590a;--k2:#0d8a66;--k3:#b0498a;"
    "--k4:#8a6d00;--k5:#2a93c9;--k6:#7a4fb8;--k7:#5c6b2f;--k8:#9aa4ae}}"
    "svg.wide{min-width:44rem}.chart text{fill:var(--i)}.chart .h{font-size:15px;font-weight:600}.chart "
    ".d{fill:var(--d)}"
    ".chart .s{font-size:11px}.chart .n{fill:var(--p);font-size:11px}.chart .g{stroke:var(--g)}"
    ".chart .x{stroke:var(--d)}.chart .b{fill:var(--p)}.chart .m{fill:var(--k8)}.chart "
    ".e{fill:var(--g);fill-opacity:.5}"
    ".chart .l{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".chart .f0{fill:var(--k0)}.chart .f1{fill:var(--k1)}.chart .f2{fill:var(--k2)}.chart .f3{fill:var(--k3)}"
    ".chart .f4{fill:var(--k4)}.chart .f5{fill:var(--k5)}.chart .f6{fill:var(--k6)}.chart .f7{fill:var(--k7)}"
    ".chart .f8{fill:var(--k8)}"
    ".chart .l0{stroke:var(--k0)}.chart .l1{stroke:var(--k1);stroke-dasharray:7 3}"
    ".chart .l2{stroke:var(--k2);stroke-dasharray:2 3}.chart .l3{stroke:var(--k3);stroke-dasharray:9 3 2 3}"
    ".chart .l4{stroke:var(--k4);stroke-dasharray:12 4}.chart .l5{stroke:var(--k5);stroke-dasharray:4 2}"
    ".chart .l6{stroke:var(--k6);stroke-dasharray:1 2}.chart .l7{stroke:var(--k7);stroke-dasharray:6 2 1 2}"
    ".chart .l8{stroke:var(--k8)}";

void chart_escape(struct buffer *out, const char *bytes, size_t length)
{
	char plain[512];

	/* A byte becomes four at most; a sequence of UTF-8 is not cut. */
	while (length) {
		size_t piece = length < 120 ? length : 120;
		while (piece < length && piece > 116 && (bytes[piece] & 0xc0) == 0x80)
			piece--;
		size_t shown = escape_line(bytes, piece, plain, sizeof(plain));
		for (size_t i = 0; i < shown; i++) {
			static const char special[] = "&<>\"'";
			static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
			const char *found = strchr(special, plain[i]);
			if (found)
				buffer_text(out, entities[found - special]);
			else
				buffer_add(out, plain + i, 1);
		}
		bytes += piece;
		length -= piece;
	}
}

void svg_number(struct buffer *out, double value)
{
	long tenths = isfinite(value) && fabs(value) < 1e7 ? lround(value * 10) : 0;
	const char *sign = tenths < 0 ? "-" : "";

	tenths = labs(tenths);
	if (tenths % 10)
		buffer_printf(out, "%s%ld.%ld", sign, tenths / 10, tenths % 10);
	else
		buffer_printf(out, "%s%ld", sign, tenths / 10);
}

static void attribute(struct buffer *out, const char *name, double value)
{
	buffer_printf(out, " %s=\"", name);
	svg_number(out, value);
	buffer_text(out, "\"");
}

void svg_begin(const struct chart *chart, double width, double height)
{
	struct buffer *out = chart->out;

	if (chart->alone)
		buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	buffer_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart%s\" id=\"%s\" role=\"img\" "
		      "aria-labelledby=\"%s-t %s-d\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">",
		      width > 600 ? " wide" : "", chart->id, chart->id, chart->id, width, height, width);
	buffer_printf(out, "<title id=\"%s-t\">", chart->id);
	chart_escape(out, chart->title, strlen(chart->title));
	buffer_printf(out, "</title><desc id=\"%s-d\">", chart->id);
	chart_escape(out, chart->description, strlen(chart->description));
	buffer_text(out, "</desc>");
	if (chart->alone) {
		buffer_printf(out, "<style>%s</style>", chart_style);
		svg_rect(out, "b", 0, 0, width, height);
	}
	svg_text(out, 0, 17, "h", 's', chart_string(chart->title), 200);
}

void svg_end(const struct chart *chart)
{
	buffer_text(chart->out, "</svg>\n");
}

size_t svg_characters(struct chart_text text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; count++) {
		size_t sequence = utf8_sequence(text.bytes + i, text.length - i);
		bool is_control = (unsigned char)text.bytes[i] < 32 || text.bytes[i] == 127;
		count += sequence == 0 || is_control ? 3 : 0; /* \xNN */
		i += sequence ? sequence : 1;
	}
	return count;
}

static size_t first_bytes(struct chart_text text, size_t most)
{
	size_t i = 0;

	for (size_t count = 0; i < text.length && count < most; count++) {
		size_t sequence = utf8_sequence(text.bytes + i, text.length - i);
		i += sequence ? sequence : 1;
	}
	return i;
}

void svg_text(struct buffer *out, double x, double y, const char *style, char anchor, struct chart_text text,
	      size_t most)
{
	bool is_cut = svg_characters(text) > most;

	buffer_text(out, "<text");
	attribute(out, "x", x);
	attribute(out, "y", y);
	if (*style)
		buffer_printf(out, " class=\"%s\"", style);
	if (anchor != 's')
		buffer_printf(out, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
	buffer_text(out, ">");
	chart_escape(out, text.bytes, is_cut ? first_bytes(text, most > 1 ? most - 1 : 1) : text.length);
	buffer_text(out, is_cut ? "\xe2\x80\xa6</text>" : "</text>");
}

void svg_label(struct buffer *out, double x, double y, const char *style, char anchor, const char *text)
{
	svg_text(out, x, y, style, anchor, chart_string(text), 200);
}

void svg_line(struct buffer *out, const char *style, double x1, double y1, double x2, double y2)
{
	buffer_printf(out, "<path class=\"%s\" d=\"M", style);
	svg_number(out, x1);
	buffer_text(out, " ");
	svg_number(out, y1);
	buffer_text(out, "L");
	svg_number(out, x2);
	buffer_text(out, " ");
	svg_number(out, y2);
	buffer_text(out, "\"/>");
}

void svg_rect(struct buffer *out, const char *style, double x, double y, double width, double height)
{
	buffer_printf(out, "<rect class=\"%s\"", style);
	attribute(out, "x", x);
	attribute(out, "y", y);
	attribute(out, "width", width);
	attribute(out, "height", height);
	buffer_text(out, "/>");
}

/* --- Scales --- */

/* exponent: whole. pow() would be 6 KB of the binary. */
static double ten_to(double exponent)
{
	double power = 1;

	for (; exponent > 0; exponent--)
		power *= 10;
	for (; exponent < 0; exponent++)
		power /= 10;
	return power;
}

/* 1, 2 or 5 times a power of ten, at least value. */
static double round_up(double value)
{
	double power = ten_to(floor(log10(value)));
	double lead = value / power;

	return power * (lead <= 1.0000001 ? 1 : lead <= 2.0000001 ? 2 : lead <= 5.0000001 ? 5 : 10);
}

struct svg_scale svg_scale_make(const struct chart_axis *axis, double from, double to, double start, double end)
{
	struct svg_scale scale = {.start = start, .end = end, .is_log = axis->is_log, .unit = axis->unit};

	if (axis->is_log) {
		scale.from = from > 0 ? floor(log10(from) + 1e-9) : 0;
		scale.to = to > 0 ? ceil(log10(to) - 1e-9) : 1;
		if (scale.to <= scale.from)
			scale.to = scale.from + 1;
		return scale;
	}
	if (!(to > from))
		to = from + 1;
	double step = round_up((to - from) / 10);
	scale.from = floor(from / step + 1e-9) * step;
	scale.to = ceil(to / step - 1e-9) * step;
	return scale;
}

double svg_place(const struct svg_scale *scale, double value)
{
	double at = scale->is_log ? (value > 0 ? log10(value) : scale->from) : value;
	double share = (at - scale->from) / (scale->to - scale->from);

	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return scale->start + share * (scale->end - scale->start);
}

unsigned int svg_ticks(const struct svg_scale *scale, unsigned int wanted, double ticks[SVG_TICKS_MOST])
{
	unsigned int count = 0;
	double range = scale->to - scale->from;
	double step = round_up(range / wanted);

	if (scale->is_log)
		step = step < 1 ? 1 : ceil(step);
	for (double at = ceil(scale->from / step - 1e-9) * step; at <= scale->to + step * 1e-6; at += step) {
		if (count == SVG_TICKS_MOST)
			break;
		ticks[count++] = scale->is_log ? ten_to(at) : fabs(at) < step * 1e-6 ? 0 : at;
	}
	return count;
}

static void short_number(double value, const char *unit, char *text, size_t size)
{
	static const char *const powers[] = {"", "k", "M", "G", "T"};
	size_t power = 0;

	for (; fabs(value) >= 9999.5 && power < 4 && !*unit; power++)
		value /= 1000;
	int decimals = value == 0 || fabs(value - round(value)) < 1e-6 * fabs(value) ? 0
		       : fabs(value) < 0.1                                           ? 3
		       : fabs(value) < 1                                             ? 2
										     : 1;
	snprintf(text, size, "%.*f%s%s%s", decimals, value, powers[power], *unit ? "\xc2\xa0" : "", unit);
}

void svg_value(double value, enum chart_unit unit, char *text, size_t size)
{
	static const struct {
		double ns;
		const char *name;
	} times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {0, "ns"}};
	size_t i = 0;

	if (unit == CHART_NUMBER) {
		short_number(value, "", text, size);
	} else if (unit == CHART_SHARE) {
		short_number(value * 100, "%", text, size);
	} else {
		while (fabs(value) < times[i].ns * 0.9999)
			i++;
		short_number(value / (times[i].ns > 0 ? times[i].ns : 1), times[i].name, text, size);
	}
}

/* --- Axes and legends --- */

void svg_x_axis(struct buffer *out, const struct svg_scale *scale, double top, double bottom, const char *title)
{
	double ticks[SVG_TICKS_MOST];
	unsigned int count = svg_ticks(scale, (unsigned int)((scale->end - scale->start) / 65), ticks);
	char text[40];

	for (unsigned int i = 0; i < count; i++) {
		double x = svg_place(scale, ticks[i]);
		svg_line(out, "g", x, top, x, bottom);
		svg_value(ticks[i], scale->unit, text, sizeof(text));
		bool is_last = x > scale->end - 14;
		svg_label(out, is_last ? scale->end + 8 : x, bottom + 16, "d s", is_last ? 'e' : 'm', text);
	}
	svg_line(out, "x", scale->start, bottom, scale->end, bottom);
	svg_label(out, (scale->start + scale->end) / 2, bottom + 34, "d", 'm', title);
}

void svg_y_axis(struct buffer *out, const struct svg_scale *scale, double left, double right, const char *title)
{
	double ticks[SVG_TICKS_MOST];
	unsigned int count = svg_ticks(scale, (unsigned int)((scale->start - scale->end) / 32), ticks);
	char text[40];

	for (unsigned int i = 0; i < count; i++) {
		double y = svg_place(scale, ticks[i]);
		svg_line(out, "g", left, y, right, y);
		svg_value(ticks[i], scale->unit, text, sizeof(text));
		svg_label(out, left - 6, y + 4, "d s", 'e', text);
	}
	svg_label(out, 0, scale->end - 9, "d", 's', title);
}

double svg_legend(struct buffer *out, double left, double top, double width, bool lines, const struct chart_text *names,
		  const unsigned int *colours, size_t count)
{
	double x = left;
	double y = top;
	char style[16];

	for (size_t i = 0; i < count; i++) {
		size_t characters = svg_characters(names[i]);
		double wide = 26 + 7.2 * (double)(characters > 40 ? 40 : characters) + 14;
		if (x > left && x + wide > left + width + 14) {
			x = left;
			y += 19;
		}
		if (out) {
			snprintf(style, sizeof(style), lines ? "l l%u" : "f%u", colours[i]);
			if (lines)
				svg_line(out, style, x, y + 8, x + 22, y + 8);
			else
				svg_rect(out, style, x + 6, y + 2, 12, 12);
			svg_text(out, x + 26, y + 12.5, "", 's', names[i], 40);
		}
		x += wide;
	}
	return count ? y + 22 - top : 0;
}
