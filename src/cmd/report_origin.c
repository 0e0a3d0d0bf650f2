/* SPDX-License-Identifier: MIT
 *
 * Where the report's figures come from: how good each trace is, and the machine that it was made on. */
#include <string.h>

#include "cmd/report_html.h"
#include "cmd/report_page.h"

static void add_bad_runs(const struct report *report, uint32_t set, struct buffer *out)
{
	const struct run_set *of = &report->sets->items[set];

	for (size_t i = 0; i < of->count; i++) {
		const struct recorded_run *run = &of->runs[i];
		if (run->grade == QUALITY_GOOD && !run->is_lossy)
			continue;
		buffer_printf(out, "<tr><th scope=row class=s%u>", (unsigned int)set);
		report_string(out, of->label);
		buffer_text(out, "<td class=t>");
		report_string(out, run->id);
		buffer_printf(out, "<td class=\"t %s\">%s<td class=long>", run->grade == QUALITY_BAD ? "worse" : "",
			      quality_grade_text(run->grade));
		report_string(out, run->finding);
	}
}

void report_quality(const struct report *report, struct buffer *out)
{
	size_t noted = 0;
	uint64_t events = 0;
	size_t runs = 0;

	for (uint32_t set = 0; set < report->set_count; set++) {
		const struct run_set *of = &report->sets->items[set];
		for (size_t i = 0; i < of->count; i++) {
			noted += of->runs[i].grade != QUALITY_GOOD || of->runs[i].is_lossy;
			events += of->runs[i].events;
			runs++;
		}
	}
	buffer_printf(out, "<section id=quality><h2>Quality</h2><p>%zu trace%s, ", runs, runs == 1 ? "" : "s");
	report_count(out, events);
	buffer_text(out, " events. ");
	if (noted == 0) {
		buffer_text(out, "All are good: nothing lost, nothing out of order, no contradictions.\n</section>\n");
		return;
	}
	buffer_printf(out, "Of %zu something is to be known:\n", noted);
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>set<th scope=col class=t>run<th scope=col class=t>trace is<th scope=col "
			 "class=t>because</thead><tbody>");
	for (uint32_t set = 0; set < report->set_count; set++)
		add_bad_runs(report, set, out);
	report_table_end(out);
	buffer_text(out, "</section>\n");
}

/* How many runs of the set say the same as this one; 0 where one before it did. */
static size_t alike(const struct run_set *set, size_t at, enum environment_fact fact)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (strcmp(set->runs[i].facts[fact], set->runs[at].facts[fact]) != 0)
			continue;
	}
	return count;
}

