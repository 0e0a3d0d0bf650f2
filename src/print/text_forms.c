/* SPDX-License-Identifier: MIT
 *
 * A comparison for people, as text and as Markdown: the same tables and lines. A table has the metric, the value of the
 * first set and, for each other set, its value, the change, its interval and the verdict. Each set has its own table if
 * the sets do not fit next to each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/pattern.h"
#include "base/wrap.h"
#include "compare/metric_text.h"
#include "compare/remarks.h"
#include "compare/run_set.h"
#include "print/forms.h"
#include "print/table.h"

enum {
	PARTS = 4, /* columns of a set after the first: value, change, interval, verdict */
	HEADING_SIZE = 320,
};

_Static_assert(2 + PARTS * (COMPARISON_SETS_MAX - 1) < TABLE_COLUMNS_MAX, "columns of all sets");

struct form {
	const struct compare_output *output;
	bool is_markdown;
	struct buffer *out;
};

/* The table of one workload: the first set, and the sets [from, to), which are all of them, or one on a narrow
 * terminal. */
struct block {
	const struct form *form;
	const struct comparison_workload *workload;
	size_t from, to;
	bool has_verdicts; /* false: all sets of the block have too few runs for a verdict */
	char headings[COMPARISON_SETS_MAX][HEADING_SIZE];
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table table;
};

static void put_name(const struct form *form, const char *name)
{
	if (form->is_markdown)
		table_add_markdown_text(name, strlen(name), form->out);
	else
		compare_add_name(form->out, name);
}

static void put_lines(const struct form *form, const struct remark_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		const struct remark_line *line = &lines->items[i];
		if (form->is_markdown) {
			buffer_text(form->out, line->indent ? "  - " : "- ");
			put_name(form, line->text);
			buffer_text(form->out, "\n");
		} else {
			buffer_printf(form->out, "%*s", (int)line->indent, "");
			wrap_add(line->text, line->indent, line->indent < 4 ? line->indent + 4 : line->indent,
				 form->output->width, form->out);
		}
	}
}

/* --- The tables of workloads --- */

/* The next set of the block after this one; the first set comes first. */
static size_t next_set(const struct block *block, size_t set)
{
	return set ? set + 1 : block->from;
}

static void name_set(const struct block *block, size_t set, char heading[HEADING_SIZE])
{
	size_t runs = block->workload->runs[set];

	if (block->form->is_markdown)
		snprintf(heading, HEADING_SIZE, "%s (%zu run%s)", block->form->output->rows->sets->items[set].label,
			 runs, runs == 1 ? "" : "s");
	else
		snprintf(heading, HEADING_SIZE, "%c", 'A' + (int)set);
}

static bool can_have_verdicts(const struct block *block)
{
	const size_t *runs = block->workload->runs;
	bool can = false;

	for (size_t set = block->from; set < block->to; set++)
		can = can || (runs[0] >= COMPARISON_RUNS_MIN && runs[set] >= COMPARISON_RUNS_MIN);
	return can;
}

static void make_columns(struct block *block)
{
	static const struct table_column changes[] = {
	    {"change", "change", TABLE_VALUE, TABLE_KEPT},
	    {"interval", "95 % interval", TABLE_WORD, TABLE_ALWAYS},
	    {"verdict", "verdict", TABLE_VERDICT, TABLE_KEPT},
	};
	struct table_column *column = block->columns;

	*column++ = (struct table_column){"metric", "metric", TABLE_TEXT, TABLE_ALWAYS};
	for (size_t set = 0; set < block->to; set = next_set(block, set)) {
		name_set(block, set, block->headings[set]);
		*column++ = (struct table_column){"value", block->headings[set], TABLE_VALUE, TABLE_ALWAYS};
		for (size_t i = 0; set && i < (block->has_verdicts ? PARTS - 1 : 1); i++)
			*column++ = changes[i];
	}
	*column = (struct table_column){0};
}

/* Markdown also shows the spread. */
static void add_value(const struct block *block, const struct comparison_sample *sample,
		      const struct metric_scale *scale, struct table *table)
{
	char text[2 * METRIC_TEXT_SIZE + 8], value[METRIC_TEXT_SIZE], spread[METRIC_TEXT_SIZE];

	metric_value_text(sample->median, scale, value);
	spread_text(sample, spread);
	bool has_spread = block->form->is_markdown && spread[0];
	snprintf(text, sizeof(text), "%s%s%s", value, has_spread ? " ± " : "", has_spread ? spread : "");
	table_string(table, text);
}

