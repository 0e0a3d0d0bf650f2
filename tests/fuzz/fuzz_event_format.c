/* SPDX-License-Identifier: MIT
 *
 * The text of a format file: every field, and the letters of prev_state. */
#include <stdlib.h>
#include <string.h>

#include "trace/format/state_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(const struct event_format *format)
{
	static const uint64_t values[] = {0, 1, 2, 0x80, 0x100, 0x1ff, UINT64_MAX};
	struct state_names names;
	struct error err;
	char text[32];

	if (state_names_parse(format, &names, &err) != STATUS_OK)
		return;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		if (state_names_text(&names, values[i], text, sizeof(text)) >= sizeof(text))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_span text = {(const char *)data, size};
	struct event_format format;
	struct event_field field;
	struct error err;

	if (event_format_parse(text, (struct text_span){"sched", 5}, &format, &err) != STATUS_OK)
		return 0;
	render(&format);
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
	}
	return 0;
}
