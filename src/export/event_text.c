/* SPDX-License-Identifier: MIT */
#include "export/event_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "trace/event_rows.h"
#include "trace/format/state_names.h"

#define FIELD_NAME_MAX 64
#define NUMBER_ROOM    64 /* for a number or a state */

enum piece_kind {
	PIECE_NUMBER,
	PIECE_STRING,
	PIECE_STATE, /* letters: trace/format/state_names.h */
	PIECE_BYTES,
};

/* A field and the literal text in front of it. */
struct event_piece {
	enum piece_kind kind;
	size_t literal_length;
	struct event_field field;
	uint32_t width; /* of a number, filled with zeros: one digit */
};

struct event_text {
	bool is_mark; /* the event is ftrace/print: text written to trace_marker */
	struct event_field mark;
	struct buffer literals; /* the literal texts of all pieces, then the rest of the format */
	size_t pieces_length;   /* length of the literals of the pieces */
	struct event_piece *pieces;
	size_t count, capacity;
	struct state_names states; /* for prev_state */
};

/* --- Values --- */

/* memcpy() of a constant length is inlined. */
static uint64_t load_value(const uint8_t *from, uint32_t size)
{
	uint64_t eight;
	uint32_t four;
	uint16_t two;

	switch (size) {
	case 8:
		memcpy(&eight, from, sizeof(eight));
		return eight;
	case 4:
		memcpy(&four, from, sizeof(four));
		return four;
	case 2:
		memcpy(&two, from, sizeof(two));
		return two;
	case 1:
		return *from;
	default:
		return 0;
	}
}

uint64_t event_number(const struct ring_record *record, uint32_t offset, uint32_t size, bool is_signed)
{
	if (size > sizeof(uint64_t) || offset > record->length || size > record->length - offset)
		return 0;
	uint64_t value = load_value(record->data + offset, size);
	if (is_signed && size && size < sizeof(value) && value >> (8 * size - 1))
		value |= ~UINT64_C(0) << (8 * size);
	return value;
}

/* Like strnlen(), but faster for short texts. */
static size_t text_length(const char *text, size_t max)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t length = 0;

	for (; length + 8 <= max; length += 8) {
		uint64_t eight;
		memcpy(&eight, text + length, sizeof(eight));
		uint64_t nuls = (eight - ones) & ~eight & ones << 7;
		if (nuls)
			return length + (size_t)__builtin_ctzll(nuls) / 8;
	}
	while (length < max && text[length])
		length++;
	return length;
}

struct text_span event_string(const struct ring_record *record, const struct event_field *field)
{
	uint64_t offset = field->offset;
	uint64_t length = field->size;

	if (field->array == FIELD_DATA_LOC || field->array == FIELD_REL_LOC) {
		uint64_t word = event_number(record, field->offset, 4, false);
		offset = (word & 0xffff) + (field->array == FIELD_REL_LOC ? field->offset + 4 : 0);
		length = word >> 16;
	}
	if (offset >= record->length)
		return (struct text_span){"", 0};
	if (length > record->length - offset)
		length = record->length - offset;
	const char *from = (const char *)record->data + offset;
	return (struct text_span){from, text_length(from, length)};
}

/* --- Compiling --- */

/* Adds a piece for the field, with the literal text since the last piece. */
static struct event_piece *add_piece(struct event_text *text, const struct event_field *field, enum piece_kind kind)
{
	text->pieces = array_grow(text->pieces, &text->capacity, text->count + 1, sizeof(*text->pieces));
	struct event_piece *piece = &text->pieces[text->count++];
	*piece = (struct event_piece){
	    .kind = kind, .literal_length = text->literals.length - text->pieces_length, .field = *field};
	text->pieces_length = text->literals.length;
	return piece;
}

