/* SPDX-License-Identifier: MIT
 *
 * Compiles an event's print fmt into pieces; event_text.h fills them in. An event whose print fmt has an unsupported
 * construct is written as "field=value" instead. Pure. */
#ifndef TRACE_FORMAT_EVENT_TEXT_COMPILE_H
#define TRACE_FORMAT_EVENT_TEXT_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format/event_format.h"
#include "trace/format/print_expression.h"

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

#endif
