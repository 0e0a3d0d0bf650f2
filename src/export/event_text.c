/* SPDX-License-Identifier: MIT */
#include "export/event_text.h"

#include <string.h>

#include "export/event_piece.h"

#define DIGITS_MOST 24

/* Copies of a known length need no call. */
static uint64_t load(const uint8_t *from, uint32_t size)
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
	uint64_t value = load(record->data + offset, size);
	if (is_signed && size && size < sizeof(value) && value >> (8 * size - 1))
		value |= ~UINT64_C(0) << (8 * size);
	return value;
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
	return (struct text_span){from, strnlen(from, length)};
}

/* The digits of value, right-aligned in text; returns where they begin. */
static size_t put_digits(uint64_t value, unsigned int base, bool upper, char text[DIGITS_MOST])
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	size_t at = DIGITS_MOST;

	do {
		text[--at] = digits[value % base];
		value /= base;
	} while (value);
	return at;
}

static void pad(struct buffer *out, size_t count, char with)
{
	while (count--)
		buffer_add(out, &with, 1);
}

/* As vsnprintf() of the kernel for one number. */
static void add_number(const struct event_piece *piece, uint64_t value, struct buffer *out)
{
	char text[DIGITS_MOST];
	bool is_signed = piece->conversion == 'd' || piece->conversion == 'i';
	unsigned int base = piece->conversion == 'o' ? 8 : is_signed || piece->conversion == 'u' ? 10 : 16;
	unsigned int spare_bits = 64 - 8u * piece->argument_size;

	value =
	    is_signed ? (uint64_t)((int64_t)(value << spare_bits) >> spare_bits) : value << spare_bits >> spare_bits;
	bool negative = is_signed && (int64_t)value < 0;
	size_t at = put_digits(negative ? 0 - value : value, base, piece->conversion == 'X', text);
	const char *prefix = negative ? "-" : "";
	if (piece->alternate && base != 10)
		prefix = base == 8 ? "0" : piece->conversion == 'X' ? "0X" : "0x";
	size_t length = DIGITS_MOST - at + strlen(prefix);
	size_t missing = piece->width > length ? piece->width - length : 0;
	if (!piece->left && !piece->zeros)
		pad(out, missing, ' ');
	if (*prefix)
		buffer_text(out, prefix);
	if (!piece->left && piece->zeros)
		pad(out, missing, '0');
	buffer_add(out, text + at, DIGITS_MOST - at);
	if (piece->left)
		pad(out, missing, ' ');
}

static void add_padded(const struct event_piece *piece, struct text_span text, struct buffer *out)
{
	size_t missing = piece->width > text.length ? piece->width - text.length : 0;

	if (!piece->left)
		pad(out, missing, ' ');
	buffer_add(out, text.text, text.length);
	if (piece->left)
		pad(out, missing, ' ');
}

static void add_expression(const struct event_piece *piece, uint64_t value, struct buffer *out)
{
	char text[256];
	struct piece_texts *texts = piece->texts;

	if (texts && value < PIECE_TEXTS && texts->lengths[value]) {
		add_padded(piece, (struct text_span){texts->texts[value], texts->lengths[value] - 1u}, out);
		return;
	}
	size_t length = print_expression_render(piece->expression, value, text, sizeof(text));
	if (texts && value < PIECE_TEXTS && length < PIECE_TEXT_SIZE) {
		memcpy(texts->texts[value], text, length);
		texts->lengths[value] = (uint8_t)(length + 1);
	}
	add_padded(piece, (struct text_span){text, length}, out);
}

static void add_piece(const struct event_piece *piece, const struct ring_record *record, struct buffer *out)
{
	const struct event_field *field = &piece->field;
	char character;

	switch (piece->kind) {
	case PIECE_LITERAL:
		buffer_add(out, piece->literal.text, piece->literal.length);
		break;
	case PIECE_NUMBER:
		add_number(piece, event_number(record, field->offset, field->size, field->is_signed), out);
		break;
	case PIECE_CHARACTER:
		character = (char)event_number(record, field->offset, field->size, false);
		add_padded(piece, (struct text_span){&character, 1}, out);
		break;
	case PIECE_STRING:
		add_padded(piece, event_string(record, field), out);
		break;
	case PIECE_EXPRESSION:
		add_expression(piece, event_number(record, field->offset, field->size, field->is_signed), out);
		break;
	}
}

static void add_bytes(const struct ring_record *record, const struct event_field *field, struct buffer *out)
{
	uint64_t end = (uint64_t)field->offset + field->size;

	for (uint64_t at = field->offset; at < end && at < record->length; at++)
		buffer_printf(out, "%02x", record->data[at]);
}

/* " field=value" for all but the common fields. */
static void add_fields(const struct event_text *text, const struct ring_record *record, struct buffer *out)
{
	struct text_span lines = text->format->fields;
	struct event_field field;

	while (event_field_next(&lines, "", &field, NULL) == STATUS_OK) {
		if (field.name.length > 7 && memcmp(field.name.text, "common_", 7) == 0)
			continue;
		buffer_printf(out, " %.*s=", (int)field.name.length, field.name.text);
		bool is_text = field.array != FIELD_SINGLE && text_span_is(field.type, "char");
		if (is_text) {
			struct text_span string = event_string(record, &field);
			buffer_add(out, string.text, string.length);
		} else if (field.array != FIELD_SINGLE || field.size > 8) {
			add_bytes(record, &field, out);
		} else {
			struct event_piece number = {.conversion = field.is_signed ? 'd' : 'u', .argument_size = 8};
			add_number(&number, event_number(record, field.offset, field.size, field.is_signed), out);
		}
	}
}

/* The kernel names the function that wrote the mark, which is this one for every write to trace_marker; the newline
 * that it stores behind the text ends the line. Source: trace_print_print() in kernel/trace/trace_output.c. */
static void add_mark(const struct event_text *text, const struct ring_record *record, struct buffer *out)
{
	struct event_field field = text->mark;

	if (field.array == FIELD_SINGLE || field.array == FIELD_ARRAY)
		field.size = EVENT_RECORD_MOST; /* to the record's end, or its NUL */
	struct text_span mark = event_string(record, &field);
	if (mark.length && mark.text[mark.length - 1] == '\n')
		mark.length--;
	buffer_text(out, "tracing_mark_write: ");
	buffer_add(out, mark.text, mark.length);
}

void event_text_add(struct event_text *text, const struct ring_record *record, struct buffer *out)
{
	if (text->is_mark) {
		add_mark(text, record, out);
		return;
	}
	buffer_add(out, text->format->name.text, text->format->name.length);
	buffer_text(out, ":");
	if (text->by_fields) {
		add_fields(text, record, out);
		return;
	}
	buffer_text(out, " ");
	for (size_t i = 0; i < text->piece_count; i++)
		add_piece(&text->pieces[i], record, out);
}