static bool is_number(const struct event_field *field)
{
	return field->array == FIELD_SINGLE &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

static void skip_chars(struct text_span *span, size_t count)
{
	span->text += count;
	span->length -= count;
}

/* Copies the word before the '=' at end: "pid" of "comm=%s pid=". False if there is none, or if it is too long. */
static bool copy_name(const char *start, const char *end, char name[FIELD_NAME_MAX])
{
	if (end == start || *--end != '=')
		return false;
	const char *from = end;
	while (from > start && from[-1] != ' ')
		from--;
	size_t length = (size_t)(end - from);
	if (length == 0 || length >= FIELD_NAME_MAX)
		return false;
	memcpy(name, from, length);
	name[length] = '\0';
	return true;
}

/* Compiles a conversion of a number up to its letter: "%d", "%03d", "%Lu". */
static bool compile_number(struct event_text *text, const struct event_field *field, struct text_span *rest)
{
	struct event_piece *piece = add_piece(text, field, PIECE_NUMBER);

	if (!is_number(field))
		return false;
	if (text_span_take(rest, "0") && rest->length && *rest->text >= '1' && *rest->text <= '9') {
		piece->width = (uint32_t)(*rest->text - '0');
		skip_chars(rest, 1);
	}
	while (text_span_take(rest, "l") || text_span_take(rest, "L"))
		;
	return text_span_take(rest, field->is_signed ? "d" : "u");
}

/* Compiles the conversion after "%" in the format string, which starts at start. */
static bool compile_conversion(struct event_text *text, const struct event_format *format, const char *start,
			       struct text_span *rest)
{
	char name[FIELD_NAME_MAX];
	struct event_field field;

	if (!copy_name(start, rest->text - 1, name) || event_format_field(format, name, &field, NULL) != STATUS_OK)
		return false;
	if (!text_span_take(rest, "s"))
		return compile_number(text, &field, rest);
	if (!is_number(&field)) {
		add_piece(text, &field, PIECE_STRING);
		return field.array != FIELD_SINGLE;
	}
	while (text_span_take(rest, "%s"))
		;
	add_piece(text, &field, PIECE_STATE);
	return strcmp(name, "prev_state") == 0 && state_names_parse(format, &text->states, NULL) == STATUS_OK;
}

static bool compile_format_string(struct event_text *text, const struct event_format *format)
{
	struct text_span rest = format->print_format;

	if (!text_span_take(&rest, "\""))
		return false;
	buffer_text(&text->literals, " ");
	const char *start = rest.text;
	while (rest.length) {
		char c = *rest.text;
		skip_chars(&rest, 1);
		if (c == '"')
			return true;
		if (c == '\\' || (c == '%' && !compile_conversion(text, format, start, &rest)))
			return false;
		if (c != '%')
			buffer_add(&text->literals, &c, 1);
	}
	return false;
}

/* Compiles " field=value" for all fields except the common ones. */
static void compile_fields(struct event_text *text, const struct event_format *format)
{
	struct text_span lines = format->fields;
	struct event_field field;

	while (event_field_next(&lines, "", &field, NULL) == STATUS_OK) {
		struct text_span name = field.name;
		if (text_span_take(&name, "common_"))
			continue;
		buffer_printf(&text->literals, " %.*s=", (int)field.name.length, field.name.text);
		bool is_single = field.array == FIELD_SINGLE && field.size <= 8;
		bool is_text = field.array != FIELD_SINGLE && text_span_is(field.type, "char");
		add_piece(text, &field, is_single ? PIECE_NUMBER : is_text ? PIECE_STRING : PIECE_BYTES);
	}
}

static bool is_known(const struct event_format *format)
{
	for (size_t i = 0; i < SCHED_EVENT_ROWS; i++)
		if (text_span_is(format->system, event_rows[i].system) &&
		    text_span_is(format->name, event_rows[i].name))
			return true;
	return false;
}

struct event_text *event_text_compile(const struct event_format *format)
{
	struct event_text *text = xcalloc(1, sizeof(*text));

	text->is_mark = text_span_is(format->system, "ftrace") && text_span_is(format->name, "print") &&
			event_format_field(format, "buf", &text->mark, NULL) == STATUS_OK;
	if (text->is_mark)
		return text;
	buffer_add(&text->literals, format->name.text, format->name.length);
	buffer_text(&text->literals, ":");
	size_t name_length = text->literals.length;
	if (!is_known(format) || !compile_format_string(text, format)) {
		text->count = 0;
		text->pieces_length = 0;
		text->literals.length = name_length;
		compile_fields(text, format);
	}
	return text;
}

void event_text_free(struct event_text *text)
{
	if (!text)
		return;
	free(text->pieces);
	buffer_free(&text->literals);
	free(text);
}

/* --- Writing --- */

/* Like the kernel's %d and %0Nd, or %u. */
static char *put_number(const struct event_piece *piece, uint64_t value, char *to)
{
	uint32_t width = piece->width;

	if (piece->field.is_signed && (int64_t)value < 0) {
		*to++ = '-';
		value = 0 - value;
		width -= width > 0;
	}
	return width > 1 ? decimal_put_padded(to, value, width, '0') : decimal_put(to, value);
}

static char *put_bytes(const struct ring_record *record, const struct event_field *field, char *to)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t end = (uint64_t)field->offset + field->size;

	for (uint64_t at = field->offset; at < end && at < record->length; at++) {
		*to++ = digits[record->data[at] >> 4];
		*to++ = digits[record->data[at] & 0xf];
	}
	return to;
}

static void add_field(const struct event_text *text, const struct event_piece *piece, const struct ring_record *record,
		      const char *literal, struct buffer *out)
{
	const struct event_field *field = &piece->field;
	struct text_span string = {"", 0};

	if (piece->kind == PIECE_STRING)
		string = event_string(record, field);
	size_t room = piece->literal_length + string.length + NUMBER_ROOM;
	if (piece->kind == PIECE_BYTES)
		room += 2 * (size_t)record->length;
	char *start = buffer_reserve(out, room);
	char *to = copy_short(start, literal, piece->literal_length);
	uint64_t number = event_number(record, field->offset, field->size, field->is_signed);
	if (piece->kind == PIECE_STRING)
		to = copy_short(to, string.text, string.length);
	else if (piece->kind == PIECE_BYTES)
		to = put_bytes(record, field, to);
	else if (piece->kind == PIECE_STATE)
		to += state_names_text(&text->states, number, to, NUMBER_ROOM);
	else
		to = put_number(piece, number, to);
	out->length += (size_t)(to - start);
}

/* The kernel prints the function that wrote the mark: tracing_mark_write for every write to trace_marker. The newline
 * that the kernel stores after the text ends the line. Source: trace_print_print() in kernel/trace/trace_output.c. */
static void add_mark(const struct event_text *text, const struct ring_record *record, struct buffer *out)
{
	struct event_field field = text->mark;

	if (field.array == FIELD_SINGLE || field.array == FIELD_ARRAY)
		field.size = EVENT_RECORD_MAX; /* up to the record's end or the first NUL */
	struct text_span mark = event_string(record, &field);
	if (mark.length && mark.text[mark.length - 1] == '\n')
		mark.length--;
	buffer_text(out, "tracing_mark_write: ");
	buffer_add(out, mark.text, mark.length);
}

void event_text_add(const struct event_text *text, const struct ring_record *record, struct buffer *out)
{
	if (text->is_mark) {
		add_mark(text, record, out);
		return;
	}
	const char *literal = text->literals.data;
	for (size_t i = 0; i < text->count; i++) {
		add_field(text, &text->pieces[i], record, literal, out);
		literal += text->pieces[i].literal_length;
	}
	buffer_add(out, literal, text->literals.length - text->pieces_length);
}