static void add_row(struct block *block, const struct comparison_row *row)
{
	const struct metric_scale scale = metric_scale_of(row);
	struct table *table = &block->table;
	char text[METRIC_TEXT_SIZE];

	table_string(table, row->metric->name);
	for (size_t set = 0; set < block->to; set = next_set(block, set)) {
		const struct comparison_cell *cell = &row->cells[set];
		add_value(block, &cell->sample, &scale, table);
		if (!set)
			continue;
		table_string(table, change_text(&cell->against, &scale, text));
		if (!block->has_verdicts)
			continue;
		table_string(table, interval_text(&cell->against, &scale, text));
		table_string(table, verdict_text(cell, &scale, text));
		if (comparison_differs(&cell->against))
			table_strong(table);
	}
}

/* True if the row is shown; with --details=changed, only changes in sets of the block count. */
static bool wants_row(const struct block *block, const struct comparison_row *row)
{
	bool has_changed = !block->form->output->changed;

	for (size_t set = block->from; set < block->to; set++)
		has_changed = has_changed || comparison_differs(&row->cells[set].against);
	return has_changed && compare_wants_row(block->form->output, row);
}

static const struct comparison_row *next_row(const struct block *block, size_t *at)
{
	while (*at < block->workload->row_count) {
		size_t number = block->workload->first_row + (*at)++;
		const struct comparison_row *row = &block->form->output->rows->rows[number];
		if (wants_row(block, row))
			return row;
	}
	return NULL;
}

static void make_table(struct block *block, size_t from, size_t to)
{
	const struct comparison_row *row;

	block->from = from;
	block->to = to;
	block->has_verdicts = can_have_verdicts(block);
	make_columns(block);
	block->table = table_of(block->columns);
	for (size_t at = 0; (row = next_row(block, &at));)
		add_row(block, row);
}

static void put_heading(const struct block *block)
{
	const struct form *form = block->form;
	const struct run_set *sets = form->output->rows->sets->items;
	struct buffer title = {0}, labels = {0};

	if (form->is_markdown) {
		buffer_text(form->out, "### ");
		put_name(form, block->workload->name);
		buffer_text(form->out, "\n\n");
		return;
	}
	compare_add_name(&title, block->workload->name);
	buffer_printf(&title, ": %zu run%s", block->workload->runs[0], block->workload->runs[0] == 1 ? "" : "s");
	for (size_t set = block->from; set < block->to; set++)
		buffer_printf(&title, "%s%zu", set > block->from ? ", " : " against ", block->workload->runs[set]);
	wrap_add(title.data, 0, 4, form->output->width, form->out);
	buffer_free(&title);
	for (size_t set = 0; set < block->to; set = next_set(block, set)) {
		buffer_printf(&labels, "%s%c ", set ? ", " : "", 'A' + (int)set);
		compare_add_name(&labels, sets[set].label);
	}
	wrap_add(labels.data, 0, 4, form->output->width, form->out);
	buffer_free(&labels);
}

/* Adds the numbers of runs with a value, if some runs have none. */
static void put_runs(const struct block *block, const struct comparison_row *row)
{
	struct buffer *out = block->form->out;
	bool differs = false;

	for (size_t set = 0; set < block->to; set = next_set(block, set))
		differs = differs || row->cells[set].sample.count != block->workload->runs[set];
	if (!differs)
		return;
	buffer_printf(out, "  %s: runs with a value: ", row->metric->name);
	for (size_t set = 0; set < block->to; set = next_set(block, set))
		buffer_printf(out, "%s%zu", set ? ", " : "", row->cells[set].sample.count);
	buffer_text(out, "\n");
}

static void put_bound(const struct block *block, const struct comparison_row *row)
{
	const struct metric_scale scale = metric_scale_of(row);
	bool lacks_bound = false;

	for (size_t set = block->from; set < block->to; set++)
		lacks_bound |= isinf(shown_change(&row->cells[set].against, &scale).difference.high) != 0;
	if (lacks_bound)
		buffer_printf(block->form->out, "  %s: no upper bound, A has a run with 0\n", row->metric->name);
}

