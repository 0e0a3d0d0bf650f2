/* SPDX-License-Identifier: MIT
 *
 * The text of a format file and, behind a line "--", the bytes of a record: the record as a line of text. */
#include <stdlib.h>
#include <string.h>

#include "export/event_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(struct event_text *text, const uint8_t *bytes, size_t length, const struct event_format *format)
{
	struct buffer out = {0};
	/* It has exactly this size, so that ASan watches its end. */
	uint8_t *copy = malloc(length ? length : 1);

	if (!copy)
		abort();
	if (length)
		memcpy(copy, bytes, length);
	event_text_add(text, &(struct ring_record){1, copy, (uint32_t)length}, &out);
	if (out.length < 1)
		abort();
	if (!text_span_is(format->system, "ftrace") && memcmp(out.data, format->name.text, format->name.length) != 0)
		abort();
	buffer_free(&out);
	free(copy);
}

static void print(const char *system, struct text_span text, const uint8_t *record, size_t length)
{
	struct event_format format;
	struct event_text *compiled;

	if (event_format_parse(text, (struct text_span){system, strlen(system)}, &format, NULL) != STATUS_OK)
		return;
	compiled = event_text_compile(&format);
	render(compiled, record, length, &format);
	render(compiled, record, length, &format); /* from what was kept the first time */
	render(compiled, record, length / 2, &format);
	event_text_free(compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *mark = size ? memmem(data, size, "--\n", 3) : NULL;
	struct text_span text = {(const char *)data, mark ? (size_t)(mark - data) : size};
	const uint8_t *record = mark ? mark + 3 : data;
	size_t length = mark ? size - text.length - 3 : 0;

	print("sched", text, record, length > 65536 ? 65536 : length);
	print("ftrace", text, record, length > 65536 ? 65536 : length);
	return 0;
}
