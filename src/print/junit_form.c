/* SPDX-License-Identifier: MIT
 *
 * A comparison as JUnit XML. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/run_set.h"
#include "print/forms.h"
#include "print/result_list.h"

/* The text is one escaped line: valid UTF-8 without control characters. XML also forbids U+FFFE and U+FFFF. */
static void put_xml(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0) {
			buffer_text(out, "\xef\xbf\xbd");
			text += 2;
		} else if (strchr("&<>\"'", *text)) {
			buffer_printf(out, "&#%d;", *text);
		} else {
			buffer_add(out, text, 1);
		}
	}
}

static void put_attribute(struct buffer *out, const char *name, const char *value)
{
	buffer_printf(out, " %s=\"", name);
	put_xml(out, value);
	buffer_text(out, "\"");
}

/* The duration of the runs of a set, for one workload or (NULL) all: host time if vm.json has it, else that of the
 * recordings. */
static double seconds_of(const struct run_set *set, const char *workload)
{
	double sum = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct run *run = &set->runs[i];
		if (!run_is_of(run, workload))
			continue;
		double seconds = recorded_set_seconds(&set->recorded, run->number);
		if (isnan(seconds))
			seconds = run->metadata.duration_s;
		if (isfinite(seconds) && seconds > 0)
			sum += seconds;
	}
	return sum;
}

static void put_test(struct buffer *out, const struct compare_result *test, double seconds)
{
	static const char *const elements[] = {[FAILED] = "failure", [INCONCLUSIVE] = "error", [SKIPPED] = "skipped"};

	buffer_text(out, "    <testcase");
	put_attribute(out, "classname", test->suite);
	put_attribute(out, "name", test->name);
	buffer_printf(out, " time=\"%.3f\">", seconds);
	if (test->outcome == PASSED) {
		buffer_text(out, "<system-out>");
		put_xml(out, test->reason);
		buffer_text(out, "</system-out>");
	} else {
		buffer_printf(out, "<%s", elements[test->outcome]);
		put_attribute(out, "message", test->reason);
		if (test->outcome != SKIPPED)
			put_attribute(out, "type", test->outcome == FAILED ? "gate" : "inconclusive");
		if (test->repeat[0]) {
			buffer_text(out, ">repeat: ");
			put_xml(out, test->repeat);
			buffer_printf(out, "</%s>", elements[test->outcome]);
		} else {
			buffer_text(out, "/>");
		}
	}
	buffer_text(out, "</testcase>\n");
}

/* Metrics that no run exercises are not tests; their number is a property. */
static void put_not_exercised(const struct comparison_rows *rows, struct buffer *out)
{
	size_t count = 0;

	for (size_t set = 1; set < rows->sets->count; set++)
		count += rows->counts[set].verdicts[VERDICT_NOT_EXERCISED];
	if (count)
		buffer_printf(out,
			      "    <properties><property name=\"metrics not exercised\" value=\"%zu\"/></properties>\n",
			      count);
}

void compare_write_junit(const struct compare_output *output, struct buffer *out)
{
	size_t outcomes[COMPARE_OUTCOMES];
	const size_t count = compare_count_results(output, COMPARE_ALL_WORKLOADS, outcomes);
	const struct run_sets *sets = output->rows->sets;
	struct compare_result test;
	char totals[128];
	double seconds = 0;

	/* Not the sum over the tests, which counts a run several times. */
	for (size_t i = 0; i < sets->count; i++)
		seconds += seconds_of(&sets->items[i], NULL);
	snprintf(totals, sizeof(totals),
		 "name=\"picknext compare\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\"", count,
		 outcomes[FAILED], outcomes[INCONCLUSIVE], seconds);
	buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	buffer_printf(out, "<testsuites %s>\n", totals);
	buffer_printf(out, "  <testsuite %s skipped=\"%zu\">\n", totals, outcomes[SKIPPED]);
	put_not_exercised(output->rows, out);
	for (size_t at = 0; compare_next_result(output, COMPARE_ALL_WORKLOADS, &at, &test);)
		put_test(out, &test,
			 seconds_of(&sets->items[test.set], output->rows->workloads[test.row->workload].name));
	buffer_text(out, "  </testsuite>\n</testsuites>\n");
}
