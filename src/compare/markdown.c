/* SPDX-License-Identifier: MIT
 *
 * A comparison as GitHub and GitLab show it in a comment. */
#include <string.h>

#include "base/escape.h"
#include "compare/markdown.h"
#include "compare/metric_text.h"
#include "compare/output.h"
#include "compare/run_set.h"

static bool is_word(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Text that stays text: what Markdown or HTML would take for something else is written as a character reference. */
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

void compare_markdown_name(struct buffer *out, const char *name)
{
	put_plain(out, name, strlen(name));
}

static void put_lines(struct buffer *out, const struct buffer *lines)
{
	const char *at = lines->length ? lines->data : "";

	while (*at) {
		size_t spaces = strspn(at, " ");
		size_t length = strcspn(at, "\n");
		buffer_text(out, spaces ? "  - " : "- ");
		put_plain(out, at + spaces, length - spaces);
		buffer_text(out, "\n");
		at += length + (at[length] == '\n');
	}
	if (lines->length)
		buffer_text(out, "\n");
}

static void put_value(struct buffer *out, const struct comparison_sample *sample)
{
	char text[FIGURE_TEXT];

	buffer_printf(out, " %s", figure_text(sample->median, text));
	spread_text(sample, text);
	buffer_printf(out, "%s%s |", text[0] ? " ± " : "", text);
}

static void put_heading(struct buffer *out, const struct comparison_rows *rows,
			const struct comparison_workload *workload)
{
	buffer_text(out, "### ");
	compare_markdown_name(out, workload->name);
	buffer_text(out, "\n\n| figure |");
	for (size_t set = 0; set < rows->sets->count; set++) {
		buffer_text(out, " ");
		compare_markdown_name(out, rows->sets->items[set].label);
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
	char text[FIGURE_TEXT];

	buffer_printf(out, "| %s |", metric_table[row->metric].name);
	for (size_t set = 0; set < rows->sets->count; set++) {
		const struct comparison_cell *cell = &row->cells[set];
		bool is_shown = cell->against.verdict >= VERDICT_BETTER;
		put_value(out, &cell->sample);
		if (!set)
			continue;
		buffer_printf(out, " %s |", change_text(&cell->against, text));
		buffer_printf(out, " %s |", interval_text(&cell->against, text));
		buffer_printf(out, " %s%s%s |", is_shown ? "**" : "", comparison_verdict_text(cell->against.verdict),
			      !is_shown      ? ""
			      : cell->stands ? "**"
					     : "?**");
	}
	buffer_text(out, "\n");
}

static void put_gates(const struct compare_output *output, struct buffer *out)
{
	static const char *const words[] = {"holds", "**fires**", "**undecided**"};
	char reason[256];

	if (output->gates->case_count == 0)
		return;
	buffer_text(out, "### Gates\n\n| gate | workload | set | result | |\n|:--|:--|:--|:--|:--|\n");
	for (size_t i = 0; i < output->gates->case_count; i++) {
		const struct gate_case *gate_case = &output->gates->cases[i];
		gate_case_reason(gate_case, reason, sizeof(reason));
		buffer_text(out, "| ");
		compare_markdown_name(out, gate_case->gate->text);
		buffer_text(out, " | ");
		compare_markdown_name(out, output->rows->workloads[gate_case->row->workload].name);
		buffer_text(out, " | ");
		compare_markdown_name(out, output->rows->sets->items[gate_case->set].label);
		buffer_printf(out, " | %s | %s |\n", words[gate_case->result], reason);
	}
	buffer_text(out, "\n");
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

void compare_write_markdown(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	struct buffer summary = {0};

	put_lines(out, output->notices);
	if (output->overview)
		compare_write_overview(output, true, out);
	for (size_t at = 0; at < rows->workload_count && !output->overview; at++)
		put_workload(output, &rows->workloads[at], out);
	put_gates(output, out);
	for (size_t set = 1; set < rows->sets->count; set++)
		compare_add_summary(output, set, &summary);
	put_lines(out, &summary);
	out->failed = out->failed || summary.failed;
	buffer_free(&summary);
}
