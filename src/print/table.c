/* SPDX-License-Identifier: MIT */
#include "print/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/escape.h"
#include "base/memory.h"

static bool is_text(enum table_kind kind)
{
	return kind == TABLE_TEXT || kind == TABLE_WORD || kind == TABLE_VERDICT || kind == TABLE_VALUE;
}

struct table table_of(const struct table_column *columns)
{
	struct table table = {.columns = columns};

	while (columns[table.column_count].key)
		table.column_count++;
	return table;
}

static void append_cell(struct table *table, struct table_cell cell)
{
	table->cells = array_grow(table->cells, &table->cell_capacity, table->cell_count + 1, sizeof(*table->cells));
	table->cells[table->cell_count++] = cell;
}

void table_text(struct table *table, const char *bytes, size_t length)
{
	size_t start = table->texts.length;

	buffer_add(&table->texts, bytes, length);
	append_cell(table, (struct table_cell){.value = start, .length = length});
}

void table_number(struct table *table, uint64_t value)
{
	append_cell(table, (struct table_cell){.value = value});
}

void table_signed(struct table *table, int64_t value)
{
	append_cell(table, (struct table_cell){.value = (uint64_t)value});
}

void table_none(struct table *table)
{
	append_cell(table, (struct table_cell){.none = true});
}

void table_numbers(struct table *table, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		table_number(table, values[i]);
}

void table_string(struct table *table, const char *text)
{
	if (text)
		table_text(table, text, strlen(text));
	else
		table_none(table);
}

void table_strong(struct table *table)
{
	table->cells[table->cell_count - 1].is_strong = true;
}

void table_free(struct table *table)
{
	free(table->cells);
	buffer_free(&table->texts);
	*table = (struct table){0};
}

/* value / unit with this number of decimals, rounded. */
static void print_scaled(uint64_t value, uint64_t unit, unsigned int digits, char *text, size_t size)
{
	uint64_t shown = 1;

	for (unsigned int i = 0; i < digits; i++)
		shown *= 10;
	uint64_t step = unit / shown;
	uint64_t rounded = value / step + (value % step >= (step + 1) / 2 && step > 1);
	snprintf(text, size, "%" PRIu64 ".%0*" PRIu64, rounded / shown, (int)digits, rounded % shown);
}

unsigned int table_cell_text(const struct table *table, size_t at, char *text, size_t size)
{
	const struct table_cell *cell = &table->cells[at];

	if (cell->none) {
		snprintf(text, size, "-");
		return 1;
	}
	switch (table->columns[at % table->column_count].kind) {
	case TABLE_TEXT:
	case TABLE_WORD:
	case TABLE_VERDICT:
	case TABLE_VALUE:
		escape_line(table->texts.data + cell->value, cell->length, text, size);
		break;
	case TABLE_SIGNED:
		snprintf(text, size, "%" PRId64, (int64_t)cell->value);
		break;
	case TABLE_SIGNED_MS:
		snprintf(text, size, "%+.3f", (double)(int64_t)cell->value / 1e6);
		break;
	case TABLE_MS:
		print_scaled(cell->value, 1000000, 3, text, size);
		break;
	case TABLE_US:
		print_scaled(cell->value, 1000, 1, text, size);
		break;
	case TABLE_SECONDS:
		print_scaled(cell->value, 1000000000, 6, text, size);
		break;
	case TABLE_PERCENT:
		print_scaled(cell->value, 100, 2, text, size);
		break;
	case TABLE_RATE:
		print_scaled(cell->value, 1000, 3, text, size);
		break;
	case TABLE_BOOLEAN:
		snprintf(text, size, "%s", cell->value ? "true" : "false");
		break;
	default:
		snprintf(text, size, "%" PRIu64, cell->value);
		break;
	}
	return (unsigned int)utf8_columns(text, strlen(text));
}

