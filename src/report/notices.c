/* SPDX-License-Identifier: MIT
 *
 * The notices of compare/remarks.h as HTML. */
#include "report/html.h"
#include "report/sections.h"

static void add_item(const struct report *report, const struct notice_item *item, struct buffer *out)
{
	buffer_printf(out, "<li><strong>%s</strong>: ", item->title);
	for (uint32_t set = 0; set < report->set_count; set++) {
		buffer_text(out, set ? " against " : "");
		report_string(out, item->values[set] ? item->values[set] : "");
	}
	if (item->remark)
		buffer_printf(out, ". %s", item->remark);
	buffer_text(out, "\n");
}

/* Notices that only explain a value are set in plain text. */
static bool is_warning(enum notice_kind kind)
{
	return kind != NOTICE_NO_DIFFERENCE && kind != NOTICE_GUEST_TIME && kind != NOTICE_HOST_LOAD &&
	       kind != NOTICE_NO_METADATA;
}

static void add_notice(const struct report *report, const struct notice *notice, struct buffer *out)
{
	buffer_text(out, is_warning(notice->kind) ? "<div class=note><p>" : "<div><p>");
	if (notice->set != NOTICE_ALL_SETS) {
		report_label(report, (uint32_t)notice->set, out);
		buffer_text(out, ": ");
	}
	report_string(out, notice->text);
	if (notice->remark)
		buffer_printf(out, " %s", notice->remark);
	buffer_text(out, notice->item_count ? "<ul>\n" : "");
	for (size_t i = 0; i < notice->item_count; i++)
		add_item(report, &notice->items[i], out);
	buffer_text(out, notice->item_count ? "</ul></div>\n" : "</div>\n");
}

void report_notices(const struct report *report, struct buffer *out)
{
	for (size_t i = 0; i < report->notices.count; i++)
		add_notice(report, &report->notices.items[i], out);
}
