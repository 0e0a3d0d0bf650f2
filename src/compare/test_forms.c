/* SPDX-License-Identifier: MIT
 *
 * A comparison as the tests of a CI system: TAP 13 and JUnit XML. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "compare/forms.h"
#include "compare/metric_text.h"
#include "compare/run_set.h"

enum outcome { PASSED, FAILED, INCONCLUSIVE, SKIPPED };

struct test {
	char name[1400], suite[512], reason[256];
	char repeat[4096]; /* a command, or "" */
	enum outcome outcome;
};

static size_t test_count(const struct compare_output *output)
{
	return output->gates->count ? output->gates->case_count
				    : output->rows->row_count * (output->rows->sets->count - 1);
}

static void name_set(const struct compare_output *output, size_t set, char *text, size_t size)
{
	const char *label = output->rows->sets->items[set].label;

	escape_line(label, strlen(label), text, size);
}

static void gate_test(const struct compare_output *output, const struct gate_case *gate_case, const char *workload,
		      const char *label, struct test *test)
{
	const enum outcome outcomes[] = {PASSED, FAILED, output->gates->inconclusive_fails ? INCONCLUSIVE : SKIPPED};
	char gate[512];

	escape_line(gate_case->gate->text, strlen(gate_case->gate->text), gate, sizeof(gate));
	snprintf(test->name, sizeof(test->name), "%s: %s, no %s", label, workload, gate);
	size_t length = gate_case->result != GATE_INCONCLUSIVE
			    ? 0
			    : (size_t)snprintf(test->reason, sizeof(test->reason), "inconclusive: ");
	gate_case_reason(gate_case, test->reason + length, sizeof(test->reason) - length);
	if (gate_case->repeat)
		escape_line(gate_case->repeat, strlen(gate_case->repeat), test->repeat, sizeof(test->repeat));
	test->outcome = outcomes[gate_case->result];
}

static void metric_test(const struct comparison_cell *cell, enum run_metric metric, const char *workload,
			const char *label, struct test *test)
{
	char verdict[METRIC_TEXT_SIZE], change[METRIC_TEXT_SIZE], interval[METRIC_TEXT_SIZE];

	snprintf(test->name, sizeof(test->name), "%s: %s, %s", label, workload, metric_table[metric].name);
	snprintf(test->reason, sizeof(test->reason), "%s, change %s%s%s", verdict_text(cell, NULL, verdict),
		 change_text(&cell->against, NULL, change),
		 cell->against.verdict > VERDICT_TOO_FEW ? ", 95 % interval " : "",
		 interval_text(&cell->against, NULL, interval));
	test->outcome = cell->against.verdict <= VERDICT_TOO_FEW ? SKIPPED : PASSED;
}

static void test_at(const struct compare_output *output, size_t at, struct test *test)
{
	const struct comparison_rows *rows = output->rows;
	const struct gate_case *gate_case = output->gates->count ? &output->gates->cases[at] : NULL;
	size_t others = rows->sets->count - 1;
	size_t set = gate_case ? gate_case->set : at % others + 1;
	const struct comparison_row *row = gate_case ? gate_case->row : &rows->rows[at / others];
	const char *workload = rows->workloads[row->workload].name;
	char label[256];

	test->repeat[0] = '\0';
	escape_line(workload, strlen(workload), test->suite, sizeof(test->suite));
	name_set(output, set, label, sizeof(label));
	if (gate_case)
		gate_test(output, gate_case, test->suite, label, test);
	else
		metric_test(&row->cells[set], row->metric, test->suite, label, test);
}

/* # begins a directive, and a backslash escapes it. */
static void put_tap(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '#' || *text == '\\')
			buffer_text(out, "\\");
		buffer_add(out, text, 1);
	}
}

static void put_comments(struct buffer *out, const struct buffer *lines)
{
	const char *at = lines->data, *line;
	size_t length;

	while (compare_next_line(&at, &line, &length)) {
		buffer_text(out, "# ");
		buffer_add(out, line, length);
		buffer_text(out, "\n");
	}
}

void compare_write_tap(const struct compare_output *output, struct buffer *out)
{
	size_t count = test_count(output);
	struct buffer summary = {0};
	struct test test;

	buffer_printf(out, "TAP version 13\n1..%zu%s\n", count, count ? "" : " # SKIP nothing to compare");
	put_comments(out, output->notices);
	for (size_t i = 0; i < count; i++) {
		test_at(output, i, &test);
		bool is_bad = test.outcome == FAILED || test.outcome == INCONCLUSIVE;
		buffer_printf(out, "%sok %zu - ", is_bad ? "not " : "", i + 1);
		put_tap(out, test.name);
		if (test.outcome == SKIPPED) {
			buffer_text(out, " # SKIP ");
			put_tap(out, test.reason);
		}
		buffer_text(out, "\n");
		if (test.outcome != SKIPPED && (is_bad || output->gates->count))
			buffer_printf(out, "# %s\n", test.reason);
		if (test.repeat[0])
			buffer_printf(out, "# repeat: %s\n", test.repeat);
	}
	compare_add_summaries(output, &summary);
	put_comments(out, &summary);
	out->failed = out->failed || summary.failed;
	buffer_free(&summary);
}

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

static void put_test(struct buffer *out, const struct test *test)
{
	static const char *const elements[] = {[FAILED] = "failure", [INCONCLUSIVE] = "error", [SKIPPED] = "skipped"};

	buffer_text(out, "    <testcase");
	put_attribute(out, "classname", test->suite);
	put_attribute(out, "name", test->name);
	buffer_text(out, " time=\"0\">");
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

void compare_write_junit(const struct compare_output *output, struct buffer *out)
{
	size_t count = test_count(output);
	size_t outcomes[4] = {0};
	char totals[128];
	struct test test;

	for (size_t i = 0; i < count; i++) {
		test_at(output, i, &test);
		outcomes[test.outcome]++;
	}
	snprintf(totals, sizeof(totals), " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\"",
		 count, outcomes[FAILED], outcomes[INCONCLUSIVE], outcomes[SKIPPED]);
	buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	buffer_printf(
	    out, "<testsuites name=\"picknext compare\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"0\">\n",
	    count, outcomes[FAILED], outcomes[INCONCLUSIVE]);
	buffer_printf(out, "  <testsuite name=\"picknext compare\"%s>\n", totals);
	for (size_t i = 0; i < count; i++) {
		test_at(output, i, &test);
		put_test(out, &test);
	}
	buffer_text(out, "  </testsuite>\n</testsuites>\n");
}
