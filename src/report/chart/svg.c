/* SPDX-License-Identifier: MIT */
#include "report/chart/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"

/* Colours after Okabe and Ito, darkened on white and lightened on black for contrast; 8 is for all others, 9 for marks.
 * Print uses the colours for white. */
const char *const chart_style =
    "svg.chart{width:100%;max-width:31rem;height:auto;display:block;font:13px system-ui,-apple-system,\"Segoe UI\","
    "Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif;--i:#1d232a;--d:#5a6570;--g:#e1e6eb;--p:#fff;--k0:#2166ac;"
    "--k1:#bd5200;--k2:#0a7f5d;--k3:#b0498a;--k4:#876a00;--k5:#1d83b6;--k6:#7a4fb8;--k7:#5c6b2f;--k8:#aab3bc;--kt:#"
    "8f0f3a}"
    "@media screen and (prefers-color-scheme:dark){svg.chart{--i:#e3e8ed;--d:#9aa6b2;--g:#313a44;--p:#14181d;"
    "--k0:#6cb2f5;--k1:#f5a05a;--k2:#4fc9a0;--k3:#e58cc2;--k4:#dcc04a;--k5:#8ad8ff;--k6:#bb9cf0;--k7:#b3c47a;"
    "--k8:#59646e;--kt:#ff6f91}}"
    "svg.wide{min-width:44rem;max-width:72rem}.chart text{fill:var(--i)}.chart .h{font-size:15px;font-weight:600}"
    ".chart .d{fill:var(--d)}.chart .s{font-size:11.5px}.chart .n{fill:var(--p);font-size:11.5px}"
    ".chart .c{text-anchor:middle}.chart .r{text-anchor:end}"
    ".chart .a{paint-order:stroke;stroke:var(--p);stroke-width:3px;stroke-linejoin:round}"
    ".chart .g{stroke:var(--g)}.chart .q{stroke:var(--d)}.chart .b{fill:var(--p)}.chart .e{fill:var(--g);fill-opacity:"
    ".5}.chart .l{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".chart .f0{fill:var(--k0)}.chart .f1{fill:var(--k1)}.chart .f2{fill:var(--k2)}.chart .f3{fill:var(--k3)}"
    ".chart .f4{fill:var(--k4)}.chart .f5{fill:var(--k5)}.chart .f6{fill:var(--k6)}.chart .f7{fill:var(--k7)}"
    ".chart .f8{fill:var(--k8)}.chart .f9{fill:var(--i)}.chart .f10{fill:var(--d)}.chart .f11{fill:var(--kt)}"
    ".chart .l0{stroke:var(--k0)}.chart .l1{stroke:var(--k1);stroke-dasharray:7 3}"
    ".chart .l2{stroke:var(--k2);stroke-dasharray:2 3}.chart .l3{stroke:var(--k3);stroke-dasharray:9 3 2 3}"
    ".chart .l4{stroke:var(--k4);stroke-dasharray:12 4}.chart .l5{stroke:var(--k5);stroke-dasharray:4 2}"
    ".chart .l6{stroke:var(--k6);stroke-dasharray:1 2}.chart .l7{stroke:var(--k7);stroke-dasharray:6 2 1 2}"
    ".chart .l8{stroke:var(--k8)}.chart .k path{fill-opacity:0}.chart .k{outline:0}"
    ".chart .k:hover path,.chart .k:focus path{stroke:var(--i);stroke-width:2}"
    ".chart .kt{display:none;white-space:pre;font:11.5px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}"
    ".chart .k:hover .kt,.chart:not(:has(.k:hover)) .k:focus .kt{display:inline}"
    ".chart:has(.k:hover,.k:focus) .kh{display:none}";

const char svg_box[] = "m-6-6h12v12h-12z";
const char svg_dot[] = "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z";
const char *const svg_as_lines[] = {NULL};

/* The XML escape of the byte; NULL: the byte itself. */
static const char *entity_of(char byte)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	const char *found = strchr(special, byte);

	return found && byte ? entities[found - special] : NULL;
}

void chart_escape(struct buffer *out, const char *bytes, size_t length)
{
	char plain[512];

	/* Each byte needs up to four; UTF-8 sequences are not cut. */
	while (length) {
		size_t piece = length < 120 ? length : 120;
		while (piece < length && piece > 116 && (bytes[piece] & 0xc0) == 0x80)
			piece--;
		size_t shown = escape_line(bytes, piece, plain, sizeof(plain));
		for (size_t i = 0; i < shown; i++) {
			const char *instead = entity_of(plain[i]);
			/* XML does not allow U+FFFE and U+FFFF. */
			if (memcmp(plain + i, "\xef\xbf", 2) == 0 && (unsigned char)plain[i + 2] >= 0xbe) {
				instead = "\xef\xbf\xbd";
				i += 2;
			}
			if (instead)
				buffer_text(out, instead);
			else
				buffer_add(out, plain + i, 1);
		}
		bytes += piece;
		length -= piece;
	}
}

