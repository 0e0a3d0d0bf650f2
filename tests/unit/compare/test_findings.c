/* SPDX-License-Identifier: MIT
 *
 * The first lines of a comparison. */
#include "compare/comparison_text.h"
#include "compare/remarks.h"
#include "compare/run_set.h"
#include "support/unit.h"

static struct comparison_row row_of(const char *metric, double first, double second, enum comparison_verdict verdict)
{
	struct comparison_row row = {.metric = metric_find(metric)};

	assert_non_null(row.metric);
	row.cells[0].sample.median = first;
	row.cells[1].sample.median = second;
	row.cells[1].is_significant = true;
	row.cells[1].against =
	    (struct comparison){.verdict = verdict, .is_percent = true, .change = 100 * (second - first) / first};
	return row;
}

/* The error of shares is less when fairness is more: one statement, of the one that changed by the larger factor. */
TEST(metrics_that_mean_the_same_the_other_way_round_are_one_statement)
{
	struct run_set sets[] = {{.label = "a"}, {.label = "b"}};
	struct run_sets both = {.items = sets, .count = 2};
	struct comparison_row rows[] = {row_of("share_error", 40, 16, VERDICT_BETTER),
					row_of("fairness_jain", 0.8, 0.9, VERDICT_BETTER)};
	struct comparison_workload workload = {.name = "w", .workload = "w", .row_count = 2};
	const struct comparison_rows all = {
	    .sets = &both, .workloads = &workload, .workload_count = 1, .rows = rows, .row_count = 2};
	const struct compare_output output = {.rows = &all};
	struct remark_lines lines = {0};

	compare_add_findings(&output, &lines);
	assert_int_equal(lines.count, 1);
	assert_string_equal(lines.items[0].text,
			    "b, w: CPU time is shared more fairly (share error 40.00 -> 16.00 %, -60.0%)");
	remark_lines_free(&lines);
}
