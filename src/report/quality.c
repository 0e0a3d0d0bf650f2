/* SPDX-License-Identifier: MIT
 *
 * The section about the quality of the traces. */
#include "report/sections.h"

#include "report/html.h"

/* Lists the bad traces, or those with a note. */
static void add_doubtful_runs(const struct report *report, bool bad, struct buffer *out)
{
	report_table_begin(out);
	buffer_text(out, "<th scope=col class=t>set<th scope=col class=t>run<th scope=col class=t>quality<th scope=col "
			 "class=t>finding</thead><tbody>");
	for (uint32_t set = 0; set < report->set_count; set++) {
		const struct run_set *run_set = &report->sets.items[set];
		for (size_t i = 0; i < run_set->count; i++) {
			const struct run *run = &run_set->runs[i];
			if (run->results->grade == QUALITY_GOOD || (run->results->grade == QUALITY_BAD) != bad)
				continue;
			buffer_text(out, "<tr><th scope=row>");
			report_label(report, set, out);
			buffer_text(out, "<td class=t>");
			report_string(out, run->id);
			buffer_printf(out, "<td class=\"t%s\">%s<td class=long>", bad ? " worse" : "",
				      quality_grade_text(run->results->grade));
			report_string(out, run->results->finding);
		}
	}
	report_table_end(out);
}

void report_quality(const struct report *report, struct buffer *out)
{
	size_t runs = 0, counts[QUALITY_BAD + 1] = {0};
	uint64_t events = 0;

	for (uint32_t set = 0; set < report->set_count; set++) {
		const struct run_set *run_set = &report->sets.items[set];
		for (size_t i = 0; i < run_set->count; i++) {
			counts[run_set->runs[i].results->grade]++;
			events += run_set->runs[i].results->events;
			runs++;
		}
	}
	buffer_printf(out, "<p>%zu trace%s, ", runs, runs == 1 ? "" : "s");
	report_count(out, events);
	buffer_printf(out, " events: %zu good, %zu usable, %zu not trustworthy.\n", counts[QUALITY_GOOD],
		      counts[QUALITY_NOTE], counts[QUALITY_BAD]);
	if (counts[QUALITY_BAD])
		add_doubtful_runs(report, true, out);
	if (counts[QUALITY_NOTE]) {
		buffer_text(out, "<details class=f><summary>Findings in usable traces</summary>");
		add_doubtful_runs(report, false, out);
		buffer_text(out, "</details>");
	}
}