static void put_number(struct buffer *out, double value)
{
	long tenths = isfinite(value) && fabs(value) < 1e7 ? lround(value * 10) : 0;
	const char *sign = tenths < 0 ? "-" : "";

	tenths = labs(tenths);
	buffer_printf(out, tenths % 10 ? "%s%ld.%ld" : "%s%ld", sign, tenths / 10, tenths % 10);
}

void svg_put(struct buffer *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	for (; *format; format++) {
		if (*format == '~')
			put_number(out, va_arg(arguments, double));
		else if (*format == '%')
			buffer_text(out, va_arg(arguments, const char *));
		else if (*format == '#')
			buffer_printf(out, "%u", va_arg(arguments, unsigned int));
		else
			buffer_add(out, format, 1);
	}
	va_end(arguments);
}

void svg_begin(const struct chart *chart, double width, double height)
{
	struct buffer *out = chart->out;

	if (chart->alone)
		buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	svg_put(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart%\" id=\"%\" role=\"%\" "
		"aria-labelledby=\"%-t %-d\" viewBox=\"0 0 ~ ~\" width=\"~\"><title id=\"%-t\">",
		width > SVG_WIDTH ? " wide" : "", chart->id, chart->has_notes ? "group" : "img", chart->id, chart->id,
		width, height, width, chart->id);
	chart_escape(out, chart->title, strlen(chart->title));
	svg_put(out, "</title><desc id=\"%-d\">", chart->id);
	chart_escape(out, chart->description, strlen(chart->description));
	buffer_text(out, "</desc>");
	if (chart->alone) {
		buffer_printf(out, "<style>%s</style>", chart_style);
		svg_rect(out, "b", 0, 0, width, height);
	}
	svg_text(out, 0, 17, "h", chart_string(chart->title),
		 svg_middle(width > SVG_WIDTH ? CHART_TITLE_WIDE : CHART_TITLE));
}

void svg_end(const struct chart *chart)
{
	buffer_text(chart->out, "</svg>\n");
}

/* The text before it is shortened. */
static void plain_text(struct chart_text text, char plain[SHORTEN_SIZE])
{
	escape_line(text.bytes, text.length, plain, SHORTEN_SIZE);
}

size_t svg_characters(struct chart_text text)
{
	char plain[SHORTEN_SIZE];

	plain_text(text, plain);
	return utf8_columns(plain, strlen(plain));
}

struct shortening svg_shortening(struct svg_texts texts, unsigned int max)
{
	char(*names)[SHORTEN_SIZE] = xcalloc(texts.count + 1, sizeof(*names));
	unsigned int widest = 1;

	for (size_t i = 0; i < texts.count; i++) {
		const struct chart_text *text = (const void *)((const char *)texts.first + i * texts.stride);
		plain_text(*text, names[i]);
		const unsigned int width = (unsigned int)utf8_columns(names[i], strlen(names[i]));
		widest = width > widest ? width : widest;
	}
	const struct shortening by = shorten_distinct(names, texts.count, max, widest);
	free(names);
	return by;
}

void svg_text(struct buffer *out, double x, double y, const char *style, struct chart_text text, struct shortening by)
{
	char plain[SHORTEN_SIZE], shown[SHORTEN_SIZE];

	plain_text(text, plain);
	shorten(plain, by, shown);
	svg_put(out, "<text x=\"~\" y=\"~\" class=\"%\">", x, y, style);
	chart_escape(out, shown, strlen(shown));
	buffer_text(out, "</text>");
}

void svg_label(struct buffer *out, double x, double y, const char *style, const char *text)
{
	svg_text(out, x, y, style, chart_string(text), svg_middle(200));
}

void svg_line(struct buffer *out, const char *style, double x1, double y1, double x2, double y2)
{
	svg_put(out, "<path class=\"%\" d=\"M~ ~L~ ~\"/>", style, x1, y1, x2, y2);
}

void svg_rect(struct buffer *out, const char *style, double x, double y, double width, double height)
{
	svg_put(out, "<path class=\"%\" d=\"M~ ~h~v~h~z\"/>", style, x, y, width, height, -width);
}

void svg_shape(struct buffer *out, unsigned int colour, double x, double y, const char *shape)
{
	svg_put(out, "<path class=\"f#\" d=\"M~ ~%\"/>", colour, x, y, shape);
}

/* --- Scales --- */

