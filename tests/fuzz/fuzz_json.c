/* SPDX-License-Identifier: MIT
 *
 * Any bytes as JSON. What was parsed and is written again parses to the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define WRITER_LEVELS 30 /* fewer than the parser takes */

static unsigned int depth_of(const struct json_value *value)
{
	unsigned int max = 0;

	for (const struct json_value *child = value->child; child; child = child->next) {
		unsigned int depth = depth_of(child);
		max = depth > max ? depth : max;
	}
	return max + 1;
}

static void write_value(struct json_writer *json, const struct json_value *value)
{
	switch (value->kind) {
	case JSON_NULL:
		json_null(json, value->key);
		return;
	case JSON_BOOL:
		json_bool(json, value->key, value->number != 0);
		return;
	case JSON_NUMBER:
		json_real(json, value->key, value->number, 3);
		return;
	case JSON_TEXT:
		json_text(json, value->key, value->text);
		return;
	case JSON_ARRAY:
		json_array_begin(json, value->key);
		break;
	case JSON_OBJECT:
		json_object_begin(json, value->key);
		break;
	}
	for (const struct json_value *child = value->child; child; child = child->next)
		write_value(json, child);
	if (value->kind == JSON_ARRAY)
		json_array_end(json);
	else
		json_object_end(json);
}

static void check_same(const struct json_value *a, const struct json_value *b)
{
	if (a->kind != b->kind || !a->key != !b->key || (a->key && strcmp(a->key, b->key) != 0))
		abort();
	if (a->kind == JSON_TEXT && strcmp(a->text, b->text) != 0)
		abort();
	if (a->kind == JSON_BOOL && (a->number != 0) != (b->number != 0))
		abort();
	a = a->child;
	b = b->child;
	for (; a && b; a = a->next, b = b->next)
		check_same(a, b);
	if (a || b)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct error err = {0};
	struct json_value *value;
	struct json_value *again;
	struct buffer out = {0};
	struct json_writer json = {.out = &out};

	if (json_parse((const char *)bytes, size, "input", &value, &err) != STATUS_OK) {
		if (value || err.status != STATUS_CORRUPT || strncmp(err.what, "line ", 5) != 0)
			abort();
		return 0;
	}
	if (depth_of(value) < WRITER_LEVELS) {
		write_value(&json, value);
		if (json_parse(out.data, out.length, "output", &again, &err) != STATUS_OK)
			abort();
		check_same(value, again);
		json_free(again);
	}
	buffer_free(&out);
	json_free(value);
	return 0;
}
