/* SPDX-License-Identifier: MIT
 *
 * The summary in words. Every sentence is made of verdicts and figures, and what they do not allow to say is said. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/host_wait_notice.h"
#include "compare/output.h"
#include "compare/tunable_differences.h"
#include "report/html.h"
#include "report/page.h"

/* How workloads stand in one figure of a set against the first. */
struct finding {
	size_t up, down, same, few, none;
	const struct comparison_row *most[2]; /* of those that are up, and down */
};

static const double least_hint = 5; /* percent: what a median alone has to differ by to be told of */

const struct comparison_row *report_row(const struct report *report, size_t workload, enum run_metric metric)
{
	const struct comparison_workload *at = &report->rows.workloads[workload];

	for (size_t i = 0; i < at->row_count; i++)
		if (report->rows.rows[at->first_row + i].metric == metric)
			return &report->rows.rows[at->first_row + i];
	return NULL;
}

static void take(struct finding *finding, const struct comparison_row *row, uint32_t set)
{
	double change = row->cells[set].against.change;
	bool is_down = change < 0;

	(*(is_down ? &finding->down : &finding->up))++;
	const struct comparison_row *most = finding->most[is_down];
	if (!most || fabs(change) > fabs(most->cells[set].against.change))
		finding->most[is_down] = row;
}

/* hints: the medians of too few runs instead. */
static struct finding find(const struct report *report, enum run_metric metric, uint32_t set, bool hints)
{
	struct finding finding = {0};

	for (size_t i = 0; i < report->rows.workload_count; i++) {
		const struct comparison_row *row = report_row(report, i, metric);
		const struct comparison *against = row ? &row->cells[set].against : NULL;
		if (!row || against->verdict == VERDICT_NONE)
			finding.none++;
		else if (against->verdict == VERDICT_TOO_FEW &&
			 !(hints && fabs(against->change) >= least_hint && against->is_percent))
			finding.few++;
		else if (against->verdict == VERDICT_SAME)
			finding.same++;
		else
			take(&finding, row, set);
	}
	return finding;
}

static void add_side(const struct report *report, const struct comparison_row *row, size_t count, uint32_t set,
		     bool is_down, struct buffer *out)
{
	const char *unit = metric_table[row->metric].unit;

	buffer_printf(out, "%s in %zu (", is_down ? "lower" : "higher", count);
	if (count > 1)
		buffer_text(out, "most in ");
	report_string(out, report->rows.workloads[row->workload].name);
	buffer_text(out, ", ");
	report_value(out, row->cells[0].sample.median, "");
	buffer_text(out, " \xe2\x86\x92 ");
	report_value(out, row->cells[set].sample.median, unit);
	buffer_text(out, ")");
}

static bool add_finding(const struct report *report, enum run_metric metric, uint32_t set, bool hints,
			struct buffer *out)
{
	struct finding finding = find(report, metric, set, hints);
	size_t told = finding.up + finding.down;

	if (told == 0)
		return false;
	buffer_printf(out, "<li><strong>%s</strong>: ", metric_table[metric].heading);
	for (int is_down = 0, first = 1; is_down < 2; is_down++) {
		if (!finding.most[is_down])
			continue;
		buffer_text(out, first ? "" : ", ");
		add_side(report, finding.most[is_down], is_down ? finding.down : finding.up, set, is_down, out);
		first = 0;
	}
	if (finding.same)
		buffer_printf(out, "; no difference shown in %zu", finding.same);
	if (told + finding.same < report->rows.workload_count)
		buffer_printf(out, "; of %zu", report->rows.workload_count);
	buffer_text(out, ".\n");
	return true;
}