static void put_block(const struct block *block)
{
	const struct form *form = block->form;
	const struct comparison_row *row;

	if (block->table.cell_count == 0)
		return;
	put_heading(block);
	if (!block->has_verdicts)
		buffer_printf(form->out, "No verdicts: these need %d runs of each set.\n%s", COMPARISON_RUNS_MIN,
			      form->is_markdown ? "\n" : "");
	if (form->is_markdown)
		table_write_markdown(&block->table, form->out);
	else
		table_write_text(&block->table, form->output->width, form->out);
	for (size_t at = 0; !form->is_markdown && (row = next_row(block, &at));) {
		put_runs(block, row);
		put_bound(block, row);
	}
	buffer_text(form->out, "\n");
}

static void put_workload(const struct form *form, const struct comparison_workload *workload)
{
	const size_t count = form->output->rows->sets->count;
	struct block block = {.form = form, .workload = workload};

	make_table(&block, 1, count);
	bool fits = form->is_markdown || table_fits(&block.table, form->output->width);
	if (fits)
		put_block(&block);
	table_free(&block.table);
	for (size_t set = 1; set < count && !fits; set++) {
		make_table(&block, set, set + 1);
		put_block(&block);
		table_free(&block.table);
	}
}

/* --- The overview: one row per workload, one column per metric, changes only --- */

#define OVERVIEW_LEGEND                                                                                                \
	"✓ better, ✗ worse, ≠ different, = equal, ≈ negligible, ~ unclear: ≤ is the\n"                       \
	"largest difference that could have been missed; ~ alone: no limit. -: no value,\n"                            \
	"or the same in all runs. ?: not significant after correction; (): needs ≥5\n"                               \
	"runs. --details shows all metrics, with values and intervals."
#define OVERVIEW_LEGEND_WIDTH 80

enum {
	NARROW = 4, /* number of columns that fit into 80 characters */
	CELL_SIZE = 2 * METRIC_TEXT_SIZE,
	OVERVIEW_HEADING_SIZE = 64,
};

_Static_assert(METRICS_MAX + 1 <= TABLE_COLUMNS_MAX, "a column per metric");

/* The columns: those of --metric; otherwise the main metrics and those with the most significant differences. */
struct overview {
	const struct metric *metrics[METRICS_MAX];
	char headings[METRICS_MAX][OVERVIEW_HEADING_SIZE];
	struct table_column columns[METRICS_MAX + 2];
	size_t metric_count;
	size_t hidden; /* number of significant differences in other metrics */
};

static void choose_metrics(const struct compare_output *output, struct overview *overview)
{
	const struct option_list *chosen = &output->choice->metrics;

	for (const struct metric *const *metric = output->rows->sets->metrics; *metric && chosen->count; metric++)
		if (patterns_fit(chosen, (*metric)->name))
			overview->metrics[overview->metric_count++] = *metric;
	if (!chosen->count)
		overview->metric_count = comparison_columns(output->rows, overview->metrics);
	overview->hidden = comparison_count_hidden(output->rows, overview->metrics, overview->metric_count);
}

/* One word per line keeps the column narrow. */
static void break_heading(const struct metric *metric, char heading[OVERVIEW_HEADING_SIZE])
{
	snprintf(heading, OVERVIEW_HEADING_SIZE, "%s", metric->heading);
	for (char *at = heading; (at = strchr(at, ' '));)
		*at = '\n';
}

static void make_overview(const struct compare_output *output, struct overview *overview)
{
	*overview = (struct overview){.columns = {{"workload", "workload", TABLE_TEXT, TABLE_ALWAYS}}};
	choose_metrics(output, overview);
	for (size_t i = 0; i < overview->metric_count; i++) {
		const struct metric *metric = overview->metrics[i];
		break_heading(metric, overview->headings[i]);
		overview->columns[i + 1] = (struct table_column){metric->name, overview->headings[i], TABLE_VALUE,
								 i < NARROW ? TABLE_ALWAYS : TABLE_WIDE};
	}
}

/* Aligns the values: an absent mark takes the width of a mark. */
static void add_overview_cell(const struct comparison_row *row, size_t set, struct table *table)
{
	char change[METRIC_TEXT_SIZE], text[CELL_SIZE];

	if (!row || row->cells[set].against.verdict <= VERDICT_NOT_EXERCISED) {
		table_string(table, "-   ");
		return;
	}
	const struct comparison_cell *cell = &row->cells[set];
	enum comparison_verdict verdict = cell->against.verdict;
	const struct metric_scale scale = metric_scale_of(row);
	if (verdict == VERDICT_UNCLEAR)
		missed_text(&cell->against, &scale, change);
	else
		change_text(&cell->against, &scale, change);
	const char *mark = comparison_verdict_mark(verdict);
	snprintf(text, sizeof(text), verdict == VERDICT_TOO_FEW ? "(%s) %s%s" : "%s %s%s", change, *mark ? mark : " ",
		 comparison_is_doubtful(cell) ? "?" : " ");
	table_string(table, text);
}

