/* SPDX-License-Identifier: MIT
 *
 * A table whose columns are declared once and which is printed for people (aligned, units in the headings), as CSV or
 * as JSON (an array of objects). CSV and JSON have whole nanoseconds, and keys that name the unit. */
#ifndef PRINT_TABLE_H
#define PRINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json.h"

enum table_kind {
	TABLE_TEXT,    /* left-aligned; escaped for people, bytes as they are in CSV */
	TABLE_NUMBER,  /* uint64_t */
	TABLE_SIGNED,  /* int64_t */
	TABLE_MS,      /* nanoseconds; people see milliseconds with three decimals */
	TABLE_US,      /* nanoseconds; microseconds with one digit */
	TABLE_SECONDS, /* nanoseconds; seconds with six digits */
	TABLE_PERCENT, /* a share in parts of 10000; people see 12.34, CSV and JSON 0.1234 */
	TABLE_RATE,    /* thousandths; 12.345 everywhere */
	TABLE_BOOLEAN, /* true or false */
};

enum table_use {
	TABLE_ALWAYS,
	TABLE_WIDE,   /* left out for people if the table is wider than the terminal */
	TABLE_DATA,   /* only in CSV and JSON */
	TABLE_PEOPLE, /* only for people */
	TABLE_BOUNDS, /* made TABLE_ALWAYS or TABLE_DATA by bounds_column() */
};

struct table_column {
	const char *key;     /* "cpu_time_ns": CSV heading and JSON key */
	const char *heading; /* "CPU time ms"; lines of a heading are separated by \n */
	enum table_kind kind;
	enum table_use use;
};

#define TABLE_COLUMNS_MAX 48

struct table {
	const struct table_column *columns;
	unsigned int column_count;
	/* Internal. */
	struct table_cell *cells;
	size_t cell_count, cell_capacity;
	struct buffer texts;
};

/* columns end with a key of NULL and must outlive the table. */
void table_begin(struct table *table, const struct table_column *columns);
/* The next cell, of the next column's kind; table_none() is an empty cell (null in JSON). */
void table_text(struct table *table, const char *bytes, size_t length);
void table_number(struct table *table, uint64_t value);
void table_signed(struct table *table, int64_t value);
void table_none(struct table *table);
/* The next cells, each a uint64_t. */
#define TABLE_NUMBERS(table, ...)                                                                                      \
	table_numbers(table, (const uint64_t[]){__VA_ARGS__},                                                          \
		      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
void table_numbers(struct table *table, const uint64_t *values, size_t count);
/* NULL is an empty cell. */
void table_string(struct table *table, const char *text);
/* Empty unless the value is known; it is evaluated only then. */
#define TABLE_NUMBER_IF(table, known, value) ((known) ? table_number(table, value) : table_none(table))

/* width: columns of the terminal, 0 for any number. If the table does not fit, columns of TABLE_WIDE are left out, then
 * long texts are cut. */
void table_write_text(const struct table *table, unsigned int width, struct buffer *out);
void table_write_csv(const struct table *table, struct buffer *out);
/* Adds the array under key (NULL within an array). */
void table_write_json(const struct table *table, struct json_writer *json, const char *key);
/* A table of any length: its heading first, then its rows in parts. The rows are written and dropped from the table. In
 * JSON the caller begins and ends the array. */
void table_write_csv_heading(const struct table *table, struct buffer *out);
void table_write_csv_rows(struct table *table, struct buffer *out);
void table_write_json_rows(struct table *table, struct json_writer *json);
void table_free(struct table *table);

#endif
