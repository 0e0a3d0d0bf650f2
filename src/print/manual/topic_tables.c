/* SPDX-License-Identifier: MIT */
#include "print/manual/topic_tables.h"

#include <string.h>

#include "base/error.h"
#include "data/csv.h"
#include "data/decision_csv.h"
#include "print/form_table.h"
#include "print/metric_list.h"

/* Adds the text of one row, and returns its name; NULL after the last row. */
typedef const char *table_row(size_t number, struct buffer *text);

static const char *add_column(const struct csv_column *column, struct buffer *text)
{
	if (*column->unit)
		buffer_printf(text, "(%s) ", column->unit);
	buffer_text(text, column->meaning);
	return column->name;
}

static const char *column_row(size_t number, struct buffer *text)
{
	return number < CSV_COLUMNS ? add_column(&csv_columns[number], text) : NULL;
}

static const char *scheduler_column_row(size_t number, struct buffer *text)
{
	return number == 0 ? add_column(&csv_columns[CSV_COLUMNS], text) : NULL;
}

static const char *extended_column_row(size_t number, struct buffer *text)
{
	const size_t first = CSV_ALL_COLUMNS - CSV_EXTENDED_COLUMNS;

	return number < CSV_EXTENDED_COLUMNS ? add_column(&csv_columns[first + number], text) : NULL;
}

static const char *decision_column_row(size_t number, struct buffer *text)
{
	return number < DECISION_ALL_COLUMNS ? add_column(&decision_columns[number], text) : NULL;
}

static const char *deterministic_metrics_row(size_t number, struct buffer *text)
{
	return metric_list_add_reason(number, text) ? "-" : NULL;
}

static const char *exit_code_row(size_t number, struct buffer *text)
{
	const struct exit_code *code = &exit_code_table[number];

	if (code->codes)
		buffer_text(text, code->meaning);
	return code->codes;
}

static const char *metric_row(size_t number, struct buffer *text)
{
	const struct metric *metric = &metric_table[number];

	if (metric->name)
		metric_list_add_meaning(metric, text);
	return metric->name;
}

static const char *form_row(size_t number, struct buffer *text)
{
	const struct compare_form *form = &compare_forms[number];

	if (form->name)
		buffer_text(text, form->help);
	return form->option;
}

static const struct {
	const char *name;
	table_row *row;
} tables[] = {
    {"columns", column_row},
    {"scheduler-column", scheduler_column_row},
    {"extended-columns", extended_column_row},
    {"decision-columns", decision_column_row},
    {"exit-codes", exit_code_row},
    {"metrics", metric_row},
    {"deterministic-metrics", deterministic_metrics_row},
    {"compare-forms", form_row},
};

static size_t widest_name(table_row *row)
{
	struct buffer text = {0};
	size_t widest = 0;
	const char *name;

	for (size_t number = 0; (name = row(number, &text)); number++)
		if (strlen(name) > widest)
			widest = strlen(name);
	buffer_free(&text);
	return widest;
}

static void add_rows(table_row *row, struct buffer *out)
{
	const int width = (int)widest_name(row);
	struct buffer text = {0};
	const char *name;

	for (size_t number = 0; (name = row(number, &text)); number++) {
		buffer_printf(out, "  %-*s  %s\n", width, name, text.data);
		buffer_clear(&text);
	}
	buffer_free(&text);
}

bool topic_table_add(const char *name, size_t length, struct buffer *out)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (strlen(tables[i].name) == length && memcmp(tables[i].name, name, length) == 0) {
			add_rows(tables[i].row, out);
			return true;
		}
	return false;
}
