/* SPDX-License-Identifier: MIT
 *
 * The sections about the traces: their quality, and the machines that they were recorded on. */
#include <string.h>

#include "compare/run_facts.h"
#include "report/html.h"
#include "report/sections.h"

/* The traces that are bad, or those with a note. */
static void add_doubtful_runs(const struct report *report, bool bad, struct buffer *out)
{
	report_table_begin(out, NULL);
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

static bool is_alike(const struct run_set *set, size_t a, size_t b, enum environment_fact fact)
{
	const char *first = compared_fact(&set->runs[a], fact), *second = compared_fact(&set->runs[b], fact);

	return first && second ? strcmp(first, second) == 0 : first == second;
}

/* A value that differs between runs of the set, with the runs that have it. */
static void add_value(const struct run_set *set, size_t at, enum environment_fact fact, struct buffer *out)
{
	enum { NAMED = 3 };
	size_t count = 0;

	report_string(out, compared_fact(&set->runs[at], fact) ? compared_fact(&set->runs[at], fact) : "unknown");
	buffer_text(out, " <span class=\"dim small\">(");
	for (size_t i = at; i < set->count; i++) {
		if (!is_alike(set, at, i, fact) || count++ >= NAMED)
			continue;
		buffer_text(out, count > 1 ? ", " : "");
		report_string(out, set->runs[i].id);
	}
	if (count > NAMED)
		buffer_printf(out, " and %zu more", count - NAMED);
	buffer_text(out, ")</span>");
}

static void add_fact(const struct run_set *set, enum environment_fact fact, struct buffer *out)
{
	enum { SHOWN = 4 };
	size_t distinct = 0;

	buffer_text(out, "<td class=long>");
	for (size_t i = 0; i < set->count; i++) {
		size_t before = 0;
		while (before < i && !is_alike(set, before, i, fact))
			before++;
		distinct += before == i;
	}
	if (distinct == 1) {
		report_string(out, compared_fact(&set->runs[0], fact) ? compared_fact(&set->runs[0], fact) : "unknown");
		return;
	}
	if (distinct > SHOWN)
		buffer_printf(out, "<details class=f><summary>%zu, by run</summary>", distinct);
	for (size_t i = 0; i < set->count; i++) {
		size_t before = 0;
		while (before < i && !is_alike(set, before, i, fact))
			before++;
		if (before < i)
			continue;
		buffer_text(out, "<div>");
		add_value(set, i, fact, out);
		buffer_text(out, "</div>");
	}
	if (distinct > SHOWN)
		buffer_text(out, "</details>");
}

static bool is_known(const struct report *report, enum environment_fact fact)
{
	for (uint32_t set = 0; set < report->set_count; set++)
		for (size_t i = 0; i < report->sets.items[set].count; i++)
			if (compared_fact(&report->sets.items[set].runs[i], fact))
				return true;
	return false;
}

static void add_runs(const struct run_set *set, struct buffer *out)
{
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>run<th scope=col>number<th scope=col>events<th scope=col>length<th "
			 "scope=col class=t>trace</thead><tbody>");
	for (size_t i = 0; i < set->count; i++) {
		const struct run *run = &set->runs[i];
		char failure[RUN_FAILURE_SIZE];
		buffer_text(out, "<tr><th scope=row>");
		report_string(out, run->id);
		report_cell_count(out, run->number);
		report_cell_count(out, run->results->events);
		report_cell_duration(out, (double)run->results->whole.duration_ns);
		buffer_printf(out, "<td class=t>%s", quality_grade_text(run->results->grade));
		if (run->metadata.scheduler.ejection)
			buffer_text(out, ", <span class=worse>scheduler ejected</span>");
		else if (run_failure(&run->metadata, failure))
			buffer_printf(out, ", <span class=worse>exit code %d</span>", run->metadata.command.exit_code);
	}
	report_table_end(out);
}

void report_environment(const struct report *report, struct buffer *out)
{
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>fact");
	for (uint32_t set = 0; set < report->set_count; set++)
		report_set_heading(report, set, "", out);
	buffer_text(out, "</thead><tbody>");
	for (enum environment_fact fact = 0; fact < COMPARED_FACTS; fact++) {
		if (!is_known(report, fact))
			continue;
		bool differs = report->set_count > 1 && run_sets_differ(&report->sets, fact);
		buffer_printf(out, "<tr><th scope=row>%s%s", compared_field(fact)->title,
			      differs ? " <span class=different>differs</span>" : "");
		for (uint32_t set = 0; set < report->set_count; set++)
			add_fact(&report->sets.items[set], fact, out);
	}
	report_table_end(out);
	for (uint32_t set = 0; set < report->set_count; set++) {
		buffer_text(out, "<details class=f><summary>All runs of ");
		report_label(report, set, out);
		buffer_text(out, "</summary>\n");
		add_runs(&report->sets.items[set], out);
		buffer_text(out, "</details>\n");
	}
}
