/* SPDX-License-Identifier: MIT
 *
 * Renders an event as the kernel's text trace does: the event's own print fmt, compiled once into pieces
 * (event_text_compile.c), is filled in from each record. An event whose print fmt has an unsupported construct is
 * written as "field=value" instead. Pure. Source: the formats themselves; lib/vsprintf.c for the conversions. Input is
 * hostile. */
#ifndef TRACE_FORMAT_EVENT_TEXT_H
#define TRACE_FORMAT_EVENT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/format/event_format.h"
#include "trace/format/print_expression.h"
#include "trace/format/ring_page.h"

/* Cache of an expression's texts for small values; nearly all values are small. */
#define PIECE_TEXTS     512u
#define PIECE_TEXT_SIZE 24u

struct piece_texts {
	uint8_t lengths[PIECE_TEXTS]; /* length + 1; 0 if not rendered yet */
	char texts[PIECE_TEXTS][PIECE_TEXT_SIZE];
};

enum piece_kind {
	PIECE_LITERAL,
	PIECE_NUMBER,     /* %d %i %u %x %X %o */
	PIECE_CHARACTER,  /* %c */
	PIECE_STRING,     /* %s of a string field */
	PIECE_EXPRESSION, /* %s of an expression over one field */
};

struct event_piece {
	enum piece_kind kind;
	struct text_span literal; /* in event_text.literals */
	struct event_field field;
	char conversion;
	uint8_t argument_size; /* of the C argument: 1 (hh), 2 (h), 4, 8 (l, ll, z) */
	bool left, zeros, alternate;
	uint32_t width;
	struct print_expression *expression;
	struct piece_texts *texts; /* or NULL */
};

#define PIECES_MAX 64

struct event_text {
	const struct event_format *format;
	bool is_mark;   /* ftrace/print: text written to trace_marker */
	bool by_fields; /* the print fmt has an unsupported construct */
	struct event_field mark;
	char *literals; /* the format string with its escapes resolved */
	size_t piece_count;
	struct event_piece pieces[PIECES_MAX];
};

/* An unsupported print fmt is no error (by_fields). format must outlive the text; event_text_free() it. */
struct event_text *event_text_compile(const struct event_format *format);
void event_text_free(struct event_text *text);

/* Adds "NAME: TEXT" without a newline. Fields beyond the record's end are written as 0 or as an empty string. */
void event_text_add(struct event_text *text, const struct ring_record *record, struct buffer *out);

/* A number of 1, 2, 4 or 8 bytes within the record; 0 if it is beyond the record's end. */
uint64_t event_number(const struct ring_record *record, uint32_t offset, uint32_t size, bool is_signed);
/* The bytes of a string field up to its NUL. */
struct text_span event_string(const struct ring_record *record, const struct event_field *field);

#endif
