/* SPDX-License-Identifier: MIT */
#include "base/arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"

static void add_formatted(struct arguments *arguments, const char *format, va_list values)
{
	char *text;

	if (vasprintf(&text, format, values) < 0)
		memory_exhausted();
	arguments->items =
	    array_grow(arguments->items, &arguments->capacity, arguments->count + 2, sizeof(*arguments->items));
	arguments->items[arguments->count++] = text;
	arguments->items[arguments->count] = NULL;
}

void arguments_add(struct arguments *arguments, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	add_formatted(arguments, format, values);
	va_end(values);
}

void arguments_option(struct arguments *arguments, const char *option, const char *format, ...)
{
	va_list values;

	arguments_add(arguments, "%s", option);
	va_start(values, format);
	add_formatted(arguments, format, values);
	va_end(values);
}

static bool is_printable(const char *text)
{
	size_t length = 1;

	for (; *text && length; text += length)
		length = utf8_printable(text, strlen(text));
	return length != 0;
}

static void add_in_quotes(const char *text, struct buffer *out)
{
	buffer_text(out, "'");
	for (; *text; text++) {
		if (*text == '\'')
			buffer_text(out, "'\\''");
		else
			buffer_add(out, text, 1);
	}
	buffer_text(out, "'");
}

/* $'...': POSIX.1-2024, 2.2.4. Three octal digits, so that a following digit is not part of it. */
static void add_with_escapes(const char *text, struct buffer *out)
{
	buffer_text(out, "$'");
	while (*text) {
		size_t length = utf8_printable(text, strlen(text));
		if (length == 0 || *text == '\'' || *text == '\\')
			buffer_printf(out, "\\%03o", (unsigned int)(unsigned char)*text);
		else
			buffer_add(out, text, length);
		text += length ? length : 1;
	}
	buffer_text(out, "'");
}

static void add_quoted(const char *text, struct buffer *out)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";

	if (*text && text[strspn(text, plain)] == '\0')
		buffer_text(out, text);
	else if (is_printable(text))
		add_in_quotes(text, out);
	else
		add_with_escapes(text, out);
}

void arguments_quote(const struct arguments *arguments, const char *separator, struct buffer *out)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (i)
			buffer_text(out, separator);
		add_quoted(arguments->items[i], out);
	}
}

void arguments_free(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		free(arguments->items[i]);
	free(arguments->items);
	*arguments = (struct arguments){0};
}
