/* SPDX-License-Identifier: MIT */
#include "compare/comparison_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "compare/metric_text.h"
#include "compare/remarks.h"
#include "compare/run_set.h"

bool compare_wants_row(const struct compare_output *output, const struct comparison_row *row)
{
	const struct comparison_workload *workload = &output->rows->workloads[row->workload];
	bool has_value = false, has_changed = false;
	unsigned int sets = 0;

	for (size_t set = 0; set < output->rows->sets->count; set++) {
		has_value = has_value || row->cells[set].sample.max > 0 || row->cells[set].sample.min < 0;
		sets += workload->runs[set] > 0;
		has_changed = has_changed || row->cells[set].against.verdict >= VERDICT_BETTER;
	}
	if (row->is_excluded && !output->all)
		return false;
	if (output->changed)
		return has_changed;
	return output->all || (has_value && sets > 1 && comparison_is_exercised(output->rows, row));
}

void compare_add_name(struct buffer *out, const char *name)
{
	escape_line_add(name, strlen(name), out);
}

/* --- Findings --- */

enum { FINDINGS_MAX = 3, FINDING_LINES = 8 };

/* What has been said of a workload of a set. */
struct findings {
	const char *said[FINDINGS_MAX];
	size_t count;
};

/* NULL: a value of vm --value, whose name says all. */
static const char *words_of(const struct comparison_row *row, bool is_less)
{
	return is_less ? row->metric->less : row->metric->more;
}

static bool are_same(const char *words, const char *others)
{
	return words && others && strcmp(words, others) == 0;
}

static bool is_less(const struct comparison_row *row, size_t set)
{
	return row->cells[set].against.change < 0;
}

static void add_values(const struct comparison_row *row, size_t set, struct buffer *out)
{
	const struct metric_scale scale = metric_scale_of(row);
	char from[METRIC_TEXT_SIZE], to[METRIC_TEXT_SIZE], change[METRIC_TEXT_SIZE];

	buffer_printf(out, "%s %s -> %s, %s", row->metric->heading,
		      metric_value_text(row->cells[0].sample.median, &scale, from),
		      metric_value_text(row->cells[set].sample.median, &scale, to),
		      change_text(&row->cells[set].against, &scale, change));
}

static bool is_finding(const struct comparison_row *row, size_t set, enum comparison_verdict verdict)
{
	const struct comparison_cell *cell = &row->cells[set];

	return cell->against.verdict == verdict && cell->is_significant && !row->is_excluded;
}

/* The first metric of the workload that says the opposite in words, such as a mean beside a maximum; or NULL. */
static const struct comparison_row *find_opposite(const struct comparison_rows *rows, const struct comparison_row *row,
						  size_t set, enum comparison_verdict verdict)
{
	const struct comparison_workload *workload = &rows->workloads[row->workload];

	for (size_t i = 0; i < workload->row_count; i++) {
		const struct comparison_row *other = &rows->rows[workload->first_row + i];
		if (is_finding(other, set, verdict == VERDICT_WORSE ? VERDICT_BETTER : VERDICT_WORSE) &&
		    are_same(words_of(other, !is_less(other, set)), words_of(row, is_less(row, set))))
			return other;
	}
	return NULL;
}

static bool is_said(const struct findings *findings, const char *words)
{
	for (size_t i = 0; i < findings->count; i++)
		if (are_same(findings->said[i], words))
			return true;
	return false;
}

/* Only the first of metrics that mean the same in words is named, with the first that contradicts it. */
static void add_verdicts_of(const struct comparison_rows *rows, const struct comparison_workload *workload, size_t set,
			    enum comparison_verdict verdict, size_t max, struct findings *findings, struct buffer *out)
{
	for (size_t i = 0; i < workload->row_count && findings->count < max; i++) {
		const struct comparison_row *row = &rows->rows[workload->first_row + i], *other;
		const char *words = words_of(row, is_less(row, set));
		if (!is_finding(row, set, verdict) || is_said(findings, words) ||
		    is_said(findings, words_of(row, !is_less(row, set))))
			continue;
		findings->said[findings->count++] = words;
		buffer_printf(out, "%s%s (", out->length ? "; " : "",
			      words               ? words
			      : is_less(row, set) ? "lower"
						  : "higher");
		add_values(row, set, out);
		other = find_opposite(rows, row, set, verdict);
		if (other) {
			buffer_text(out, "; but ");
			add_values(other, set, out);
		}
		buffer_text(out, ")");
	}
}

void run_set_add_decisions(const struct run_set *set, const char *label, struct buffer *text)
{
	struct rules_findings sum = {.account.decisions = 0};
	char **paths = xcalloc(set->count + 1, sizeof(*paths));

	for (size_t i = 0; i < set->count; i++) {
		paths[i] = set->runs[i].path;
		rules_findings_sum(&sum, &set->runs[i].results->rules, (uint32_t)i);
	}
	if (sum.account.decisions)
		rules_findings_text(&sum, label, paths, text);
	free(paths);
}

void compare_add_decisions(const struct compare_output *output, struct remark_lines *lines)
{
	struct buffer text = {0}, line = {0};

	for (size_t set = 0; set < output->rows->sets->count; set++)
		run_set_add_decisions(&output->rows->sets->items[set], output->rows->sets->items[set].label, &text);
	for (const char *at = text.data, *end; at && (end = strchr(at, '\n')); at = end + 1) {
		const size_t indent = strspn(at, " ");
		buffer_add(&line, at + indent, (size_t)(end - at) - indent);
		remark_lines_add(lines, (unsigned int)indent, &line);
	}
	buffer_free(&text);
}

