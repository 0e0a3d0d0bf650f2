/* SPDX-License-Identifier: MIT */
#include "trace/format/event_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool text_span_is(struct text_span span, const char *text)
{
	return span.length == strlen(text) && memcmp(span.text, text, span.length) == 0;
}

bool text_span_take(struct text_span *span, const char *prefix)
{
	size_t length = strlen(prefix);

	if (span->length < length || memcmp(span->text, prefix, length) != 0)
		return false;
	span->text += length;
	span->length -= length;
	return true;
}

bool text_span_line(struct text_span *rest, struct text_span *line)
{
	if (rest->length == 0)
		return false;
	const char *end = memchr(rest->text, '\n', rest->length);
	size_t length = end ? (size_t)(end - rest->text) : rest->length;
	*line = (struct text_span){rest->text, length};
	rest->text += length + (end != NULL);
	rest->length -= length + (end != NULL);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct text_span *span)
{
	while (span->length && is_blank(*span->text)) {
		span->text++;
		span->length--;
	}
}

static void trim_end(struct text_span *span)
{
	while (span->length && is_blank(span->text[span->length - 1]))
		span->length--;
}

static bool take_number(struct text_span *span, uint32_t max, uint32_t *value)
{
	uint64_t sum = 0;
	size_t digits = 0;

	while (digits < span->length && span->text[digits] >= '0' && span->text[digits] <= '9') {
		sum = sum * 10 + (uint64_t)(span->text[digits++] - '0');
		if (sum > max)
			return false;
	}
	span->text += digits;
	span->length -= digits;
	*value = (uint32_t)sum;
	return digits != 0;
}

static int printed_length(struct text_span span)
{
	return span.length > 64 ? 64 : (int)span.length;
}

/* The event's name in error messages. */
static const char *event_place(struct text_span system, struct text_span name, char *place, size_t size)
{
	snprintf(place, size, "format of event %.*s:%.*s", printed_length(system), system.text, printed_length(name),
		 name.text);
	return place;
}

enum status event_format_parse(struct text_span text, struct text_span system, struct event_format *format,
			       struct error *err)
{
	struct text_span rest = text;
	struct text_span line;
	bool has_id = false;
	char place[192];

	*format = (struct event_format){.system = system, .name = {"", 0}, .print_format = {"", 0}};
	for (;;) {
		const char *line_start = rest.text;
		if (!text_span_line(&rest, &line))
			break;
		if (text_span_take(&line, "name: ")) {
			format->name = line;
		} else if (text_span_take(&line, "ID: ")) {
			has_id = take_number(&line, UINT32_MAX, &format->id) && line.length == 0;
		} else if (text_span_take(&line, "format:")) {
			format->fields = rest;
		} else if (format->fields.text && text_span_take(&line, "print fmt: ")) {
			/* A format string may contain newlines; the print fmt extends to the end of the text. */
			format->print_format.text = line.text;
			format->print_format.length = (size_t)(text.text + text.length - line.text);
			format->fields.length = (size_t)(line_start - format->fields.text);
			break;
		}
	}
	event_place(system, format->name, place, sizeof(place));
	/* Without a NUL byte, all parts can be used as C text. */
	if (text.length && memchr(text.text, '\0', text.length))
		return error_set(err, STATUS_CORRUPT, place, "holds a NUL byte");
	if (format->name.length == 0)
		return error_set(err, STATUS_CORRUPT, place, "no name");
	if (!has_id)
		return error_set(err, STATUS_CORRUPT, place, "no ID");
	if (!format->fields.text)
		return error_set(err, STATUS_CORRUPT, place, "no list of fields");
	return STATUS_OK;
}

