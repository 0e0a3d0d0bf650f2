/* SPDX-License-Identifier: MIT
 *
 * The text of a tracefs events/SYSTEM/NAME/format file: which record belongs to it (ID) and the place of each field
 * in that record. Nothing is copied: everything points into the text, which must outlive the struct.
 * Source: f_show() and f_start() in kernel/trace/trace_events.c. Input is hostile. */
#ifndef FORMAT_EVENT_FORMAT_H
#define FORMAT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A run of characters without a NUL at its end. */
struct text_span {
	const char *text;
	size_t length;
};

bool text_span_is(struct text_span span, const char *text);
/* Takes the next line off the front of *rest, without its newline; false if nothing is left. */
bool text_span_line(struct text_span *rest, struct text_span *line);

enum field_array {
	FIELD_SINGLE,
	FIELD_ARRAY,    /* TYPE NAME[N], size bytes in place */
	FIELD_DATA_LOC, /* __data_loc TYPE[] NAME: a word, length << 16 | offset from the start of the record */
	FIELD_REL_LOC,  /* __rel_loc TYPE[] NAME: the same, offset from the end of the word */
};

struct event_field {
	struct text_span type; /* "unsigned short", "char" of char comm[16], "char" of __data_loc char[] comm */
	struct text_span name;
	uint32_t offset, size; /* bytes in the record; at most EVENT_RECORD_MAX in sum */
	bool is_signed;
	enum field_array array;
};

/* No ring-buffer record is longer than its page, and no page longer than this. */
#define EVENT_RECORD_MAX (1u << 26)

struct event_format {
	struct text_span system; /* given by the caller; may be empty */
	struct text_span name;
	uint32_t id;
	struct text_span fields;       /* the lines after "format:" */
	struct text_span print_format; /* the text after "print fmt: "; may be empty */
};

/* Parses the text of a format file. STATUS_CORRUPT names the event as far as it is known. The fields are checked
 * when they are asked for. */
enum status event_format_parse(struct text_span text, struct text_span system, struct event_format *format,
			       struct error *err);

/* Takes the next field off *lines, which starts as format->fields. STATUS_END after the last one,
 * STATUS_CORRUPT for a "field:" line that is not one. where is for the error. */
enum status event_field_next(struct text_span *lines, const char *where, struct event_field *field, struct error *err);

/* The field of this name. STATUS_UNSUPPORTED if the event has none. */
enum status event_format_field(const struct event_format *format, const char *name, struct event_field *field,
			       struct error *err);

struct event_format_table {
	struct event_format *formats; /* in the order of the file */
	size_t count, capacity;
};

/* STATUS_SYSTEM when memory runs out. */
enum status event_format_table_add(struct event_format_table *table, const struct event_format *format,
				   struct error *err);
/* The first event of this system and name, or NULL. */
const struct event_format *event_format_find(const struct event_format_table *table, const char *system,
					     const char *name);
void event_format_table_free(struct event_format_table *table);

#endif