/* The rows of one set compared with the first one: "+12.3% ✓?", in brackets if there are too few runs. */
static void fill_overview(const struct compare_output *output, const struct overview *overview, size_t set,
			  struct table *table)
{
	const struct comparison_rows *rows = output->rows;

	*table = table_of(overview->columns);
	for (size_t at = 0; at < rows->workload_count; at++) {
		table_string(table, rows->workloads[at].name);
		for (size_t i = 0; i < overview->metric_count; i++)
			add_overview_cell(comparison_find_row(rows, &rows->workloads[at], overview->metrics[i]), set,
					  table);
	}
}

static void put_legend(const struct form *form)
{
	unsigned int width = form->output->width;

	if (width && width < OVERVIEW_LEGEND_WIDTH && !form->is_markdown)
		wrap_add(OVERVIEW_LEGEND, 0, 0, width, form->out);
	else
		buffer_text(form->out, OVERVIEW_LEGEND "\n");
	buffer_text(form->out, "\n");
}

static void put_hidden(const struct form *form, size_t count)
{
	struct buffer text = {0};

	buffer_printf(&text, "%zu significant difference%s of other metrics: --details=changed shows %s.", count,
		      count == 1 ? " is" : "s are", count == 1 ? "it" : "them");
	wrap_add(text.data, 0, 0, form->output->width, form->out);
	buffer_text(form->out, "\n");
	buffer_free(&text);
}

static void put_overview(const struct form *form)
{
	const struct run_sets *sets = form->output->rows->sets;
	struct overview overview;
	struct table table;

	make_overview(form->output, &overview);
	for (size_t set = 1; set < sets->count; set++) {
		put_name(form, sets->items[0].label);
		buffer_text(form->out, form->is_markdown ? " → " : " -> ");
		put_name(form, sets->items[set].label);
		buffer_text(form->out, ": change of the medians\n\n");
		fill_overview(form->output, &overview, set, &table);
		if (form->is_markdown)
			table_write_markdown(&table, form->out);
		else
			table_write_text(&table, form->output->width, form->out);
		table_free(&table);
		buffer_text(form->out, "\n");
	}
	put_legend(form);
	if (overview.hidden)
		put_hidden(form, overview.hidden);
}

/* --- Gates --- */

/* Failed gates come first. */
static const enum gate_result gate_order[] = {GATE_FAIL, GATE_INCONCLUSIVE, GATE_NOT_EXERCISED, GATE_PASS};

/* The next case, by this order of results; NULL at the end. *at starts as 0. */
static const struct gate_case *next_case(const struct compare_gates *gates, size_t *at)
{
	enum { ORDERS = sizeof(gate_order) / sizeof(*gate_order) };

	for (; *at < ORDERS * gates->case_count; ++*at)
		if (gates->cases[*at % gates->case_count].result == gate_order[*at / gates->case_count])
			return &gates->cases[(*at)++ % gates->case_count];
	return NULL;
}

/* The length of the first word of a shell command, including quoted parts. */
static size_t shell_word(const char *text)
{
	size_t length = 0;
	bool is_quoted = false;

	for (; text[length] && (is_quoted || text[length] != ' '); length++) {
		if (text[length] == '\'')
			is_quoted = !is_quoted;
		else if (text[length] == '\\' && !is_quoted && text[length + 1])
			length++;
	}
	return length;
}

/* Wraps a command so that a shell joins its lines again when they are copied. */
static void put_command(const char *command, size_t column, size_t width, struct buffer *out)
{
	enum { INDENT = 4, JOIN = 2 };

	for (size_t length; *command; command += length + (command[length] == ' ')) {
		length = shell_word(command);
		const size_t columns = utf8_columns(command, length);
		const size_t join = command[length] ? JOIN : 0;
		if (width && column > INDENT && column + columns + join > width) {
			buffer_printf(out, "\\\n%*s", INDENT, "");
			column = INDENT;
		}
		buffer_add(out, command, length);
		buffer_text(out, command[length] ? " " : "");
		column += columns + 1;
	}
}

