/* SPDX-License-Identifier: MIT
 *
 * Bytes of a guest on its progress port, in pieces whose length the first byte gives. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/protocol/guest_progress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A parsed line can be written, and reads the same again. */
static void check(const struct guest_line *line)
{
	char text[GUEST_LINE_MAX + 2];
	struct guest_line again;

	if (strlen(line->text) > GUEST_LINE_MAX)
		abort();
	size_t length = guest_line_format(line, text, sizeof(text));
	if (line->kind == GUEST_LINE_UNKNOWN || length == 0)
		return;
	guest_line_parse(text, length - 1, &again);
	if (again.kind != line->kind || again.events != line->events || again.checksum != line->checksum ||
	    strcmp(again.name, line->name) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct guest_lines lines = {0};
	struct guest_line line;
	bool whole;

	if (size == 0)
		return 0;
	size_t piece = data[0] ? data[0] : 1;
	const char *bytes = (const char *)data + 1;
	for (size_t at = 0; at < size - 1;) {
		size_t left = size - 1 - at;
		size_t taken = guest_lines_add(&lines, bytes + at, left < piece ? left : piece, &line, &whole);
		if (taken == 0 || taken > left)
			abort();
		at += taken;
		if (whole)
			check(&line);
	}
	return 0;
}
