/* SPDX-License-Identifier: MIT
 *
 * A table whose columns are declared once and which is printed for people (aligned, units in the headings), as
 * Markdown, as CSV or as JSON (an array of objects). CSV and JSON have whole nanoseconds, and keys that name the
 * unit. */
#ifndef PRINT_TABLE_H
#define PRINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json.h"

enum table_kind {
	TABLE_TEXT,    /* a name: left-aligned, shortened if the table is too wide; escaped for people, bytes in CSV */
	TABLE_WORD,    /* left-aligned words of picknext, never shortened, unchanged in Markdown: verdicts and marks */
	TABLE_VERDICT, /* like TABLE_WORD; the text after a comma (runs to decide) is left out first if there is no room
			*/
	TABLE_VALUE,   /* like TABLE_WORD, right-aligned: a formatted value */
	TABLE_NUMBER,  /* uint64_t */
	TABLE_SIGNED,  /* int64_t */
	TABLE_MS,      /* nanoseconds; as text, milliseconds with three decimals */
	TABLE_SIGNED_MS, /* int64_t nanoseconds; as TABLE_MS, with a sign */
	TABLE_US,        /* nanoseconds; as text, microseconds with one decimal */
	TABLE_SECONDS,   /* nanoseconds; as text, seconds with six decimals */
	TABLE_PERCENT,   /* a share in parts of 10000; as text 12.34, in CSV and JSON 0.1234 */
	TABLE_RATE,      /* thousandths; 12.345 everywhere */
	TABLE_BOOLEAN,   /* true or false */
};

/* If a table is wider than the terminal, columns are left out from the last one on, in this order: columns of
 * TABLE_WIDE; then names are shortened; then all other columns except the first one, TABLE_KEPT and words that are only
 * for people. */
enum table_use {
	TABLE_ALWAYS,
	TABLE_WIDE,
	TABLE_KEPT,
	TABLE_DATA,   /* only in CSV and JSON */
	TABLE_PEOPLE, /* only for people */
	TABLE_BOUNDS, /* bounds_column() makes it TABLE_ALWAYS or TABLE_DATA */
};

struct table_column {
	const char *key;     /* "cpu_time_ns": CSV heading and JSON key */
	const char *heading; /* "CPU time ms"; lines of a heading are separated by \n */
	enum table_kind kind;
	enum table_use use;
};

#define TABLE_COLUMNS_MAX 176

struct table_cell {
	bool none, is_strong;
	uint64_t value; /* or the offset of its text in texts */
	size_t length;
};

struct table {
	const struct table_column *columns;
	unsigned int column_count;
	/* Internal. */
	struct table_cell *cells;
	size_t cell_count, cell_capacity;
	struct buffer texts;
};

/* An empty table. columns end with a key of NULL and must outlive it. */
struct table table_of(const struct table_column *columns);
/* Add the next cell; its type must be that of the next column. table_none() adds an empty cell (null in JSON). */
void table_text(struct table *table, const char *bytes, size_t length);
void table_number(struct table *table, uint64_t value);
void table_signed(struct table *table, int64_t value);
void table_none(struct table *table);
/* Adds the next cells, each a uint64_t. */
#define TABLE_NUMBERS(table, ...)                                                                                      \
	table_numbers(table, (const uint64_t[]){__VA_ARGS__},                                                          \
		      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
void table_numbers(struct table *table, const uint64_t *values, size_t count);
/* NULL is an empty cell. */
void table_string(struct table *table, const char *text);
/* Marks the last cell: bold in Markdown. */
void table_strong(struct table *table);
/* Adds an empty cell if the value is unknown; value is then not evaluated. */
#define TABLE_NUMBER_IF(table, known, value) ((known) ? table_number(table, value) : table_none(table))
#define TABLE_SIGNED_IF(table, known, value) ((known) ? table_signed(table, value) : table_none(table))
/* A value of TABLE_PERCENT, rounded; 0 if whole is 0. */
static inline uint64_t table_share(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)part * 1e4 / (double)whole + 0.5) : 0;
}

/* width: columns of the terminal, 0 for any number. If the table does not fit, names are shortened in the middle, so
 * that different names stay different, and columns are left out (enum table_use); a line below the table names them. */
void table_write_text(const struct table *table, unsigned int width, struct buffer *out);
/* True if the table fits into the width with whole names and all columns but those of TABLE_WIDE. */
bool table_fits(const struct table *table, unsigned int width);
/* A table of Markdown, with all columns. */
void table_write_markdown(const struct table *table, struct buffer *out);
/* Adds text so that Markdown shows it unchanged, whatever characters it has. */
void table_add_markdown_text(const char *text, size_t length, struct buffer *out);
void table_write_csv(const struct table *table, struct buffer *out);
/* Adds the array under key (NULL within an array). */
void table_write_json(const struct table *table, struct json_writer *json, const char *key);
/* For a table of any length: writes the heading first, then the rows in parts; written rows are removed from the table.
 * In JSON, the caller begins and ends the array. */
void table_write_csv_heading(const struct table *table, struct buffer *out);
void table_write_csv_rows(struct table *table, struct buffer *out);
void table_write_json_rows(struct table *table, struct json_writer *json);
void table_free(struct table *table);

/* Internal: the text of a cell. Returns its width in columns. */
#define TABLE_CELL_SIZE 256
unsigned int table_cell_text(const struct table *table, size_t at, char *text, size_t size);

#endif
