/* SPDX-License-Identifier: MIT
 *
 * The summary in words, derived only from verdicts and medians. */
#include "report/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/comparison_text.h"
#include "compare/run_facts.h"
#include "report/html.h"

/* For one metric: the number of workloads in which a set changed in each direction against the first set. */
struct finding {
	size_t up, down, equal, negligible, unclear, few, none;
	const struct comparison_row *max[2]; /* rows of the largest change up, and down */
};

static const double hint_min = 5; /* percent: smaller changes of medians without verdicts are not mentioned */

static void count_change(struct finding *finding, const struct comparison_row *row, uint32_t set)
{
	double change = row->cells[set].against.change;
	bool is_down = change < 0;

	(*(is_down ? &finding->down : &finding->up))++;
	const struct comparison_row *max = finding->max[is_down];
	if (!max || fabs(change) > fabs(max->cells[set].against.change))
		finding->max[is_down] = row;
}

/* The number of workloads with runs in both sets. */
static size_t count_shared(const struct report *report, uint32_t set)
{
	size_t count = 0;

	for (size_t i = 0; i < report->rows.workload_count; i++)
		count += report->rows.workloads[i].runs[0] && report->rows.workloads[i].runs[set];
	return count;
}

/* hints: also count medians of too few runs. */
static struct finding count_changes(const struct report *report, const struct metric *metric, uint32_t set, bool hints)
{
	struct finding finding = {0};

	for (size_t i = 0; i < report->rows.workload_count; i++) {
		const struct comparison_row *row =
		    comparison_find_row(&report->rows, &report->rows.workloads[i], metric);
		const struct comparison *against = row ? &row->cells[set].against : NULL;
		if (!row || against->verdict <= VERDICT_NOT_EXERCISED)
			finding.none++;
		else if (against->verdict == VERDICT_TOO_FEW &&
			 !(hints && fabs(against->change) >= hint_min && against->is_percent))
			finding.few++;
		else if (against->verdict == VERDICT_EQUAL)
			finding.equal++;
		else if (against->verdict == VERDICT_NEGLIGIBLE)
			finding.negligible++;
		else if (against->verdict == VERDICT_UNCLEAR)
			finding.unclear++;
		else
			count_change(&finding, row, set);
	}
	return finding;
}

