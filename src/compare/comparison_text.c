/* SPDX-License-Identifier: MIT */
#include "compare/comparison_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "compare/metric_text.h"
#include "compare/remarks.h"
#include "compare/run_set.h"

#define RUNS_NAMED_MAX 1000

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

/* The rows that the first lines name for a workload of a set. */
struct findings {
	const struct comparison_row *said[FINDINGS_MAX];
	size_t count, workload;
	double size; /* of the largest */
	struct buffer text;
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

/* Headings of ticks have their unit. */
static void add_values(const struct comparison_row *row, size_t set, struct buffer *out)
{
	const struct metric_scale scale = metric_scale_of(row);
	const struct metric *metric = row->metric;
	const bool has_unit = scale.unit[0] || !metric->unit[0] || strstr(metric->heading, metric->unit);
	char from[METRIC_TEXT_SIZE], to[METRIC_TEXT_SIZE], change[METRIC_TEXT_SIZE];

	buffer_printf(out, "%s %s -> %s%s%s, %s", metric->heading,
		      metric_value_text(row->cells[0].sample.median, &scale, from),
		      metric_value_text(row->cells[set].sample.median, &scale, to), has_unit ? "" : " ",
		      has_unit ? "" : metric->unit, change_text(&row->cells[set].against, &scale, change));
}

static bool is_finding(const struct comparison_row *row, size_t set, enum comparison_verdict verdict)
{
	const struct comparison_cell *cell = &row->cells[set];

	return cell->against.verdict == verdict && cell->is_significant && !row->is_excluded;
}

/* The logarithm of the factor between the medians, up or down, so that metrics of all units compare. A value below the
 * floor counts as the floor, so that nothing is large that begins with next to nothing. */
static double change_size(const struct comparison_row *row, size_t set)
{
	const double first = row->cells[0].sample.median, second = row->cells[set].sample.median;
	const double from = fmax(fabs(first), row->metric->floor), to = fmax(fabs(second), row->metric->floor);

	if (from == 0 || to == 0 || first * second < 0)
		return INFINITY;
	return fabs(log(to / from));
}

/* If this one is less, the other one is less or more in the same words: fairness, and the error of shares. */
static bool mean_alike(const struct comparison_row *row, const struct comparison_row *other, bool is_less)
{
	return are_same(words_of(row, is_less), words_of(other, true)) ||
	       are_same(words_of(row, is_less), words_of(other, false));
}

/* A metric means the same as one that was said, or its opposite. */
static bool is_said(const struct findings *findings, const struct comparison_row *row)
{
	bool is_same = false;

	for (size_t i = 0; i < findings->count; i++)
		is_same = is_same || findings->said[i] == row || mean_alike(findings->said[i], row, true) ||
			  mean_alike(findings->said[i], row, false);
	return is_same;
}

/* The largest change of the workload with this verdict: one with these words, or if NULL one of what has not been said.
 * NULL: none. */
static const struct comparison_row *find_largest(const struct comparison_rows *rows, const struct findings *findings,
						 size_t set, enum comparison_verdict verdict, const char *words)
{
	const struct comparison_workload *workload = &rows->workloads[findings->workload];
	const struct comparison_row *largest = NULL;

	for (size_t i = 0; i < workload->row_count; i++) {
		const struct comparison_row *row = &rows->rows[workload->first_row + i];
		const bool is_wanted =
		    words ? are_same(words_of(row, is_less(row, set)), words) : !is_said(findings, row);
		if (is_wanted && is_finding(row, set, verdict) &&
		    (!largest || change_size(row, set) > change_size(largest, set)))
			largest = row;
	}
	return largest;
}

/* A metric that says the opposite in words, such as a mean beside a maximum. */
static const struct comparison_row *find_opposite(const struct comparison_rows *rows, const struct findings *findings,
						  size_t set, const struct comparison_row *row)
{
	const char *words = words_of(row, !is_less(row, set));
	const bool is_worse = row->cells[set].against.verdict == VERDICT_WORSE;

	return words ? find_largest(rows, findings, set, is_worse ? VERDICT_BETTER : VERDICT_WORSE, words) : NULL;
}

/* If several metrics have one meaning in words, names only the one with the largest change, and the largest that
 * contradicts it. */
static void add_verdicts_of(const struct comparison_rows *rows, size_t set, enum comparison_verdict verdict, size_t max,
			    struct findings *findings)
{
	const struct comparison_row *row, *other;
	struct buffer *out = &findings->text;

