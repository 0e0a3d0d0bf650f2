/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"

void wrap_add(const char *text, size_t column, size_t indent, size_t width, struct buffer *out)
{
	bool begins_line = true;

	while (*text) {
		size_t word = strcspn(text, " \n");
		size_t columns = utf8_columns(text, word);
		if (!begins_line && width && column + 1 + columns > width) {
			buffer_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!begins_line) {
			buffer_text(out, " ");
			column++;
		}
		buffer_add(out, text, word);
		column += columns;
		begins_line = false;
		text += word + (text[word] != '\0');
	}
	buffer_text(out, "\n");
}

void wrap_lines(const char *text, size_t width, struct buffer *out)
{
	struct buffer line = {0};

	for (const char *end; *text; text = end + (*end != '\0')) {
		const size_t indent = strspn(text, " ");
		end = text + strcspn(text, "\n");
		line.length = 0;
		buffer_add(&line, text + indent, (size_t)(end - text) - indent);
		buffer_printf(out, "%*s", (int)indent, "");
		wrap_add(line.data, indent, indent + 2, width, out);
	}
	buffer_free(&line);
}