static void add_side(const struct report *report, const struct comparison_row *row, size_t count, uint32_t set,
		     bool is_down, struct buffer *out)
{
	const char *unit = row->metric->unit;

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

static bool add_finding(const struct report *report, const struct metric *metric, uint32_t set, bool hints,
			struct buffer *out)
{
	struct finding finding = count_changes(report, metric, set, hints);
	const size_t changed = finding.up + finding.down, shared = count_shared(report, set);

	if (changed == 0)
		return false;
	buffer_printf(out, "<li><strong>%s</strong>: ", metric->heading);
	for (int is_down = 0, first = 1; is_down < 2; is_down++) {
		if (!finding.max[is_down])
			continue;
		buffer_text(out, first ? "" : ", ");
		add_side(report, finding.max[is_down], is_down ? finding.down : finding.up, set, is_down, out);
		first = 0;
	}
	if (finding.equal)
		buffer_printf(out, "; equal in %zu", finding.equal);
	if (finding.negligible)
		buffer_printf(out, "; negligible in %zu", finding.negligible);
	if (finding.unclear)
		buffer_printf(out, "; unclear in %zu", finding.unclear);
	if (changed + finding.equal + finding.negligible + finding.unclear < shared)
		buffer_printf(out, "; of %zu", shared);
	buffer_text(out, ".\n");
	return true;
}

static void add_counts(const struct comparison_count *count, size_t tested, size_t shown, struct buffer *out)
{
	if (tested == 0) {
		buffer_printf(
		    out,
		    "<strong>too few runs for any verdict</strong>; a verdict needs %d of a workload in each set. "
		    "These medians differ, possibly by chance:",
		    COMPARISON_RUNS_MIN);
		return;
	}
	if (shown == 0) {
		buffer_printf(out, "%zu metrics compared: %zu equal, %zu negligible, %zu unclear.", tested,
			      count->verdicts[VERDICT_EQUAL], count->verdicts[VERDICT_NEGLIGIBLE],
			      count->verdicts[VERDICT_UNCLEAR]);
		return;
	}
	compare_add_difference_count(count, false, out);
	buffer_printf(out,
		      " Verdicts: %zu better, %zu worse, %zu different (neither direction is better), %zu equal, "
		      "%zu negligible, %zu unclear.",
		      count->verdicts[VERDICT_BETTER], count->verdicts[VERDICT_WORSE],
		      count->verdicts[VERDICT_DIFFERENT], count->verdicts[VERDICT_EQUAL],
		      count->verdicts[VERDICT_NEGLIGIBLE], count->verdicts[VERDICT_UNCLEAR]);
}

static void add_findings(const struct report *report, uint32_t set, struct buffer *out)
{
	const struct comparison_count *count = &report->rows.counts[set];
	size_t few = count->verdicts[VERDICT_TOO_FEW];
	size_t shown = comparison_count_differing(count), tested = comparison_count_tested(count);
	bool any = false;

	buffer_text(out, "<p>");
	report_label(report, set, out);
	buffer_text(out, " against ");
	report_label(report, 0, out);
	if (tested + few == 0) {
		buffer_text(out, count->verdicts[VERDICT_NOT_AFFECTED]
				     ? ": not affected, the traces are the same at each seed.\n"
				     : ": no metric in both sets.\n");
		return;
	}
	buffer_text(out, ": ");
	add_counts(count, tested, shown, out);
	buffer_text(out, "<ul>\n");
	for (size_t i = 0; i < report->column_count; i++)
		any |= add_finding(report, report->columns[i], set, tested == 0, out);
	if (!any && (tested == 0 || shown))
		buffer_text(out, "<li>No main metric differs.\n");
	if (tested && few)
		buffer_printf(out, "<li>%zu metric%s too few runs for a verdict.\n", few, few == 1 ? " has" : "s have");
	buffer_text(out, "</ul>\n");
}

/* The workloads with the smallest and the largest median of a metric. */
static void add_range(const struct report *report, const struct metric *metric, struct buffer *out)
{
	const struct comparison_row *max = NULL, *min = NULL;

	for (size_t i = 0; i < report->rows.workload_count; i++) {
		const struct comparison_row *row =
		    comparison_find_row(&report->rows, &report->rows.workloads[i], metric);
		if (!row || row->cells[0].sample.count == 0)
			continue;
		if (!max || row->cells[0].sample.median > max->cells[0].sample.median)
			max = row;
		if (!min || row->cells[0].sample.median < min->cells[0].sample.median)
			min = row;
	}
	if (!max)
		return;
	buffer_printf(out, "<li><strong>%s</strong>: ", metric->heading);
	if (min != max) {
		report_value(out, min->cells[0].sample.median, metric->unit);
		buffer_text(out, " (");
		report_string(out, report->rows.workloads[min->workload].name);
		buffer_text(out, ") to ");
	}
	report_value(out, max->cells[0].sample.median, metric->unit);
	buffer_text(out, " (");
	report_string(out, report->rows.workloads[max->workload].name);
	buffer_text(out, ")\n");
}

/* Names the facts that differ between the sets, except those that differ with every kernel. */
static void add_other_facts(const struct report *report, struct buffer *out)
{
	char value[512];
	size_t count = 0;

	for (enum environment_fact fact = 0; fact < COMPARED_FACTS; fact++) {
		if (compared_field(fact)->effect == FACT_OF_BUILD || !run_sets_differ(&report->sets, fact))
			continue;
		buffer_text(out, count++ ? "" : "<p>Besides the kernel, these differ between the sets:<ul>\n");
		buffer_printf(out, "<li><strong>%s</strong>: ", compared_field(fact)->title);
		for (uint32_t set = 0; set < report->set_count; set++) {
			run_set_fact(&report->sets.items[set], NULL, fact, value, sizeof(value));
			buffer_text(out, set ? " against " : "");
			report_string(out, value);
		}
		buffer_text(out, "\n");
	}
	buffer_text(out, count ? "</ul>\n" : "<p>No other known setting differs between the sets.\n");
}

/* Reports that the traces have no loss and that settings do not differ, unless remarks say otherwise. */
static void add_all_clear(const struct report *report, struct buffer *out)
{
	size_t runs = 0, noted = 0;

	if (report->set_count > 1 && !remarks_have(&report->remarks, REMARK_DIFFERENCES) &&
	    !remarks_have(&report->remarks, REMARK_NO_DIFFERENCE))
		add_other_facts(report, out);
	if (remarks_have(&report->remarks, REMARK_DOUBTFUL)) {
		buffer_text(out, "<p class=note><strong>Not all traces are trustworthy</strong>; see <a "
				 "href=\"#quality\">quality</a>.\n");
		return;
	}
	for (uint32_t set = 0; set < report->set_count; set++) {
		const struct run_set *run_set = &report->sets.items[set];
		runs += run_set->count;
		for (size_t i = 0; i < run_set->count; i++)
			noted += run_set->runs[i].results->grade == QUALITY_NOTE;
	}
	buffer_printf(out, "<p>No events lost in %zu trace%s", runs, runs == 1 ? "" : "s");
	if (noted)
		buffer_printf(out, "; %zu %s notes under <a href=\"#quality\">quality</a>", noted,
			      noted == 1 ? "has" : "have");
	buffer_text(out, ".\n");
}

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

/* Adds the lines of one set. An indented line continues the previous one. */
static void add_decisions(const struct report *report, uint32_t set, char *lines, struct buffer *out)
{
	for (char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (*line == ' ') {
			buffer_text(out, "<br>");
		} else {
			buffer_text(out, "<p>");
			report_label(report, set, out);
			buffer_text(out, ": ");
		}
		report_string(out, line);
		buffer_text(out, "\n");
	}
}

/* Adds the faults of the kernels, the share of the decisions that follow the published rule, and other broken rules. */
static void add_rules(const struct report *report, struct buffer *out)
{
	struct buffer lines = {0};
	bool any = false;

	for (uint32_t set = 0; set < report->set_count; set++) {
		buffer_clear(&lines);
		run_set_add_faults(&report->sets.items[set], NULL, &lines);
		reach_add_lines(&report->sets.items[set].reach, NULL, &lines);
		if (lines.length)
			add_decisions(report, set, lines.data, out);
	}
	for (uint32_t set = 0; set < report->set_count; set++) {
		buffer_clear(&lines);
		run_set_add_decisions(&report->sets.items[set], NULL, &lines);
		any |= lines.length > 0;
		if (lines.length)
			add_decisions(report, set, lines.data, out);
	}
	if (any)
		buffer_text(out, "<p>The timelines show the candidates of each switch with their keys; <code>picknext "
				 "check-rule</code> and <code>why</code> show all decisions.\n");
	buffer_free(&lines);
}

/* The first lines of compare: what is worse or better, by workload. */
static void add_main_findings(const struct report *report, struct buffer *out)
{
	const struct compare_output output = {.rows = &report->rows};
	struct remark_lines lines = {0};

	compare_add_findings(&output, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		buffer_text(out, "<p>");
		report_sentence(out, lines.items[i].text);
		buffer_text(out, "\n");
	}
	remark_lines_free(&lines);
}

/* Remarks that are warnings. The others explain the results and are set in plain text. */
static const bool is_warning[] = {
    [REMARK_DIFFERENCES] = true,  [REMARK_TASKS] = true,          [REMARK_HOST_WAIT] = true,
    [REMARK_MISSING_RUNS] = true, [REMARK_WHOLE_RUNS] = true,     [REMARK_DOUBTFUL] = true,
    [REMARK_FOLLOWED] = true,     [REMARK_LACKS_SWITCHES] = true, [REMARK_NO_METADATA] = false,
};

static void add_remark(const struct report *report, const struct remark *remark, struct buffer *out)
{
	buffer_text(out, is_warning[remark->kind] ? "<div class=note><p>" : "<div><p>");
	if (remark->set != REMARK_ALL_SETS) {
		report_label(report, (uint32_t)remark->set, out);
		buffer_text(out, ": ");
	}
	report_sentence(out, remark->text);
	if (remark->advice)
		buffer_printf(out, " %s", remark->advice);
	if (remark->command) {
		buffer_text(out, " <code>");
		report_string(out, remark->command);
		buffer_text(out, "</code>");
	}
	buffer_text(out, remark->item_count ? "<ul>\n" : "");
	for (size_t i = 0; i < remark->item_count; i++)
		add_item(report, &remark->items[i], out);
	buffer_text(out, remark->item_count ? "</ul></div>\n" : "</div>\n");
}

void report_summary(const struct report *report, struct buffer *out)
{
	add_rules(report, out);
	if (report->set_count == 1) {
		buffer_text(out, "<p>Medians over the runs of each workload:<ul>\n");
		for (size_t i = 0; i < report->column_count; i++)
			add_range(report, report->columns[i], out);
		buffer_text(out, "</ul>\n");
	}
	add_main_findings(report, out);
	for (uint32_t set = 1; set < report->set_count; set++)
		add_findings(report, set, out);
	for (size_t i = 0; i < report->remarks.count; i++)
		add_remark(report, &report->remarks.items[i], out);
	add_all_clear(report, out);
}
