/* SPDX-License-Identifier: MIT */
#include "trace/format/print_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/format/print_expression.h"

/* Known kernels use up to two: "%s%s". */
#define PARTS_MAX 4

struct print_format {
	size_t part_count;
	struct print_expression *parts[PARTS_MAX];
};

/* Removes the format string of "FORMAT", ARGUMENT, ... from the front of *rest. */
bool print_format_take_string(struct text_span *rest, struct text_span *string)
{
	size_t at = 1;

	if (rest->length == 0 || rest->text[0] != '"')
		return false;
	while (at < rest->length && rest->text[at] != '"')
		at += rest->text[at] == '\\' ? 2 : 1;
	if (at >= rest->length)
		return false;
	*string = (struct text_span){rest->text + 1, at - 1};
	rest->text += at + 1;
	rest->length -= at + 1;
	return true;
}

/* The offset of FIELD= in the string, at the start of a word; SIZE_MAX if there is none. */
static size_t find_field(struct text_span string, const char *field)
{
	size_t length = strlen(field);

	for (size_t at = 0; at + length < string.length; at++) {
		if (at && string.text[at - 1] != ' ' && string.text[at - 1] != '"')
			continue;
		if (memcmp(string.text + at, field, length) == 0 && string.text[at + length] == '=')
			return at;
	}
	return SIZE_MAX;
}

/* The number of conversions in length bytes of the string. */
static size_t count_conversions(struct text_span string, size_t length)
{
	size_t count = 0;

	for (size_t at = 0; at < length; at++) {
		if (string.text[at] != '%')
			continue;
		if (at + 1 < length && string.text[at + 1] == '%')
			at++;
		else
			count++;
	}
	return count;
}

/* Removes ", ARGUMENT" from *rest, up to the next comma outside of brackets and strings. */
bool print_format_take_argument(struct text_span *rest, struct text_span *argument)
{
	size_t at = 1;
	size_t depth = 0;

	if (rest->length == 0 || rest->text[0] != ',')
		return false;
	for (; at < rest->length; at++) {
		char c = rest->text[at];
		if (c == '"') {
			struct text_span string;
			struct text_span from = {rest->text + at, rest->length - at};
			if (!print_format_take_string(&from, &string))
				return false;
			at += string.length + 1;
		} else if (c == '(' || c == '{') {
			depth++;
		} else if (c == ')' || c == '}') {
			if (depth-- == 0)
				return false;
		} else if (c == ',' && depth == 0) {
			break;
		}
	}
	*argument = (struct text_span){rest->text + 1, at - 1};
	rest->text += at;
	rest->length -= at;
	return depth == 0;
}

static enum status compile_field(const struct event_format *format, const char *field, struct print_format *print,
				 const char *where, struct error *err)
{
	struct text_span rest = format->print_format;
	struct text_span string;
	struct text_span argument;

	if (!print_format_take_string(&rest, &string))
		return error_set(err, STATUS_CORRUPT, where, "print fmt has no format string");
	size_t at = find_field(string, field);
	if (at == SIZE_MAX)
		return error_set(err, STATUS_UNSUPPORTED, where, "print fmt does not show %s", field);
	size_t skipped = count_conversions(string, at);
	for (size_t i = 0; i < skipped; i++) {
		if (!print_format_take_argument(&rest, &argument))
			return error_set(err, STATUS_CORRUPT, where, "print fmt has too few arguments");
	}
	for (at += strlen(field) + 1; at + 1 < string.length && memcmp(string.text + at, "%s", 2) == 0; at += 2) {
		if (print->part_count == PARTS_MAX)
			return error_set(err, STATUS_UNSUPPORTED, where, "print fmt shows %s in too many parts", field);
		if (!print_format_take_argument(&rest, &argument))
			return error_set(err, STATUS_CORRUPT, where, "print fmt has too few arguments");
		enum status status =
		    print_expression_compile(argument, field, where, &print->parts[print->part_count], err);
		if (status != STATUS_OK)
			return status;
		print->part_count++;
	}
	if (print->part_count == 0)
		return error_set(err, STATUS_UNSUPPORTED, where, "print fmt does not show %s as text", field);
	return STATUS_OK;
}

enum status print_format_compile(const struct event_format *format, const char *field, struct print_format **print,
				 struct error *err)
{
	char where[128];
	int name_length = format->name.length > 64 ? 64 : (int)format->name.length;

	snprintf(where, sizeof(where), "format of event %.*s", name_length, format->name.text);
	*print = xcalloc(1, sizeof(**print));
	enum status status = compile_field(format, field, *print, where, err);
	if (status != STATUS_OK) {
		print_format_free(*print);
		*print = NULL;
	}
	return status;
}

void print_format_free(struct print_format *print)
{
	if (!print)
		return;
	for (size_t i = 0; i < print->part_count; i++)
		print_expression_free(print->parts[i]);
	free(print);
}

size_t print_format_render(const struct print_format *print, uint64_t value, char *text, size_t size)
{
	size_t length = 0;

	if (size == 0)
		return 0;
	text[0] = '\0';
	for (size_t i = 0; i < print->part_count; i++)
		length += print_expression_render(print->parts[i], value, text + length, size - length);
	return length;
}
