/* SPDX-License-Identifier: MIT
 *
 * A comparison as Markdown. */
#include <string.h>

#include "base/escape.h"
#include "compare/metric_text.h"
#include "compare/remarks.h"
#include "compare/run_set.h"
#include "print/forms.h"
#include "print/overview.h"

static bool is_word(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Characters with a special meaning in Markdown or HTML become character references. */
static void put_plain(struct buffer *out, const char *text, size_t length)
{
	char line[1024];

	escape_line(text, length, line, sizeof(line));
	for (const char *at = line; *at; at++) {
		bool is_inside = *at == '_' && at > line && is_word(at[-1]) && is_word(at[1]);
		if (strchr("&<>|*_`[]\\#~!@$", *at) && !is_inside)
			buffer_printf(out, "&#%d;", *at);
		else
			buffer_add(out, at, 1);
	}
}

/* Adds a name escaped, so that Markdown shows it unchanged. */
static void put_name(struct buffer *out, const char *name)
{
	put_plain(out, name, strlen(name));
}

static void put_lines(struct buffer *out, const struct buffer *lines)
{
	const char *at = lines->data, *line;
	size_t length;

	while (compare_next_line(&at, &line, &length)) {
		size_t spaces = strspn(line, " ");
		buffer_text(out, spaces ? "  - " : "- ");
		put_plain(out, line + spaces, length - spaces);
		buffer_text(out, "\n");
	}
	if (lines->length)
		buffer_text(out, "\n");
}

static void put_remarks(struct buffer *out, const struct remarks *remarks)
{
	for (size_t i = 0; i < remarks->line_count; i++) {
		buffer_text(out, remarks->lines[i].indent ? "  - " : "- ");
		put_plain(out, remarks->lines[i].text, strlen(remarks->lines[i].text));
		buffer_text(out, "\n");
	}
	if (remarks->line_count)
		buffer_text(out, "\n");
}

static void put_value(struct buffer *out, const struct comparison_sample *sample, const struct metric_scale *scale)
{
	char text[METRIC_TEXT_SIZE];

	buffer_printf(out, " %s", metric_value_text(sample->median, scale, text));
	spread_text(sample, text);
	buffer_printf(out, "%s%s |", text[0] ? " ± " : "", text);
}

static void put_heading(struct buffer *out, const struct comparison_rows *rows,
			const struct comparison_workload *workload)
{
	buffer_text(out, "### ");
	put_name(out, workload->name);
	buffer_text(out, "\n\n| metric |");
	for (size_t set = 0; set < rows->sets->count; set++) {
		buffer_text(out, " ");
		put_name(out, rows->sets->items[set].label);
		buffer_printf(out, " (%zu run%s) |%s", workload->runs[set], workload->runs[set] == 1 ? "" : "s",
			      set ? " change | 95 % interval | verdict |" : "");
	}
	buffer_text(out, "\n|:--|");
	for (size_t set = 0; set < rows->sets->count; set++)
		buffer_printf(out, "--:|%s", set ? "--:|:-:|:--|" : "");
	buffer_text(out, "\n");
}

static void put_row(struct buffer *out, const struct comparison_rows *rows, const struct comparison_row *row)
{
	const struct metric_scale scale = metric_scale_of(row);
	char text[METRIC_TEXT_SIZE];

	buffer_printf(out, "| %s |", row->metric->name);
	for (size_t set = 0; set < rows->sets->count; set++) {
		const struct comparison_cell *cell = &row->cells[set];
		const char *bold = comparison_differs(&cell->against) ? "**" : "";
		put_value(out, &cell->sample, &scale);
		if (!set)
			continue;
		buffer_printf(out, " %s |", change_text(&cell->against, &scale, text));
		buffer_printf(out, " %s |", interval_text(&cell->against, &scale, text));
		buffer_printf(out, " %s%s%s |", bold, verdict_text(cell, &scale, text), bold);
	}
	buffer_text(out, "\n");
}

static void put_gates(const struct compare_output *output, struct buffer *out)
{
	static const char *const words[] = {"PASS", "**FAIL**", "**INCONCLUSIVE**", "NOT EXERCISED"};
	char reason[256];

	if (output->gates->case_count == 0)
		return;
	buffer_text(out, "### Gates\n\n| gate | workload | set | result | |\n|:--|:--|:--|:--|:--|\n");
	for (size_t i = 0; i < output->gates->case_count; i++) {
		const struct gate_case *gate_case = &output->gates->cases[i];
		gate_case_reason(gate_case, reason, sizeof(reason));
		buffer_text(out, "| ");
		put_name(out, gate_case->gate->text);
		buffer_text(out, " | ");
		put_name(out, output->rows->workloads[gate_case->row->workload].name);
		buffer_text(out, " | ");
		put_name(out, output->rows->sets->items[gate_case->set].label);
		buffer_printf(out, " | %s | %s |\n", words[gate_case->result], reason);
	}
	buffer_text(out, "\n");
	for (size_t i = 0; i < output->gates->case_count; i++) {
		const struct gate_case *gate_case = &output->gates->cases[i];
		if (!gate_case->repeat)
			continue;
		put_name(out, gate_case->gate->text);
		buffer_text(out, " fails in: ");
		put_name(out, gate_case->repeat);
		buffer_text(out, "\n\n");
	}
}

static void put_workload(const struct compare_output *output, const struct comparison_workload *workload,
			 struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	bool has_rows = false;

	for (size_t i = 0; i < workload->row_count; i++) {
		const struct comparison_row *row = &rows->rows[workload->first_row + i];
		if (!compare_wants_row(output, row))
			continue;
		if (!has_rows)
			put_heading(out, rows, workload);
		has_rows = true;
		put_row(out, rows, row);
	}
	buffer_text(out, has_rows ? "\n" : "");
}

static void put_overview_set(const struct compare_overview *overview, size_t set, struct buffer *out)
{
	const struct comparison_rows *rows = overview->output->rows;
	char text[OVERVIEW_CELL_SIZE];

	buffer_text(out, "| workload |");
	for (size_t i = 0; i < overview->metric_count; i++)
		buffer_printf(out, " %s |", overview->metrics[i]->heading);
	buffer_text(out, "\n|:--|");
	for (size_t i = 0; i < overview->metric_count; i++)
		buffer_text(out, "--:|");
	for (size_t at = 0; at < rows->workload_count; at++) {
		const struct comparison_workload *workload = &rows->workloads[at];
		buffer_text(out, "\n| ");
		put_name(out, workload->name);
		buffer_text(out, " |");
		for (size_t i = 0; i < overview->metric_count; i++) {
			compare_overview_cell(overview, workload, i, set, 0, text);
			buffer_printf(out, " %s |", text);
		}
	}
	buffer_text(out, "\n");
}

static void put_overview(const struct compare_output *output, struct buffer *out)
{
	const struct run_sets *sets = output->rows->sets;
	const struct compare_overview overview = compare_overview_make(output);

	for (size_t set = 1; set < sets->count; set++) {
		put_name(out, sets->items[0].label);
		buffer_text(out, " → ");
		put_name(out, sets->items[set].label);
		buffer_text(out, ": change of the medians\n\n");
		put_overview_set(&overview, set, out);
		buffer_text(out, "\n");
	}
	buffer_text(out, OVERVIEW_LEGEND);
}

void compare_write_markdown(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	struct buffer summary = {0};

	put_remarks(out, output->remarks);
	if (output->overview)
		put_overview(output, out);
	for (size_t at = 0; at < rows->workload_count && !output->overview; at++)
		put_workload(output, &rows->workloads[at], out);
	put_gates(output, out);
	compare_add_summaries(output, &summary);
	put_lines(out, &summary);
	buffer_free(&summary);
}
