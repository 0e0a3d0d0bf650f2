/* SPDX-License-Identifier: MIT
 *
 * The text of a format file: every field, and every one of them looked for in the print fmt. */
#include <stdlib.h>
#include <string.h>

#include "trace/format/print_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(const struct event_format *format, const char *name)
{
	static const uint64_t values[] = {0, 1, 2, 0x80, 0x100, 0x1ff, UINT64_MAX};
	struct print_format *print;
	struct error err;
	char text[32];

	if (print_format_compile(format, name, &print, &err) != STATUS_OK)
		return;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		if (print_format_render(print, values[i], text, sizeof(text)) != strlen(text))
			abort();
	}
	print_format_free(print);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_span text = {(const char *)data, size};
	struct event_format format;
	struct event_field field;
	struct error err;

	if (event_format_parse(text, (struct text_span){"sched", 5}, &format, &err) != STATUS_OK)
		return 0;
	struct text_span lines = format.fields;
	while (event_field_next(&lines, "fuzz", &field, &err) == STATUS_OK) {
		char name[64];
		if (field.offset > EVENT_RECORD_MAX || field.size > EVENT_RECORD_MAX - field.offset)
			abort();
		if (field.name.length >= sizeof(name) || memchr(field.name.text, '\0', field.name.length))
			continue;
		memcpy(name, field.name.text, field.name.length);
		name[field.name.length] = '\0';
		if (event_format_field(&format, name, &field, &err) != STATUS_OK)
			abort();
		render(&format, name);
	}
	return 0;
}
