/* SPDX-License-Identifier: MIT
 *
 * Parser of tracefs events/SYSTEM/NAME/format files: the event's ID, and the offset and size of each field in its
 * record. Nothing is copied: everything points into the text, which must outlive the struct.
 * Source: f_show() and f_start() in kernel/trace/trace_events.c. Input is hostile. */
#ifndef TRACE_FORMAT_EVENT_FORMAT_H
#define TRACE_FORMAT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Characters without a terminating NUL. */
struct text_span {
	const char *text;
	size_t length;
};

bool text_span_is(struct text_span span, const char *text);
/* Removes prefix from the front of *span if *span starts with it. */
bool text_span_take(struct text_span *span, const char *prefix);
/* Removes the next line from the front of *rest, without its newline; false at the end. */
bool text_span_line(struct text_span *rest, struct text_span *line);

enum field_array {
	FIELD_SINGLE,
	FIELD_ARRAY,    /* TYPE NAME[N], size bytes in place */
	FIELD_DATA_LOC, /* __data_loc TYPE[] NAME: a u32, length << 16 | offset from the start of the record */
	FIELD_REL_LOC,  /* __rel_loc TYPE[] NAME: the same, offset from the end of that u32 */
};

struct event_field {
	struct text_span type; /* "unsigned short", "char" of char comm[16], "char" of __data_loc char[] comm */
	struct text_span name;
	uint32_t offset, size; /* bytes in the record; their sum is at most EVENT_RECORD_MAX */
	bool is_signed;
	enum field_array array;
};

/* Upper bound of the page size, and so of the length of a ring-buffer record. */
#define EVENT_RECORD_MAX (1u << 26)

struct event_format {
	struct text_span system; /* given by the caller; may be empty */
	struct text_span name;
	uint32_t id;
	struct text_span fields;       /* the lines after "format:" */
	struct text_span print_format; /* the text after "print fmt: "; may be empty */
};

/* Parses the text of a format file. STATUS_CORRUPT names the event if known. Fields are checked when they are
 * read. */
enum status event_format_parse(struct text_span text, struct text_span system, struct event_format *format,
			       struct error *err);

/* Removes the next field from *lines, which starts as format->fields. STATUS_END after the last one,
 * STATUS_CORRUPT for a malformed "field:" line. where is for the error message. */
enum status event_field_next(struct text_span *lines, const char *where, struct event_field *field, struct error *err);

/* The field of this name. STATUS_UNSUPPORTED if the event has none. */
enum status event_format_field(const struct event_format *format, const char *name, struct event_field *field,
			       struct error *err);

struct event_format_table {
	struct event_format *formats; /* in the order of the file */
	size_t count, capacity;
};

void event_format_table_add(struct event_format_table *table, const struct event_format *format);
/* The first event of this system and name, or NULL. */
const struct event_format *event_format_find(const struct event_format_table *table, const char *system,
					     const char *name);
void event_format_table_free(struct event_format_table *table);

#endif