/* The smallest 1, 2 or 5 times a power of ten that is at least value. */
static double round_up(double value)
{
	double power = pow(10, floor(log10(value)));
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
	from = fmax(from, -1e18);
	to = fmin(to, 1e18);
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

unsigned int svg_ticks(const struct svg_scale *scale, unsigned int wanted, double ticks[SVG_TICKS_MAX])
{
	unsigned int count = 0;
	double range = scale->to - scale->from;
	double step = round_up(range / wanted);

	if (scale->is_log)
		step = step < 1 ? 1 : ceil(step);
	for (double at = ceil(scale->from / step - 1e-9) * step; at <= scale->to + step * 1e-6; at += step) {
		if (count == SVG_TICKS_MAX)
			break;
		ticks[count++] = scale->is_log ? pow(10, at) : fabs(at) < step * 1e-6 ? 0 : at;
	}
	return count;
}

/* Writes the value in the unit that suits largest. step: difference that must be visible; 0: three digits. */
static void write_value(double value, double largest, double step, enum chart_unit unit, char *text, size_t size)
{
	static const struct {
		double size;
		const char *name;
	} units[] = {{1e9, "\xc2\xa0s"}, {1e6, "\xc2\xa0ms"}, {1e3, "\xc2\xa0\xc2\xb5s"},
		     {1, "\xc2\xa0ns"},  {1e12, "T"},         {1e9, "G"},
		     {1e6, "M"},         {1e4, "k"},          {1, ""},
		     {0.01, "\xc2\xa0%"}};
	size_t i = unit == CHART_NS ? 0 : unit == CHART_NUMBER ? 4 : 9;
	int decimals = 0;

	while (fabs(largest) < units[i].size * 0.99999 && units[i].size > 1)
		i++;
	double by = unit == CHART_NUMBER && units[i].size == 1e4 ? 1e3 : units[i].size;
	value /= by;
	step /= by;
	if (step <= 0 && value != 0)
		step = fabs(value) >= 100                                ? 1
		       : fabs(value - round(value)) < 1e-6 * fabs(value) ? 1
		       : fabs(value) >= 1                                ? 0.1
		       : fabs(value) >= 0.1                              ? 0.01
									 : 0.001;
	for (; value != 0 && decimals < 9 && fabs(step - round(step)) > 1e-6 * step; step *= 10)
		decimals++;
	snprintf(text, size, "%.*f%s", decimals, value, value == 0 && unit == CHART_NUMBER ? "" : units[i].name);
}

void svg_value(double value, enum chart_unit unit, char *text, size_t size)
{
	write_value(value, value, 0, unit, text, size);
}

void svg_tick(const struct svg_scale *scale, double value, double step, char *text, size_t size)
{
	double largest = fabs(scale->from) > fabs(scale->to) ? scale->from : scale->to;

	if (scale->is_log)
		svg_value(value, scale->unit, text, size);
	else
		write_value(value, largest, step, scale->unit, text, size);
}

/* --- Axes and legends --- */

void svg_title(struct buffer *out, const struct svg_scale *scale, double right, double y, const char *title)
{
	double half = 3.7 * (double)svg_characters(chart_string(title));

	svg_label(out, fmin((scale->start + scale->end) / 2, right - half), y, "d c", title);
}

void svg_x_axis(struct buffer *out, const struct svg_scale *scale, double top, double bottom, const char *title)
{
	double ticks[SVG_TICKS_MAX];
	unsigned int count = svg_ticks(scale, (unsigned int)((scale->end - scale->start) / 55), ticks);
	char text[40];

	for (unsigned int i = 0; i < count; i++) {
		double x = svg_place(scale, ticks[i]);
		svg_line(out, "g", x, top, x, bottom);
		svg_tick(scale, ticks[i], count > 1 ? ticks[1] - ticks[0] : 0, text, sizeof(text));
		bool is_last = x > scale->end - 14;
		svg_label(out, is_last ? scale->end + 8 : x, bottom + 16, is_last ? "d s r" : "d s c", text);
	}
	svg_line(out, "q", scale->start, bottom, scale->end, bottom);
	svg_title(out, scale, scale->end + 8, bottom + 34, title);
}

void svg_y_axis(struct buffer *out, const struct svg_scale *scale, double left, double right, const char *title)
{
	double ticks[SVG_TICKS_MAX];
	unsigned int count = svg_ticks(scale, (unsigned int)((scale->start - scale->end) / 32), ticks);
	char text[40];

	for (unsigned int i = 0; i < count; i++) {
		double y = svg_place(scale, ticks[i]);
		svg_line(out, "g", left, y, right, y);
		svg_tick(scale, ticks[i], count > 1 ? ticks[1] - ticks[0] : 0, text, sizeof(text));
		svg_label(out, left - 6, y + 4, "d s r", text);
	}
	svg_label(out, 0, scale->end - 14, "d", title);
}

double svg_legend(struct buffer *out, double top, double width, const char *const *shapes,
		  const struct chart_text *names, const unsigned int *colours, size_t count)
{
	double key = shapes == svg_as_lines ? 24 : 14;
	double x = 0;
	double y = top;
	const struct shortening by = svg_shortening((struct svg_texts){names, sizeof(*names), count}, 40);

	for (size_t i = 0; i < count; i++) {
		size_t characters = svg_characters(names[i]);
		double wide = key + 7.3 * (double)(characters > by.width ? by.width : characters) + 20;
		if (x > 0 && x + wide > width + 20) {
			x = 0;
			y += 19;
		}
		if (out) {
			if (shapes == svg_as_lines)
				svg_put(out, "<path class=\"l l#\" d=\"M~ ~h20\"/>", colours[i], x, y + 8);
			else
				svg_shape(out, colours[i], x + 6, y + 8, shapes ? shapes[i] : svg_box);
			svg_text(out, x + key + 3, y + 12.5, "", names[i], by);
		}
		x += wide;
	}
	return count ? y + 22 - top : 0;
}
