/* SPDX-License-Identifier: MIT
 *
 * A comparison as KTAP 1 (Documentation/dev-tools/ktap.rst): a test for each workload, with its results as subtests. */
#include <string.h>

#include "compare/remarks.h"
#include "print/forms.h"
#include "print/result_list.h"

/* Writes a line without #, which has a meaning in KTAP. */
static void put_line(struct buffer *out, const char *text)
{
	for (; *text; text++)
		buffer_add(out, *text == '#' ? "_" : text, 1);
}

static void put_result(const struct compare_result *result, size_t number, struct buffer *out)
{
	static const char *const directives[] = {
	    [PASSED] = "", [FAILED] = "", [INCONCLUSIVE] = " # ERROR ", [SKIPPED] = " # SKIP "};
	const bool is_bad = result->outcome == FAILED || result->outcome == INCONCLUSIVE;
	const bool has_reason = directives[result->outcome][0] != '\0';

	buffer_printf(out, "  # %s\n", result->reason);
	if (result->repeat[0])
		buffer_printf(out, "  # repeat: %s\n", result->repeat);
	buffer_printf(out, "  %sok %zu ", is_bad ? "not " : "", number);
	put_line(out, result->name);
	buffer_printf(out, "%s%s\n", directives[result->outcome], has_reason ? result->reason : "");
}

/* The results of a workload as subtests, then the workload's own line. */
static void put_workload(const struct compare_output *output, size_t workload, size_t count,
			 const size_t outcomes[COMPARE_OUTCOMES], size_t number, struct buffer *out)
{
	const bool has_failed = outcomes[FAILED] + outcomes[INCONCLUSIVE];
	struct compare_result result;
	struct buffer name = {0};
	size_t subtest = 0;

	buffer_printf(out, "  KTAP version 1\n  1..%zu\n", count);
	for (size_t at = 0; compare_next_result(output, workload, &at, &result);)
		put_result(&result, ++subtest, out);
	buffer_printf(out, "%sok %zu ", has_failed ? "not " : "", number);
	compare_add_name(&name, output->rows->workloads[workload].name);
	put_line(out, name.data ? name.data : "");
	buffer_text(out, outcomes[SKIPPED] == count ? " # SKIP no result\n" : "\n");
	buffer_free(&name);
}

void compare_write_ktap(const struct compare_output *output, struct buffer *out)
{
	const struct remark_lines *lines = &output->remarks->lines;
	const size_t workloads = output->rows->workload_count;
	size_t outcomes[COMPARE_OUTCOMES], count = 0, number = 0;

	for (size_t i = 0; i < workloads; i++)
		count += compare_count_results(output, i, outcomes) > 0;
	buffer_printf(out, "KTAP version 1\n1..%zu\n", count);
	for (size_t i = 0; i < lines->count; i++)
		buffer_printf(out, "# %*s%s\n", (int)lines->items[i].indent, "", lines->items[i].text);
	for (size_t i = 0; i < workloads; i++) {
		size_t results = compare_count_results(output, i, outcomes);
		if (results)
			put_workload(output, i, results, outcomes, ++number, out);
	}
}
