/* SPDX-License-Identifier: MIT
 *
 * Writing JSON with an indentation of two spaces, like Python's json.dump(indent=2), and strict parsing of JSON. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/* A writer appends to out, with commas, newlines and indentation. key is NULL inside arrays and for the outermost
 * value. */
#define JSON_LEVELS_MAX 128
struct json_writer {
	struct buffer *out;
	unsigned int depth;
	bool has_items[JSON_LEVELS_MAX]; /* enough levels for a parsed value and the objects around it */
};

void json_object_begin(struct json_writer *json, const char *key);
void json_object_end(struct json_writer *json);
void json_array_begin(struct json_writer *json, const char *key);
void json_array_end(struct json_writer *json);
void json_text(struct json_writer *json, const char *key, const char *value); /* NULL gives null */
/* length bytes; invalid UTF-8 is written as U+FFFD */
void json_bytes(struct json_writer *json, const char *key, const char *value, size_t length);
void json_u64(struct json_writer *json, const char *key, uint64_t value);
void json_i64(struct json_writer *json, const char *key, int64_t value);
void json_real(struct json_writer *json, const char *key, double value, int decimals); /* NaN, infinity: null */
void json_bool(struct json_writer *json, const char *key, bool value);
void json_null(struct json_writer *json, const char *key);
/* Writes a parsed value with its children; numbers as in the source. */
struct json_value;
void json_copy(struct json_writer *json, const char *key, const struct json_value *value);

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

/* A parsed value; children are in document order. */
struct json_value {
	enum json_kind kind;
	char *key;     /* within an object */
	char *text;    /* JSON_TEXT: UTF-8, NUL-terminated (an escaped NUL is refused); JSON_NUMBER: as written */
	double number; /* JSON_NUMBER; JSON_BOOL: 0 or 1 */
	struct json_value *child, *next;
};

/* Parses a whole document (RFC 8259; at most 64 levels deep). where names the input in errors.
 * STATUS_CORRUPT names the line. The result is freed with json_free(). */
enum status json_parse(const char *text, size_t length, const char *where, struct json_value **value,
		       struct error *err);
/* The same for a whole file of at most JSON_FILE_MAX bytes: metadata of runs, guests and datasets. STATUS_SYSTEM with
 * errnum ENOENT if there is no file. */
#define JSON_FILE_MAX (4u << 20)
enum status json_read_file(const char *path, struct json_value **value, struct error *err);
void json_free(struct json_value *value);

const struct json_value *json_member(const struct json_value *object, const char *key); /* or NULL */
const char *json_member_text(const struct json_value *object, const char *key, const char *otherwise);
bool json_member_u64(const struct json_value *object, const char *key, uint64_t *value);

#endif
