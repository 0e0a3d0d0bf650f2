/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "report/chart/svg.h"

void report_string(struct buffer *out, const char *text)
{
	chart_escape(out, text, strlen(text));
}

void report_sentence(struct buffer *out, const char *text)
{
	for (const char *arrow; (arrow = strstr(text, "->")); text = arrow + 2) {
		chart_escape(out, text, (size_t)(arrow - text));
		buffer_text(out, "\xe2\x86\x92");
	}
	report_string(out, text);
}

void report_label(const struct report *report, uint32_t set, struct buffer *out)
{
	buffer_printf(out, "<span class=\"set s%u\">", (unsigned int)set);
	report_string(out, report->sets.items[set].label);
	buffer_text(out, "</span>");
}

void report_tag(const struct report *report, uint32_t set, struct buffer *out)
{
	buffer_printf(out, "<abbr class=\"set s%u\" title=\"", (unsigned int)set);
	report_string(out, report->sets.items[set].label);
	buffer_printf(out, "\">%c</abbr>", 'A' + (int)set);
}

void report_title_set(const struct report *report, uint32_t set, unsigned int characters, char title[CHART_TITLE_SIZE])
{
	char labels[REPORT_SETS_MAX][SHORTEN_SIZE], label[SHORTEN_SIZE];
	struct buffer text = {0};
	const size_t used = strlen(title), around = strlen("B : ");

	if (report->set_count < 2)
		return;
	for (uint32_t i = 0; i < report->set_count; i++)
		snprintf(labels[i], SHORTEN_SIZE, "%s", report->sets.items[i].label);
	snprintf(label, sizeof(label), "%s", labels[set]);
	const unsigned int room = characters > used + around ? characters - (unsigned int)(used + around) : 1;
	const struct shortening by = shorten_distinct(labels, report->set_count, room, SHORTEN_SIZE);
	shorten(label, by.width > room ? svg_middle(room) : by, labels[0]);
	buffer_printf(&text, "%c %s: %s", 'A' + (int)set, labels[0], title);
	snprintf(title, CHART_TITLE_SIZE, "%s", text.data);
	buffer_free(&text);
}

void report_set_heading(const struct report *report, uint32_t set, const char *more, struct buffer *out)
{
	buffer_text(out, "<th scope=col class=k>");
	report_label(report, set, out);
	buffer_text(out, more);
}

/* Three significant digits. */
static void add_real(struct buffer *out, double value)
{
	if (value >= 999.5 && value < 1e15)
		report_count(out, (uint64_t)(value + 0.5));
	else if (value < 0.9995)
		buffer_printf(out, "%#.3g", value);
	else
		buffer_printf(out, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

static const char *shown_unit(const char *unit)
{
	return strcmp(unit, "us") == 0 ? "\xc2\xb5s" : unit;
}

void report_value(struct buffer *out, double value, const char *unit)
{
	if (isnan(value)) {
		buffer_text(out, "\xe2\x80\x93");
		return;
	}
	buffer_text(out, value < 0 ? "\xe2\x88\x92" : "");
	value = fabs(value);
	if (value == 0 || (value == floor(value) && value < 1000))
		buffer_printf(out, "%.0f", value);
	else
		add_real(out, value);
	if (*unit)
		buffer_printf(out, "%s%s", *unit == '/' ? "" : "\xc2\xa0", shown_unit(unit));
}

static bool is_factor(double change, const char *unit)
{
	return *unit == '%' && change >= 1000 && !isinf(change);
}

static bool is_zero_change(double size, const char *unit)
{
	return size < (*unit == '%' ? 0.05 : 1e-9);
}

void report_change(struct buffer *out, double change, const char *unit)
{
	if (isnan(change)) {
		buffer_text(out, "\xe2\x80\x93");
		return;
	}
	if (!is_zero_change(fabs(change), unit) && !is_factor(change, unit))
		buffer_text(out, change < 0 ? "\xe2\x88\x92" : "+");
	report_change_size(out, fabs(change), unit);
}

void report_change_size(struct buffer *out, double size, const char *unit)
{
	bool is_zero = is_zero_change(size, unit);

	if (is_factor(size, unit)) {
		buffer_text(out, "\xc3\x97");
		report_value(out, 1 + size / 100, "");
		return;
	}
	if (isinf(size))
		buffer_text(out, "\xe2\x88\x9e");
	else if (*unit == '%' && !is_zero)
		buffer_printf(out, "%.*f", size < 9.95 ? 1 : 0, size);
	else
		report_value(out, is_zero ? 0 : size, "");
	if (*unit)
		buffer_printf(out, "%s%s", *unit == '/' ? "" : "\xc2\xa0", shown_unit(unit));
}

void report_duration(struct buffer *out, double ns)
{
	static const struct {
		double above, ns;
		const char *unit;
	} units[] = {{999.5e6, 1e9, "s"}, {999.5e3, 1e6, "ms"}, {999.5, 1e3, "\xc2\xb5s"}, {-1, 1, "ns"}};
	size_t i = 0;

	if (ns == 0) {
		buffer_text(out, "0");
		return;
	}
	while (ns < units[i].above && i < 3)
		i++;
	ns /= units[i].ns;
	if (i == 3 || (ns == floor(ns) && ns < 1000))
		buffer_printf(out, "%.0f", ns);
	else
		add_real(out, ns);
	buffer_printf(out, "\xc2\xa0%s", units[i].unit);
}

void report_count(struct buffer *out, uint64_t count)
{
	char digits[DECIMAL_ROOM];
	size_t length = (size_t)(decimal_put(digits, count) - digits);

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buffer_text(out, ",");
		buffer_add(out, digits + i, 1);
	}
}

void report_table_begin(struct buffer *out)
{
	buffer_text(out, "<div class=scroll tabindex=0><table><thead><tr>");
}

void report_table_end(struct buffer *out)
{
	buffer_text(out, "</tbody></table></div>\n");
}

void report_cell_count(struct buffer *out, uint64_t count)
{
	buffer_text(out, "<td>");
	report_count(out, count);
}

void report_cell_duration(struct buffer *out, double ns)
{
	buffer_text(out, "<td>");
	report_duration(out, ns);
}

void report_cell_share(struct buffer *out, double part, double whole)
{
	if (whole > 0)
		buffer_printf(out, "<td>%.1f %%", part * 100 / whole);
	else
		buffer_text(out, "<td>\xe2\x80\x93");
}