static void add_findings(const struct report *report, uint32_t set, struct buffer *out)
{
	const struct comparison_count *count = &report->rows.counts[set];
	size_t shown =
	    count->verdicts[VERDICT_BETTER] + count->verdicts[VERDICT_WORSE] + count->verdicts[VERDICT_DIFFERENT];
	size_t told = shown + count->verdicts[VERDICT_SAME];
	bool hints = told == 0;

	buffer_printf(out, "<p>");
	report_label(report, set, out);
	buffer_text(out, " against ");
	report_label(report, 0, out);
	if (hints && count->verdicts[VERDICT_TOO_FEW] == 0) {
		buffer_text(out, ": there is no figure that both have.\n");
		return;
	}
	if (hints)
		buffer_printf(out,
			      ": <strong>too few runs for any verdict</strong>; it takes %d of a workload in each set. "
			      "The medians alone point this way, which chance may have done:",
			      COMPARISON_RUNS_MIN);
	else if (shown == 0)
		buffer_printf(out, ": %zu figures were compared, and no difference was shown.", told);
	else
		buffer_printf(
		    out,
		    ": of %zu figures that were compared, %zu differ: %zu better, %zu worse, %zu where "
		    "neither more nor less is better. By chance alone up to %zu would; %zu stand when that is "
		    "allowed for.",
		    told, shown, count->verdicts[VERDICT_BETTER], count->verdicts[VERDICT_WORSE],
		    count->verdicts[VERDICT_DIFFERENT], (told + 19) / 20, count->significant);
	buffer_text(out, "<ul>\n");
	bool any = false;
	for (size_t i = 0; i < REPORT_KEY_METRICS; i++)
		any |= add_finding(report, report_key_metrics[i], set, hints, out);
	if (!any && (hints || shown))
		buffer_text(out, "<li>None of the main figures does.\n");
	if (!hints && count->verdicts[VERDICT_TOO_FEW])
		buffer_printf(out, "<li>%zu figure%s too few runs for a verdict: nothing is said of %s.\n",
			      count->verdicts[VERDICT_TOO_FEW],
			      count->verdicts[VERDICT_TOO_FEW] == 1 ? " has" : "s have",
			      count->verdicts[VERDICT_TOO_FEW] == 1 ? "it" : "them");
	buffer_text(out, "</ul>\n");
}

/* The workload where the figure is greatest. */
static void add_greatest(const struct report *report, enum run_metric metric, struct buffer *out)
{
	const struct comparison_row *most = NULL, *least = NULL;

	for (size_t i = 0; i < report->rows.workload_count; i++) {
		const struct comparison_row *row = report_row(report, i, metric);
		if (!row || row->cells[0].sample.count == 0)
			continue;
		if (!most || row->cells[0].sample.median > most->cells[0].sample.median)
			most = row;
		if (!least || row->cells[0].sample.median < least->cells[0].sample.median)
			least = row;
	}
	if (!most)
		return;
	buffer_printf(out, "<li><strong>%s</strong>: ", metric_table[metric].heading);
	if (least != most) {
		report_value(out, least->cells[0].sample.median, metric_table[metric].unit);
		buffer_text(out, " (");
		report_string(out, report->rows.workloads[least->workload].name);
		buffer_text(out, ") to ");
	}
	report_value(out, most->cells[0].sample.median, metric_table[metric].unit);
	buffer_text(out, " (");
	report_string(out, report->rows.workloads[most->workload].name);
	buffer_text(out, ")\n");
}

static void add_levels(const struct report *report, struct buffer *out)
{
	buffer_text(out, "<p>Medians over the runs of each workload:<ul>\n");
	for (size_t i = 0; i < REPORT_KEY_METRICS; i++)
		add_greatest(report, report_key_metrics[i], out);
	buffer_text(out, "</ul>\n");
}

static void add_difference(const struct report *report, enum environment_fact fact, struct buffer *out)
{
	char text[200];

	buffer_printf(out, "<li><strong>%s</strong>: ", environment_facts[fact].title);
	for (uint32_t set = 0; set < report->set_count; set++) {
		run_set_fact(&report->sets->items[set], NULL, fact, text, sizeof(text));
		buffer_text(out, set ? " against " : "");
		report_string(out, text);
	}
	buffer_text(out, "\n");
}

static void add_differences_begin(bool same_kernel, bool *any, struct buffer *out)
{
	if (!*any)
		buffer_text(out, same_kernel
				     ? "<div class=note><p>The kernel is the same. What differs:<ul>\n"
				     : "<div class=note><p>The sets differ in more than the kernel, so a difference "
				       "may come from here as well:<ul>\n");
	*any = true;
}

static bool add_tunables(const struct report *report, bool any, struct buffer *out)
{
	for (uint32_t set = 0; set < report->set_count; set++) {
		struct buffer text = {0};
		run_set_tunables(report->sets, set, &text);
		if (text.length) {
			add_differences_begin(true, &any, out);
			buffer_text(out, set ? " against " : "<li><strong>scheduler tunables</strong>: ");
			report_string(out, text.data);
		}
		buffer_free(&text);
	}
	return any;
}

static void add_differences(const struct report *report, struct buffer *out)
{
	bool same_kernel = run_sets_same_kernel(report->sets);
	bool any = false;

	for (int fact = 0; fact < FACT_COUNT; fact++) {
		if (!environment_facts[fact].matters || !run_sets_differ(report->sets, (enum environment_fact)fact))
			continue;
		add_differences_begin(same_kernel, &any, out);
		add_difference(report, (enum environment_fact)fact, out);
	}
	if (same_kernel)
		any = add_tunables(report, any, out);
	if (any)
		buffer_text(out, "</ul></div>\n");
	else
		buffer_text(out, "<p>Nothing else that matters differs between the sets, as far as the runs say "
				 "(<a href=\"#environment\">environment</a>).\n");
}