	while (findings->count < max && (row = find_largest(rows, findings, set, verdict, NULL))) {
		const char *words = words_of(row, is_less(row, set));
		findings->said[findings->count++] = row;
		findings->size = fmax(findings->size, change_size(row, set));
		buffer_printf(out, "%s%s (", out->length ? "; " : "",
			      words               ? words
			      : is_less(row, set) ? "lower"
						  : "higher");
		add_values(row, set, out);
		other = find_opposite(rows, findings, set, row);
		if (other) {
			buffer_text(out, "; but ");
			add_values(other, set, out);
		}
		buffer_text(out, ")");
	}
}

void run_set_add_faults(const struct run_set *set, const char *label, struct buffer *out)
{
	const struct run_outcome *first;
	const size_t count = recorded_set_faults(&set->recorded, &first);

	if (!count)
		return;
	if (label) {
		compare_add_name(out, label);
		buffer_text(out, ": ");
	}
	buffer_printf(out, "the kernel reported a fault in %zu of %zu boot%s: ", count, set->recorded.boots.count,
		      set->recorded.boots.count == 1 ? "" : "s");
	compare_add_name(out, first->fault);
	buffer_text(out, " (");
	compare_add_name(out, set->operand);
	buffer_printf(out, "/console/run%" PRIu32 ".log)\n", first->run);
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

/* The lines of a text, with their indentation; frees it. */
static void add_text(struct buffer *text, struct remark_lines *lines)
{
	struct buffer line = {0};

	for (const char *at = text->data, *end; at && (end = strchr(at, '\n')); at = end + 1) {
		const size_t indent = strspn(at, " ");
		buffer_add(&line, at + indent, (size_t)(end - at) - indent);
		remark_lines_add(lines, (unsigned int)indent, &line);
	}
	buffer_free(text);
}

void compare_add_decisions(const struct compare_output *output, struct remark_lines *lines)
{
	struct buffer text = {0};

	for (size_t set = 0; set < output->rows->sets->count; set++)
		run_set_add_decisions(&output->rows->sets->items[set], output->rows->sets->items[set].label, &text);
	add_text(&text, lines);
}

/* The larger first, then in the order of workloads. */
static int compare_findings(const void *left, const void *right)
{
	const struct findings *a = left, *b = right;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return (a->workload > b->workload) - (a->workload < b->workload);
}

static void add_finding_lines(const struct comparison_rows *rows, size_t set, const struct findings *found,
			      size_t count, struct remark_lines *lines)
{
	const char *label = rows->sets->items[set].label;
	struct buffer text = {0};

	for (size_t i = 0; i < count && i < FINDING_LINES; i++) {
		compare_add_name(&text, label);
		buffer_text(&text, ", ");
		compare_add_name(&text, rows->workloads[found[i].workload].name);
		buffer_printf(&text, ": %s", found[i].text.data);
		remark_lines_add(lines, 0, &text);
	}
	if (count <= FINDING_LINES)
		return;
	compare_add_name(&text, label);
	buffer_printf(&text, ": %zu more workload%s better or worse, by less: compare --details=changed shows all",
		      count - FINDING_LINES, count == FINDING_LINES + 1 ? " is" : "s are");
	remark_lines_add(lines, 0, &text);
}

void compare_add_findings(const struct compare_output *output, struct remark_lines *lines)
{
	const struct comparison_rows *rows = output->rows;
	struct findings *found = xcalloc(rows->workload_count + 1, sizeof(*found));

	for (size_t set = 1; set < rows->sets->count; set++) {
		size_t count = 0;
		for (size_t i = 0; i < rows->workload_count; i++) {
			struct findings *findings = &found[count];
			*findings = (struct findings){.workload = i};
			add_verdicts_of(rows, set, VERDICT_WORSE, FINDINGS_MAX - 1, findings);
			add_verdicts_of(rows, set, VERDICT_BETTER, FINDINGS_MAX, findings);
			count += findings->count > 0;
		}
		qsort(found, count, sizeof(*found), compare_findings);
		add_finding_lines(rows, set, found, count, lines);
		for (size_t i = 0; i < count; i++)
			buffer_free(&found[i].text);
	}
	free(found);
}

void compare_add_answer(const struct compare_output *output, struct remark_lines *lines)
{
	const struct run_sets *sets = output->rows->sets;
	struct buffer about = {0};

	for (size_t set = 0; set < sets->count; set++)
		run_set_add_faults(&sets->items[set], sets->items[set].label, &about);
	for (size_t set = 0; set < sets->count; set++)
		reach_add_lines(&sets->items[set].reach, sets->items[set].label, &about);
	add_text(&about, lines);
	for (size_t set = 1; set < output->rows->sets->count; set++) {
		const struct comparison_count *count = &output->rows->counts[set];
		const size_t tested = comparison_count_tested(count);
		struct buffer text = {0};
		if (comparison_count_differing(count) || (!tested && !count->verdicts[VERDICT_NOT_AFFECTED]) ||
		    count->verdicts[VERDICT_TOO_FEW])
			continue;
		compare_add_name(&text, output->rows->sets->items[set].label);
		if (tested)
			buffer_printf(&text, ": nothing differs in %zu tested metric%s", tested,
				      tested == 1 ? "" : "s");
		else
			buffer_text(&text, ": nothing differs: the traces are the same at each seed");
		if (count->verdicts[VERDICT_UNCLEAR])
			buffer_printf(&text, ", %zu of them unclear", count->verdicts[VERDICT_UNCLEAR]);
		remark_lines_add(lines, 0, &text);
	}
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

/* An estimate beyond this limit is not exact, and has no use but that it is out of reach. */
static void add_runs_needed(size_t runs, struct buffer *text)
{
	if (runs > RUNS_NAMED_MAX)
		buffer_printf(text, "more than %d", RUNS_NAMED_MAX);
	else
		buffer_printf(text, "%zu", runs);
}

/* How many runs would decide the unclear metrics. */
static void add_runs_to_decide(const struct comparison_rows *rows, struct remark_lines *lines)
{
	const size_t half = comparison_runs_to_decide(rows, 0.5), most = comparison_runs_to_decide(rows, 0.9);
	struct buffer text = {0};
	size_t unclear = 0;

	if (!half)
		return;
	for (size_t set = 1; set < rows->sets->count; set++)
		unclear += rows->counts[set].verdicts[VERDICT_UNCLEAR];
	if (half > RUNS_NAMED_MAX) {
		buffer_printf(&text, "%zu metric%s unclear; %s would need more than %d runs of each set.", unclear,
			      unclear == 1 ? " stays" : "s stay", unclear == 1 ? "it" : "half of them", RUNS_NAMED_MAX);
	} else {
		buffer_printf(&text, "%zu runs of each set would decide half of the %zu unclear metric%s", half,
			      unclear, unclear == 1 ? "" : "s");
		if (most > half) {
			buffer_text(&text, ", ");
			add_runs_needed(most, &text);
			buffer_text(&text, " nine tenths");
		}
		buffer_text(&text, " (estimated from the intervals).");
	}
	remark_lines_add(lines, 0, &text);
}

void compare_add_summaries(const struct compare_output *output, struct remark_lines *lines)
{
	for (size_t set = 1; set < output->rows->sets->count; set++)
		add_summary(output, set, lines);
	add_runs_to_decide(output->rows, lines);
}
