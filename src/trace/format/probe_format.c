/* SPDX-License-Identifier: MIT */
#include "trace/format/probe_format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static enum status refuse(const struct event_format *format, const struct text_span *field, const char *what,
			  struct error *err)
{
	enum { SHOWN = 64 };
	char place[200];

	snprintf(place, sizeof(place), "format of event %.*s",
		 format->name.length > SHOWN ? SHOWN : (int)format->name.length, format->name.text);
	return error_set(err, STATUS_CORRUPT, place, "field %.*s %s",
			 field->length > SHOWN ? SHOWN : (int)field->length, field->text, what);
}

/* The size of the field's type in bytes; 0 if probes do not have this type. */
static uint32_t width_of(const struct event_field *field)
{
	static const struct {
		const char *name;
		uint32_t width;
		bool is_signed;
	} types[] = {{"u8", 1, false},  {"u16", 2, false}, {"u32", 4, false},
		     {"u64", 8, false}, {"s8", 1, true},   {"s16", 2, true},
		     {"s32", 4, true},  {"s64", 8, true},  {"unsigned long", 8, false}};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (text_span_is(field->type, types[i].name))
			return field->is_signed == types[i].is_signed ? types[i].width : 0;
	return 0;
}

/* Removes the text up to and including the next field name, and returns that name; empty if there is none. */
static struct text_span take_printed(struct text_span *rest)
{
	static const char record[] = "REC->";
	const char *found = rest->length ? memmem(rest->text, rest->length, record, sizeof(record) - 1) : NULL;
	struct text_span name = {found ? found + sizeof(record) - 1 : "", 0};

	if (!found)
		return name;
	rest->length -= (size_t)(name.text - rest->text);
	rest->text = name.text;
	while (rest->length && (isalnum((unsigned char)*rest->text) || *rest->text == '_')) {
		rest->text++;
		rest->length--;
		name.length++;
	}
	return name;
}

static bool is_common(const struct event_field *field)
{
	struct text_span name = field->name;

	return text_span_take(&name, "common_");
}

static bool is_same(struct text_span a, struct text_span b)
{
	return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* The common fields come first; the probe's own fields begin at the next address at which a pointer can be. */
static const char *find_fault(const struct event_field *field, uint32_t end, bool is_first)
{
	const bool is_probes = !is_common(field);
	const uint32_t begin = is_probes && is_first ? (end + 7) / 8 * 8 : end;

	if (field->array != FIELD_SINGLE || (is_probes && field->size != width_of(field)))
		return "does not have the size and the sign of its type";
	if (field->offset < begin)
		return "overlaps another one";
	return is_probes && field->offset > begin ? "does not follow the one before" : NULL;
}

enum status probe_format_check(const struct event_format *format, uint32_t *length, struct error *err)
{
	struct text_span lines = format->fields, prints = format->print_format, printed;
	struct event_field field;
	bool is_first = true;
	enum status status;

	*length = 0;
	while ((status = event_field_next(&lines, "format of a probe", &field, err)) == STATUS_OK) {
		printed = is_common(&field) ? field.name : take_printed(&prints);
		if (!is_same(printed, field.name))
			return refuse(format, printed.length ? &printed : &field.name,
				      "is printed or described, but not both, in this place", err);
		const char *fault = find_fault(&field, *length, is_first);
		if (fault)
			return refuse(format, &field.name, fault, err);
		is_first = is_first && is_common(&field);
		*length = field.offset + field.size;
	}
	printed = take_printed(&prints);
	if (status == STATUS_END && printed.length)
		return refuse(format, &printed, "is printed, but not described", err);
	return status == STATUS_END ? STATUS_OK : status;
}