/* Splits "unsigned char common_flags", "char comm[16]", "__data_loc char[] comm" into type and name. */
static bool split_declaration(struct text_span declaration, struct event_field *field)
{
	field->array = FIELD_SINGLE;
	if (text_span_take(&declaration, "__data_loc "))
		field->array = FIELD_DATA_LOC;
	else if (text_span_take(&declaration, "__rel_loc "))
		field->array = FIELD_REL_LOC;
	trim_end(&declaration);
	if (declaration.length && declaration.text[declaration.length - 1] == ']') {
		while (declaration.length && declaration.text[declaration.length - 1] != '[')
			declaration.length--;
		if (declaration.length == 0 || field->array != FIELD_SINGLE)
			return false;
		declaration.length--;
		field->array = FIELD_ARRAY;
	}
	size_t start = declaration.length;
	while (start && !is_blank(declaration.text[start - 1]))
		start--;
	field->name = (struct text_span){declaration.text + start, declaration.length - start};
	field->type = (struct text_span){declaration.text, start};
	trim_end(&field->type);
	if (field->array == FIELD_DATA_LOC || field->array == FIELD_REL_LOC) {
		if (field->type.length < 2 || memcmp(field->type.text + field->type.length - 2, "[]", 2) != 0)
			return false;
		field->type.length -= 2;
	}
	return field->name.length && field->type.length;
}

/* "offset:8;", "size:16;", "signed:0;" between blanks. */
static bool take_attribute(struct text_span *line, const char *name, uint32_t max, uint32_t *value)
{
	skip_blanks(line);
	return text_span_take(line, name) && text_span_take(line, ":") && take_number(line, max, value) &&
	       text_span_take(line, ";");
}

/* The text after "field:": a declaration, then its offset and size. */
static bool parse_field(struct text_span line, struct event_field *field)
{
	const char *end = memchr(line.text, ';', line.length);
	uint32_t is_signed = 0;

	if (!end)
		return false;
	struct text_span declaration = {line.text, (size_t)(end - line.text)};
	line.text += declaration.length + 1;
	line.length -= declaration.length + 1;
	skip_blanks(&declaration);
	if (!split_declaration(declaration, field))
		return false;
	if (!take_attribute(&line, "offset", EVENT_RECORD_MAX, &field->offset) ||
	    !take_attribute(&line, "size", EVENT_RECORD_MAX - field->offset, &field->size))
		return false;
	/* Kernels before 2.6.30 have no "signed". */
	if (line.length && !take_attribute(&line, "signed", 1, &is_signed))
		return false;
	field->is_signed = is_signed;
	return true;
}

enum status event_field_next(struct text_span *lines, const char *where, struct event_field *field, struct error *err)
{
	struct text_span line;

	while (text_span_line(lines, &line)) {
		skip_blanks(&line);
		if (!text_span_take(&line, "field:"))
			continue;
		if (!parse_field(line, field))
			return error_set(err, STATUS_CORRUPT, where, "cannot read field:%.*s", printed_length(line),
					 line.text);
		return STATUS_OK;
	}
	return STATUS_END;
}

enum status event_format_field(const struct event_format *format, const char *name, struct event_field *field,
			       struct error *err)
{
	struct text_span lines = format->fields;
	enum status status;
	char place[192];

	event_place(format->system, format->name, place, sizeof(place));
	while ((status = event_field_next(&lines, place, field, err)) == STATUS_OK) {
		if (text_span_is(field->name, name))
			return STATUS_OK;
	}
	if (status == STATUS_END)
		return error_set(err, STATUS_UNSUPPORTED, place, "no field %s", name);
	return status;
}

void event_format_table_add(struct event_format_table *table, const struct event_format *format)
{
	table->formats = array_grow(table->formats, &table->capacity, table->count + 1, sizeof(*table->formats));
	table->formats[table->count++] = *format;
}

const struct event_format *event_format_find(const struct event_format_table *table, const char *system,
					     const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (text_span_is(table->formats[i].system, system) && text_span_is(table->formats[i].name, name))
			return &table->formats[i];
	}
	return NULL;
}

void event_format_table_free(struct event_format_table *table)
{
	free(table->formats);
	*table = (struct event_format_table){0};
}
