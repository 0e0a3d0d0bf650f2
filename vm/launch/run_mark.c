/* SPDX-License-Identifier: MIT */
#include "vm/launch/run_mark.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"

#define METADATA_MOST (4u << 20)

static void cut_spaces(struct buffer *text)
{
	while (text->length && strchr(" \n\r\t", text->data[text->length - 1]))
		text->length--;
}

/* text is one whole object, and ends behind its last member then. */
static void cut_end(struct buffer *text)
{
	cut_spaces(text);
	text->length--;
	cut_spaces(text);
}

enum status run_mark(const char *path, const char *key, const struct buffer *members, struct error *err)
{
	struct buffer text = {0};
	struct json_value *metadata = NULL;
	enum status status = file_read(path, METADATA_MOST, &text, err);

	if (status == STATUS_OK)
		json_parse(text.data, text.length, path, &metadata, NULL);
	if (metadata && metadata->kind == JSON_OBJECT && metadata->child && !json_member(metadata, key)) {
		cut_end(&text);
		buffer_text(&text, ",\n");
		buffer_add(&text, members->data, members->length);
		buffer_text(&text, "\n}\n");
		status = text.failed || members->failed ? error_system(err, ENOMEM, path, "cannot mark")
							: file_replace(path, text.data, text.length, err);
	}
	json_free(metadata);
	buffer_free(&text);
	return status;
}
