/* SPDX-License-Identifier: MIT
 *
 * The remarks of compare/remarks.h as HTML. */
#include "report/html.h"
#include "report/sections.h"

static void add_item(const struct report *report, const struct remark_item *item, struct buffer *out)
{
	buffer_printf(out, "<li><strong>%s</strong>: ", item->title);
	for (uint32_t set = 0; set < report->set_count; set++) {
		buffer_text(out, set ? " against " : "");
		report_string(out, item->values[set] ? item->values[set] : "");
	}
	if (item->advice)
		buffer_printf(out, ". %s", item->advice);
	buffer_text(out, "\n");
}

/* Notices that only explain a value are set in plain text. */
static bool is_warning(enum remark_kind kind)
{
	return kind != REMARK_NO_DIFFERENCE && kind != REMARK_GUEST_TIME && kind != REMARK_HOST_LOAD &&
	       kind != REMARK_NO_METADATA;
}

static void add_remark(const struct report *report, const struct remark *remark, struct buffer *out)
{
	buffer_text(out, is_warning(remark->kind) ? "<div class=note><p>" : "<div><p>");
	if (remark->set != REMARK_ALL_SETS) {
		report_label(report, (uint32_t)remark->set, out);
		buffer_text(out, ": ");
	}
	report_string(out, remark->text);
	if (remark->advice)
		buffer_printf(out, " %s", remark->advice);
	buffer_text(out, remark->item_count ? "<ul>\n" : "");
	for (size_t i = 0; i < remark->item_count; i++)
		add_item(report, &remark->items[i], out);
	buffer_text(out, remark->item_count ? "</ul></div>\n" : "</div>\n");
}

void report_remarks(const struct report *report, struct buffer *out)
{
	for (size_t i = 0; i < report->remarks.count; i++)
		add_remark(report, &report->remarks.items[i], out);
}