void compare_add_findings(const struct compare_output *output, struct remark_lines *lines)
{
	const struct comparison_rows *rows = output->rows;
	struct buffer text = {0}, found = {0};

	for (size_t set = 1; set < rows->sets->count; set++) {
		size_t line_count = 0;
		for (size_t i = 0; i < rows->workload_count && line_count < FINDING_LINES; i++) {
			const struct comparison_workload *workload = &rows->workloads[i];
			struct findings findings = {.count = 0};
			add_verdicts_of(rows, workload, set, VERDICT_WORSE, FINDINGS_MAX - 1, &findings, &found);
			add_verdicts_of(rows, workload, set, VERDICT_BETTER, FINDINGS_MAX, &findings, &found);
			if (!found.length)
				continue;
			line_count++;
			compare_add_name(&text, rows->sets->items[set].label);
			buffer_text(&text, ", ");
			compare_add_name(&text, workload->name);
			buffer_printf(&text, ": %s", found.data);
			remark_lines_add(lines, 0, &text);
			buffer_clear(&found);
		}
	}
	buffer_free(&found);
}

/* --- The summary --- */

void compare_add_difference_count(const struct comparison_count *count, bool is_strict, struct buffer *out)
{
	enum { TESTS_MIN = 20 }; /* with fewer than these, less than one difference is expected by chance */
	size_t shown = comparison_count_differing(count), tested = comparison_count_tested(count);

	if (!shown)
		return;
	buffer_printf(out, "%zu of %zu metric%s differ%s", shown, tested, tested == 1 ? "" : "s",
		      shown == 1 ? "s" : "");
	if (is_strict)
		buffer_text(out, " (5 % of them expected by chance)");
	else if (tested >= TESTS_MIN)
		buffer_printf(out, " (up to %zu expected by chance)", (tested + 19) / 20);
	if (count->significant == shown)
		buffer_text(out, is_strict || tested < TESTS_MIN ? "." : "; all remain significant after correction.");
	else if (count->significant == 0)
		buffer_printf(out, "; none remains significant after correction, %s marked ?%s",
			      shown == 1 ? "it is" : "all are", count->runs_needed ? "" : ".");
	else
		buffer_printf(out, "; %zu remain%s significant after correction, the rest are marked ?.",
			      count->significant, count->significant == 1 ? "s" : "");
	if (count->runs_needed)
		buffer_printf(out, ": too few runs for that; %zu of each set can be enough.", count->runs_needed);
}

static void add_verdicts(const struct compare_output *output, size_t set, struct buffer *out)
{
	static const enum comparison_verdict shown[] = {VERDICT_BETTER, VERDICT_WORSE,      VERDICT_DIFFERENT,
							VERDICT_EQUAL,  VERDICT_NEGLIGIBLE, VERDICT_UNCLEAR,
							VERDICT_TOO_FEW};
	const size_t *verdicts = output->rows->counts[set].verdicts;
	const char *separator = "";

	compare_add_name(out, output->rows->sets->items[0].label);
	buffer_text(out, " -> ");
	compare_add_name(out, output->rows->sets->items[set].label);
	buffer_text(out, ": ");
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		if (!verdicts[shown[i]])
			continue;
		buffer_printf(out, "%s%zu %s", separator, verdicts[shown[i]],
			      shown[i] == VERDICT_TOO_FEW ? "with too few runs or values"
							  : comparison_verdict_text(shown[i]));
		separator = ", ";
	}
	if (!*separator)
		buffer_text(out, verdicts[VERDICT_NOT_AFFECTED]    ? "no workload is affected"
				 : verdicts[VERDICT_NOT_EXERCISED] ? "no metric is exercised"
								   : "no metric in both sets");
	buffer_text(out, ".");
}

static void add_summary(const struct compare_output *output, size_t set, struct remark_lines *lines)
{
	const struct comparison_count *count = &output->rows->counts[set];
	struct buffer text = {0};

	add_verdicts(output, set, &text);
	remark_lines_add(lines, 0, &text);
	if (comparison_count_tested(count) == 0 && count->verdicts[VERDICT_TOO_FEW]) {
		buffer_printf(&text, "A verdict needs %d runs of a workload in each set.", COMPARISON_RUNS_MIN);
		remark_lines_add(lines, 0, &text);
	}
	if (comparison_count_differing(count)) {
		compare_add_difference_count(count, output->choice->strict, &text);
		remark_lines_add(lines, 0, &text);
	}
}

void compare_add_summaries(const struct compare_output *output, struct remark_lines *lines)
{
	struct buffer text = {0};

	for (size_t set = 1; set < output->rows->sets->count; set++)
		add_summary(output, set, lines);
	const size_t half = comparison_runs_to_decide(output->rows, 0.5);
	if (half) {
		buffer_printf(&text, "%zu runs of each set would decide half of what is unclear", half);
		const size_t most = comparison_runs_to_decide(output->rows, 0.9);
		if (most > half)
			buffer_printf(&text, ", %zu nine tenths", most);
		buffer_text(&text, " (estimated from the intervals).");
		remark_lines_add(lines, 0, &text);
	}
	if (output->rows->false_rate != COMPARISON_FALSE_RATE) {
		const struct recorded_set *recorded = &output->rows->sets->items[0].recorded;
		buffer_printf(&text,
			      "Runs were added until a workload was decided (--runs %" PRIu64 "-%" PRIu64
			      "): of the 5 %% for false differences, this comparison may spend %.2g %%.",
			      recorded->runs_min, recorded->runs_max, 100 * output->rows->false_rate);
		remark_lines_add(lines, 0, &text);
	}
	if (!output->rows->is_deterministic)
		return;
	buffer_text(&text, COMPARE_DETERMINISTIC_MEANING);
	remark_lines_add(lines, 0, &text);
}
