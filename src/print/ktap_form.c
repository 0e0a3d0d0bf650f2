/* SPDX-License-Identifier: MIT
 *
 * A comparison as KTAP 1 (Documentation/dev-tools/ktap.rst): a test for each workload, with its results as subtests. */
#include <string.h>

#include "compare/remarks.h"
#include "print/forms.h"
#include "print/result_list.h"

/* A description has no #. */
static void put_line(struct buffer *out, const char *text)
{
	for (; *text; text++)
		buffer_add(out, *text == '#' ? "_" : text, 1);
}

static bool is_bad(const struct compare_result *result)
{
	return result->outcome == FAILED || result->outcome == INCONCLUSIVE;
}

static void put_result(const struct compare_result *result, size_t number, struct buffer *out)
{
	static const char *const directives[] = {
	    [PASSED] = "", [FAILED] = "", [INCONCLUSIVE] = " # ERROR ", [SKIPPED] = " # SKIP "};
	const bool has_reason = directives[result->outcome][0] != '\0';

	buffer_printf(out, "  # %s\n", result->reason);
	if (result->repeat[0])
		buffer_printf(out, "  # repeat: %s\n", result->repeat);
	buffer_printf(out, "  %sok %zu ", is_bad(result) ? "not " : "", number);
	put_line(out, result->name);
	buffer_printf(out, "%s%s\n", directives[result->outcome], has_reason ? result->reason : "");
}

/* The subtests of a workload; the numbers of them, and of those that are bad and those that were skipped. */
static void put_workload(const struct compare_output *output, size_t workload, struct buffer *out,
			 size_t counts[COMPARE_OUTCOMES])
{
	const size_t all = compare_result_count(output);
	struct compare_result result;
	struct buffer lines = {0};
	size_t number = 0;

	for (size_t i = 0; i < all; i++) {
		compare_result_at(output, i, &result);
		if (result.row->workload != workload)
			continue;
		put_result(&result, ++number, &lines);
		counts[result.outcome]++;
	}
	buffer_printf(out, "  KTAP version 1\n  1..%zu\n", number);
	buffer_add(out, lines.data, lines.length);
	buffer_free(&lines);
}

static bool has_results(const struct compare_output *output, size_t workload)
{
	struct compare_result result;

	for (size_t i = 0; i < compare_result_count(output); i++) {
		compare_result_at(output, i, &result);
		if (result.row->workload == workload)
			return true;
	}
	return false;
}

void compare_write_ktap(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	size_t count = 0, number = 0;

	for (size_t i = 0; i < rows->workload_count; i++)
		count += has_results(output, i);
	buffer_printf(out, "KTAP version 1\n1..%zu\n", count);
	for (size_t i = 0; i < output->remarks->lines.count; i++)
		buffer_printf(out, "# %*s%s\n", (int)output->remarks->lines.items[i].indent, "",
			      output->remarks->lines.items[i].text);
	for (size_t i = 0; i < rows->workload_count; i++) {
		size_t counts[COMPARE_OUTCOMES] = {0};
		if (!has_results(output, i))
			continue;
		put_workload(output, i, out, counts);
		buffer_printf(out, "%sok %zu ", counts[FAILED] + counts[INCONCLUSIVE] ? "not " : "", ++number);
		struct buffer name = {0};
		compare_add_name(&name, rows->workloads[i].name);
		put_line(out, name.data ? name.data : "");
		buffer_printf(out, "%s\n",
			      counts[SKIPPED] && !counts[PASSED] && !counts[FAILED] && !counts[INCONCLUSIVE]
				  ? " # SKIP no result"
				  : "");
		buffer_free(&name);
	}
}