static void put_repeat(const struct form *form, const char *repeat)
{
	static const char label[] = "  repeat: ";
	struct buffer command = {0};

	compare_add_name(&command, repeat);
	buffer_text(form->out, label);
	put_command(command.data, sizeof(label) - 1, form->output->width, form->out);
	buffer_text(form->out, "\n");
	buffer_free(&command);
}

static void put_gates_text(const struct form *form)
{
	const struct comparison_rows *rows = form->output->rows;
	const struct compare_gates *gates = form->output->gates;
	const struct gate_case *gate_case;
	char reason[256];

	for (size_t at = 0; (gate_case = next_case(gates, &at));) {
		gate_case_reason(gate_case, reason, sizeof(reason));
		buffer_printf(form->out, "%s %s, ", gate_result_text(gate_case->result),
			      gate_case->gate->condition.text);
		put_name(form, gate_case_workload(gate_case, rows));
		if (rows->sets->count > 2) {
			buffer_text(form->out, ", ");
			put_name(form, rows->sets->items[gate_case->set].label);
		}
		buffer_printf(form->out, ": %s\n", reason);
		if (gate_case->repeat)
			put_repeat(form, gate_case->repeat);
	}
	buffer_text(form->out, gates->case_count && !form->output->gates_only ? "\n" : "");
}

static void put_gates_markdown(const struct form *form)
{
	static const struct table_column columns[] = {
	    {"gate", "gate", TABLE_TEXT, TABLE_ALWAYS},     {"workload", "workload", TABLE_TEXT, TABLE_ALWAYS},
	    {"set", "set", TABLE_TEXT, TABLE_ALWAYS},       {"result", "result", TABLE_WORD, TABLE_ALWAYS},
	    {"reason", "reason", TABLE_WORD, TABLE_ALWAYS}, {.key = NULL},
	};
	const struct comparison_rows *rows = form->output->rows;
	const struct compare_gates *gates = form->output->gates;
	const struct gate_case *gate_case;
	char reason[256];

	if (gates->case_count == 0)
		return;
	struct table table = table_of(columns);
	for (size_t at = 0; (gate_case = next_case(gates, &at));) {
		gate_case_reason(gate_case, reason, sizeof(reason));
		table_string(&table, gate_case->gate->condition.text);
		table_string(&table, gate_case_workload(gate_case, rows));
		table_string(&table, rows->sets->items[gate_case->set].label);
		table_string(&table, gate_result_text(gate_case->result));
		if (gate_case->result != GATE_PASS)
			table_strong(&table);
		table_string(&table, reason);
	}
	buffer_text(form->out, "### Gates\n\n");
	table_write_markdown(&table, form->out);
	buffer_text(form->out, "\n");
	table_free(&table);
	for (size_t at = 0; (gate_case = next_case(gates, &at));) {
		if (!gate_case->repeat)
			continue;
		put_name(form, gate_case->gate->condition.text);
		buffer_text(form->out, " fails in: ");
		put_name(form, gate_case->repeat);
		buffer_text(form->out, "\n\n");
	}
}

/* --- The forms --- */

static void put_section(const struct form *form, const struct remark_lines *lines)
{
	put_lines(form, lines);
	buffer_text(form->out, lines->count ? "\n" : "");
}

static void write_form(const struct form *form)
{
	const struct compare_output *output = form->output;
	struct remark_lines answer = {0}, decisions = {0}, findings = {0}, summary = {0};

	(form->is_markdown ? put_gates_markdown : put_gates_text)(form);
	if (output->gates_only)
		return;
	compare_add_answer(output, &answer);
	put_section(form, &answer);
	remark_lines_free(&answer);
	compare_add_decisions(output, &decisions);
	put_section(form, &decisions);
	remark_lines_free(&decisions);
	compare_add_findings(output, &findings);
	put_section(form, &findings);
	remark_lines_free(&findings);
	put_section(form, &output->remarks->lines);
	if (output->overview)
		put_overview(form);
	for (size_t at = 0; at < output->rows->workload_count && !output->overview; at++)
		put_workload(form, &output->rows->workloads[at]);
	compare_add_summaries(output, &summary);
	put_lines(form, &summary);
	buffer_text(form->out, form->is_markdown && summary.count ? "\n" : "");
	remark_lines_free(&summary);
}

void compare_write_text(const struct compare_output *output, struct buffer *out)
{
	write_form(&(struct form){.output = output, .out = out});
}

void compare_write_markdown(const struct compare_output *output, struct buffer *out)
{
	write_form(&(struct form){.output = output, .is_markdown = true, .out = out});
}
