/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/json.h"

/* Number of leading bytes that need no escape: printable ASCII without quote and backslash. */
static size_t plain_length(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && text[at] >= 0x20 && text[at] < 0x7f && text[at] != '"' && text[at] != '\\')
		at++;
	return at;
}

static void add_code(struct buffer *out, uint32_t code)
{
	if (code < 0x10000)
		buffer_printf(out, "\\u%04x", code);
	else
		buffer_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
}

static void add_quoted(struct buffer *out, const char *text, size_t length)
{
	buffer_add(out, "\"", 1);
	for (size_t i = 0; i < length;) {
		size_t plain = plain_length(text + i, length - i);
		buffer_add(out, text + i, plain);
		i += plain;
		if (i == length)
			break;
		unsigned char byte = (unsigned char)text[i];
		size_t sequence = utf8_sequence(text + i, length - i);
		if (sequence == 0)
			buffer_text(out, "\xef\xbf\xbd");
		else if (byte == '"' || byte == '\\')
			buffer_printf(out, "\\%c", byte);
		else if (byte == '\n')
			buffer_text(out, "\\n");
		else if (utf8_is_control(utf8_code(text + i, sequence))) /* some terminals execute them */
			add_code(out, utf8_code(text + i, sequence));
		else
			buffer_add(out, text + i, sequence);
		i += sequence ? sequence : 1;
	}
	buffer_add(out, "\"", 1);
}

static void new_line(struct json_writer *json)
{
	buffer_add(json->out, "\n", 1);
	for (unsigned int i = 0; i < json->depth; i++)
		buffer_add(json->out, "  ", 2);
}

static void begin_item(struct json_writer *json, const char *key)
{
	if (json->depth) {
		if (json->has_items[json->depth])
			buffer_add(json->out, ",", 1);
		json->has_items[json->depth] = true;
		new_line(json);
	}
	if (key) {
		add_quoted(json->out, key, strlen(key));
		buffer_add(json->out, ": ", 2);
	}
}

static void begin_container(struct json_writer *json, const char *key, const char *bracket)
{
	begin_item(json, key);
	buffer_add(json->out, bracket, 1);
	json->depth++;
	assert(json->depth < JSON_LEVELS_MAX);
	json->has_items[json->depth] = false;
}

static void end_container(struct json_writer *json, const char *bracket)
{
	bool had_items = json->has_items[json->depth];

	assert(json->depth > 0);
	json->depth--;
	if (had_items)
		new_line(json);
	buffer_add(json->out, bracket, 1);
	if (json->depth == 0)
		buffer_add(json->out, "\n", 1);
}

void json_object_begin(struct json_writer *json, const char *key)
{
	begin_container(json, key, "{");
}

void json_object_end(struct json_writer *json)
{
	end_container(json, "}");
}

void json_array_begin(struct json_writer *json, const char *key)
{
	begin_container(json, key, "[");
}

void json_array_end(struct json_writer *json)
{
	end_container(json, "]");
}

void json_bytes(struct json_writer *json, const char *key, const char *value, size_t length)
{
	begin_item(json, key);
	add_quoted(json->out, value, length);
}

void json_text(struct json_writer *json, const char *key, const char *value)
{
	if (value)
		json_bytes(json, key, value, strlen(value));
	else
		json_null(json, key);
}

void json_u64(struct json_writer *json, const char *key, uint64_t value)
{
	char text[DECIMAL_ROOM];

	begin_item(json, key);
	buffer_add(json->out, text, (size_t)(decimal_put(text, value) - text));
}

void json_i64(struct json_writer *json, const char *key, int64_t value)
{
	char text[DECIMAL_ROOM + 1];

	begin_item(json, key);
	buffer_add(json->out, text, (size_t)(decimal_put_signed(text, value) - text));
}

void json_real(struct json_writer *json, const char *key, double value, int decimals)
{
	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	begin_item(json, key);
	buffer_printf(json->out, "%.*f", decimals, value);
}

void json_bool(struct json_writer *json, const char *key, bool value)
{
	begin_item(json, key);
	buffer_text(json->out, value ? "true" : "false");
}

void json_null(struct json_writer *json, const char *key)
{
	begin_item(json, key);
	buffer_text(json->out, "null");
}

void json_copy(struct json_writer *json, const char *key, const struct json_value *value)
{
	const bool is_array = value->kind == JSON_ARRAY;

	switch (value->kind) {
	case JSON_NULL:
		json_null(json, key);
		return;
	case JSON_BOOL:
		json_bool(json, key, value->number != 0);
		return;
	case JSON_TEXT:
		json_text(json, key, value->text);
		return;
	case JSON_NUMBER:
		begin_item(json, key);
		buffer_text(json->out, value->text);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		begin_container(json, key, is_array ? "[" : "{");
		for (const struct json_value *item = value->child; item; item = item->next)
			json_copy(json, is_array ? NULL : item->key, item);
		end_container(json, is_array ? "]" : "}");
		return;
	}
}