static void add_unknown(const struct report *report, struct buffer *out)
{
	for (uint32_t set = 0; set < report->set_count; set++) {
		const struct run_set *of = &report->sets->items[set];
		size_t unknown = 0;
		for (size_t i = 0; i < of->count; i++)
			unknown += !of->runs[i].has_metadata;
		if (!unknown)
			continue;
		buffer_text(out, "<p>");
		report_label(report, set, out);
		buffer_printf(out,
			      ": %zu of %zu trace%s. Throughput, HZ, preemption and such are not "
			      "known; all CPUs of the trace count, and tasks of its tracer where the workload is not "
			      "picknext's.\n",
			      unknown, of->count, compare_no_json(of->count, unknown));
	}
}

static bool fact_is(const struct report *report, enum environment_fact fact, const char *value)
{
	char text[200];

	for (uint32_t set = 0; set < report->set_count; set++) {
		run_set_fact(&report->sets->items[set], NULL, fact, text, sizeof(text));
		if (strcmp(text, value) == 0)
			return true;
	}
	return false;
}

static void add_meaning_of_time(const struct report *report, struct buffer *out)
{
	if (fact_is(report, FACT_DETERMINISTIC, "yes"))
		buffer_text(out,
			    "<p>These runs are deterministic: a nanosecond is one instruction of a machine without "
			    "caches, whose CPUs take turns. Order, preemption and slices mean what they do on any "
			    "machine; absolute latencies mean little.\n");
	else if (fact_is(report, FACT_ACCELERATOR, "tcg"))
		buffer_text(out, "<p>Guests were emulated (tcg): shares, causes and orders hold, but absolute "
				 "times are longer than on a real machine, and the host's load is in them.\n");
}

static void add_host_wait(const struct report *report, struct buffer *out)
{
	struct buffer text = {0};

	host_wait_add_notice(report->sets, &text);
	for (char *line = text.length ? strtok(text.data, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		buffer_text(out, line == text.data ? "<p class=note>" : " ");
		report_string(out, line + strspn(line, " "));
	}
	out->failed |= text.failed;
	buffer_free(&text);
}

static void add_quality(const struct report *report, struct buffer *out)
{
	size_t runs = 0, bad = 0, lossy = 0, noted = 0;

	for (uint32_t set = 0; set < report->set_count; set++) {
		const struct run_set *of = &report->sets->items[set];
		runs += of->count;
		for (size_t i = 0; i < of->count; i++) {
			lossy += of->runs[i].is_lossy;
			bad += of->runs[i].grade == QUALITY_BAD;
			noted += of->runs[i].grade == QUALITY_NOTE;
		}
	}
	if (bad || lossy) {
		buffer_printf(out, "<p class=note><strong>Not all of this can be trusted</strong>: of %zu traces ",
			      runs);
		if (lossy)
			buffer_printf(out, "%zu lost events%s", lossy, bad ? " and " : "");
		if (bad)
			buffer_printf(out, "%zu %s bad", bad, bad == 1 ? "is" : "are");
		buffer_text(out, "; see <a href=\"#quality\">quality</a>.\n");
	} else {
		buffer_printf(out, "<p>Nothing was lost in %s%zu trace%s%s.\n", runs > 1 ? "any of " : "", runs,
			      runs == 1 ? "" : "s",
			      noted ? "; what is to be known of some is under <a href=\"#quality\">quality</a>" : "");
	}
}

static void add_missing(const struct report *report, struct buffer *out)
{
	for (uint32_t set = 0; set < report->set_count; set++) {
		size_t missing = 0;
		for (size_t i = 0; i < report->rows.workload_count; i++) {
			if (report->rows.workloads[i].runs[set])
				continue;
			if (missing++ == 0) {
				buffer_text(out, "<p class=note>");
				report_label(report, set, out);
				buffer_text(out, " has no run of ");
			} else {
				buffer_text(out, ", ");
			}
			report_string(out, report->rows.workloads[i].name);
		}
		buffer_text(out, missing ? ": nothing can be compared there.\n" : "");
	}
}

void report_summary(const struct report *report, struct buffer *out)
{
	buffer_text(out, "<section id=summary><h2>Summary</h2>\n");
	if (report->set_count == 1)
		add_levels(report, out);
	for (uint32_t set = 1; set < report->set_count; set++)
		add_findings(report, set, out);
	if (report->sets->taken_as_one) {
		buffer_text(out, "<p>");
		compare_add_taken_as_one(&report->rows, out);
	}
	if (report->set_count > 1)
		add_differences(report, out);
	add_missing(report, out);
	add_unknown(report, out);
	add_meaning_of_time(report, out);
	add_host_wait(report, out);
	add_quality(report, out);
	buffer_text(out, "</section>\n");
}
