/* SPDX-License-Identifier: MIT */
#include "trace/format/event_text.h"

#include <string.h>

#include "base/copy.h"
#include "base/decimal.h"

#define DIGITS_MAX     24  /* 64 bits in octal, or in decimal with a sign */
#define EXPRESSION_MAX 256 /* bytes of rendered text; longer texts are cut */

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

/* Digits in a base other than 10; returns the end. */
static char *put_digits(char *to, uint64_t value, unsigned int base, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[DIGITS_MAX];
	size_t at = DIGITS_MAX;

	do {
		text[--at] = digits[value % base];
		value /= base;
	} while (value);
	while (at < DIGITS_MAX)
		*to++ = text[at++];
	return to;
}

static char *put_fill(char *to, size_t count, char with)
{
	while (count--)
		*to++ = with;
	return to;
}

/* Characters before the digits: a sign, or the prefix of the base. */
static const char *prefix_of(const struct event_piece *piece, unsigned int base, bool negative)
{
	if (negative)
		return "-";
	if (!piece->alternate || base == 10)
		return "";
	return base == 8 ? "0" : piece->conversion == 'X' ? "0X" : "0x";
}

/* Formats one number like the kernel's vsnprintf(). */
static char *put_number(const struct event_piece *piece, uint64_t value, char *to)
{
	char text[DIGITS_MAX];
	bool is_signed = piece->conversion == 'd' || piece->conversion == 'i';
	unsigned int base = piece->conversion == 'o' ? 8 : is_signed || piece->conversion == 'u' ? 10 : 16;
	unsigned int spare_bits = 64 - 8u * piece->argument_size;

	value =
	    is_signed ? (uint64_t)((int64_t)(value << spare_bits) >> spare_bits) : value << spare_bits >> spare_bits;
	bool negative = is_signed && (int64_t)value < 0;
	if (negative)
		value = 0 - value;
	if (base == 10 && !negative && piece->width <= 1)
		return decimal_put(to, value);
	char *end = base == 10 ? decimal_put(text, value) : put_digits(text, value, base, piece->conversion == 'X');
	const char *prefix = prefix_of(piece, base, negative);
	size_t length = (size_t)(end - text) + strlen(prefix);
	size_t missing = piece->width > length ? piece->width - length : 0;
	if (!piece->left && !piece->zeros)
		to = put_fill(to, missing, ' ');
	to = copy_short(to, prefix, strlen(prefix));
	if (!piece->left && piece->zeros)
		to = put_fill(to, missing, '0');
	for (const char *digit = text; digit < end; digit++)
		*to++ = *digit;
	return piece->left ? put_fill(to, missing, ' ') : to;
}

static char *put_padded(const struct event_piece *piece, struct text_span text, char *to)
{
	size_t missing = piece->width > text.length ? piece->width - text.length : 0;

	if (!piece->left)
		to = put_fill(to, missing, ' ');
	to = copy_short(to, text.text, text.length);
	return piece->left ? put_fill(to, missing, ' ') : to;
}

static char *put_expression(const struct event_piece *piece, uint64_t value, char *to)
{
	char text[EXPRESSION_MAX];
	struct piece_texts *texts = piece->texts;

	if (texts && value < PIECE_TEXTS && texts->lengths[value])
		return put_padded(piece, (struct text_span){texts->texts[value], texts->lengths[value] - 1u}, to);
	size_t length = print_expression_render(piece->expression, value, text, sizeof(text));
	if (texts && value < PIECE_TEXTS && length < PIECE_TEXT_SIZE) {
		memcpy(texts->texts[value], text, length);
		texts->lengths[value] = (uint8_t)(length + 1);
	}
	return put_padded(piece, (struct text_span){text, length}, to);
}

static char *put_piece(const struct event_piece *piece, const struct ring_record *record, char *to)
{
	const struct event_field *field = &piece->field;
	char character;

	switch (piece->kind) {
	case PIECE_LITERAL:
		return copy_short(to, piece->literal.text, piece->literal.length);
	case PIECE_NUMBER:
		return put_number(piece, event_number(record, field->offset, field->size, field->is_signed), to);
	case PIECE_CHARACTER:
		character = (char)event_number(record, field->offset, field->size, false);
		return put_padded(piece, (struct text_span){&character, 1}, to);
	case PIECE_STRING:
		return put_padded(piece, event_string(record, field), to);
	case PIECE_EXPRESSION:
		return put_expression(piece, event_number(record, field->offset, field->size, field->is_signed), to);
	}
	return to;
}

/* Upper bound of the bytes that put_piece() writes. */
static size_t piece_room(const struct event_piece *piece, const struct ring_record *record)
{
	switch (piece->kind) {
	case PIECE_LITERAL:
		return piece->literal.length;
	case PIECE_STRING:
		return piece->width + (size_t)record->length;
	default:
		return piece->width + EXPRESSION_MAX;
	}
}

static void add_pieces(const struct event_text *text, const struct ring_record *record, struct buffer *out)
{
	size_t room = text->format->name.length + 2;

	for (size_t i = 0; i < text->piece_count; i++)
		room += piece_room(&text->pieces[i], record);
	char *start = buffer_reserve(out, room);
	if (!start)
		return;
	char *to = copy_short(start, text->format->name.text, text->format->name.length);
	*to++ = ':';
	*to++ = ' ';
	for (size_t i = 0; i < text->piece_count; i++)
		to = put_piece(&text->pieces[i], record, to);
	*to = '\0';
	out->length += (size_t)(to - start);
}

static void add_bytes(const struct ring_record *record, const struct event_field *field, struct buffer *out)
{
	uint64_t end = (uint64_t)field->offset + field->size;

	for (uint64_t at = field->offset; at < end && at < record->length; at++)
		buffer_printf(out, "%02x", record->data[at]);
}

/* " field=value" for all fields except the common ones. */
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
			char digits[DIGITS_MAX + 1];
			char *end = put_number(&number, event_number(record, field.offset, field.size, field.is_signed),
					       digits);
			buffer_add(out, digits, (size_t)(end - digits));
		}
	}
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

void event_text_add(struct event_text *text, const struct ring_record *record, struct buffer *out)
{
	if (text->is_mark) {
		add_mark(text, record, out);
		return;
	}
	if (!text->by_fields) {
		add_pieces(text, record, out);
		return;
	}
	buffer_add(out, text->format->name.text, text->format->name.length);
	buffer_text(out, ":");
	add_fields(text, record, out);
}