static void add_csv_cell(const struct table *table, size_t at, struct buffer *out)
{
	const struct table_cell *cell = &table->cells[at];
	enum table_kind kind = table->columns[at % table->column_count].kind;
	char text[TABLE_CELL_SIZE];

	if (cell->none)
		return;
	if (is_text(kind)) {
		csv_field_add(out, table->texts.data + cell->value, cell->length);
	} else if (kind == TABLE_PERCENT) {
		print_scaled(cell->value, 10000, 4, text, sizeof(text));
		buffer_text(out, text);
	} else if (kind == TABLE_RATE || kind == TABLE_SIGNED || kind == TABLE_BOOLEAN) {
		table_cell_text(table, at, text, sizeof(text));
		buffer_text(out, text);
	} else if (kind == TABLE_SIGNED_MS) {
		buffer_printf(out, "%" PRId64, (int64_t)cell->value);
	} else {
		buffer_printf(out, "%" PRIu64, cell->value);
	}
}

static bool is_data(const struct table *table, unsigned int column)
{
	return table->columns[column].use != TABLE_PEOPLE;
}

void table_write_csv_heading(const struct table *table, struct buffer *out)
{
	bool is_first = true;

	for (unsigned int column = 0; column < table->column_count; column++) {
		if (is_data(table, column))
			buffer_printf(out, "%s%s", is_first ? "" : ",", table->columns[column].key);
		is_first = is_first && !is_data(table, column);
	}
	buffer_text(out, "\n");
}

static void add_csv_rows(const struct table *table, struct buffer *out)
{
	bool is_first = true;

	for (size_t at = 0; at < table->cell_count; at++) {
		unsigned int column = (unsigned int)(at % table->column_count);
		is_first = is_first || column == 0;
		if (is_data(table, column)) {
			buffer_text(out, is_first ? "" : ",");
			add_csv_cell(table, at, out);
			is_first = false;
		}
		if (column == table->column_count - 1)
			buffer_text(out, "\n");
	}
}

void table_write_csv(const struct table *table, struct buffer *out)
{
	table_write_csv_heading(table, out);
	add_csv_rows(table, out);
}

static void drop_rows(struct table *table)
{
	table->cell_count = 0;
	buffer_clear(&table->texts);
}

void table_write_csv_rows(struct table *table, struct buffer *out)
{
	add_csv_rows(table, out);
	drop_rows(table);
}

static void add_json_cell(const struct table *table, size_t at, struct json_writer *json)
{
	const struct table_cell *cell = &table->cells[at];
	const struct table_column *column = &table->columns[at % table->column_count];

	if (cell->none)
		json_null(json, column->key);
	else if (is_text(column->kind))
		json_bytes(json, column->key, table->texts.data + cell->value, cell->length);
	else if (column->kind == TABLE_SIGNED || column->kind == TABLE_SIGNED_MS)
		json_i64(json, column->key, (int64_t)cell->value);
	else if (column->kind == TABLE_BOOLEAN)
		json_bool(json, column->key, cell->value);
	else if (column->kind == TABLE_PERCENT)
		json_real(json, column->key, (double)cell->value / 1e4, 4);
	else if (column->kind == TABLE_RATE)
		json_real(json, column->key, (double)cell->value / 1e3, 3);
	else
		json_u64(json, column->key, cell->value);
}

static void add_json_rows(const struct table *table, struct json_writer *json)
{
	for (size_t at = 0; at < table->cell_count; at++) {
		if (at % table->column_count == 0)
			json_object_begin(json, NULL);
		if (is_data(table, (unsigned int)(at % table->column_count)))
			add_json_cell(table, at, json);
		if (at % table->column_count == table->column_count - 1)
			json_object_end(json);
	}
}

void table_write_json(const struct table *table, struct json_writer *json, const char *key)
{
	json_array_begin(json, key);
	add_json_rows(table, json);
	json_array_end(json);
}

void table_write_json_rows(struct table *table, struct json_writer *json)
{
	add_json_rows(table, json);
	drop_rows(table);
}
