/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"

#define LEVELS_MAX 64

struct reader {
	const char *at, *end;
	const char *start;
	const char *where;
	struct error *err;
};

static enum status parse_value(struct reader *reader, struct json_value **value, unsigned int level);

static enum status report_corrupt(struct reader *reader, const char *what)
{
	unsigned long line = 1;

	for (const char *p = reader->start; p < reader->at; p++)
		line += *p == '\n';
	return error_set(reader->err, STATUS_CORRUPT, reader->where, "line %lu: %s", line, what);
}

static void skip_space(struct reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at)
		reader->at++;
}

static bool read_char(struct reader *reader, char wanted)
{
	skip_space(reader);
	if (reader->at == reader->end || *reader->at != wanted)
		return false;
	reader->at++;
	return true;
}

static bool read_hex4(struct reader *reader, unsigned int *code)
{
	*code = 0;
	if (reader->end - reader->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = *reader->at++;
		unsigned int digit;
		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			digit = (unsigned int)(c - 'A' + 10);
		else
			return false;
		*code = *code << 4 | digit;
	}
	return true;
}

static void add_utf8(struct buffer *out, unsigned int code)
{
	unsigned char bytes[4];
	size_t length;

	if (code < 0x80) {
		bytes[0] = (unsigned char)code;
		length = 1;
	} else if (code < 0x800) {
		bytes[0] = (unsigned char)(0xc0 | code >> 6);
		length = 2;
	} else if (code < 0x10000) {
		bytes[0] = (unsigned char)(0xe0 | code >> 12);
		length = 3;
	} else {
		bytes[0] = (unsigned char)(0xf0 | code >> 18);
		length = 4;
	}
	for (size_t i = 1; i < length; i++)
		bytes[i] = (unsigned char)(0x80 | (code >> (6 * (length - 1 - i)) & 0x3f));
	buffer_add(out, bytes, length);
}

static bool unicode_escape(struct reader *reader, struct buffer *out)
{
	unsigned int code;
	unsigned int low;

	if (!read_hex4(reader, &code) || code == 0 || (code >= 0xdc00 && code <= 0xdfff))
		return false;
	if (code >= 0xd800 && code <= 0xdbff) {
		if (reader->end - reader->at < 2 || reader->at[0] != '\\' || reader->at[1] != 'u')
			return false;
		reader->at += 2;
		if (!read_hex4(reader, &low) || low < 0xdc00 || low > 0xdfff)
			return false;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(out, code);
	return true;
}

static bool read_escape(struct reader *reader, struct buffer *out)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";

	if (reader->at == reader->end)
		return false;
	char c = *reader->at++;
	if (c == 'u')
		return unicode_escape(reader, out);
	const char *found = c ? strchr(from, c) : NULL;
	if (found)
		buffer_add(out, to + (found - from), 1);
	return found != NULL;
}

/* Bytes of characters that stand for themselves. */
static size_t plain_length(const struct reader *reader)
{
	const char *at = reader->at;

	while (at < reader->end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) {
		size_t sequence = utf8_sequence(at, (size_t)(reader->end - at));
		if (sequence == 0)
			break;
		at += sequence;
	}
	return (size_t)(at - reader->at);
}

/* Adds the rest of a string, up to its closing quotation mark, to out. */
static enum status read_escaped(struct reader *reader, struct buffer *out)
{
	for (;;) {
		size_t plain = plain_length(reader);
		buffer_add(out, reader->at, plain);
		reader->at += plain;
		if (reader->at == reader->end)
			return report_corrupt(reader, "the string does not end");
		char c = *reader->at;
		if (c == '"')
			return STATUS_OK;
		if (c != '\\')
			return report_corrupt(reader, "bad character in a string");
		reader->at++;
		if (!read_escape(reader, out))
			return report_corrupt(reader, "bad escape in a string");
	}
}

static enum status parse_text(struct reader *reader, char **text)
{
	if (!read_char(reader, '"'))
		return report_corrupt(reader, "expected a string");
	size_t plain = plain_length(reader);
	if (reader->at + plain < reader->end && reader->at[plain] == '"') {
		*text = xstrndup(reader->at, plain);
		reader->at += plain + 1;
		return STATUS_OK;
	}
	struct buffer out = {0};
	enum status status = read_escaped(reader, &out);
	if (status != STATUS_OK) {
		buffer_free(&out);
		return status;
	}
	reader->at++;
	*text = out.data;
	return STATUS_OK;
}

static enum status parse_members(struct reader *reader, struct json_value *parent, unsigned int level)
{
	struct json_value **tail = &parent->child;
	char close = parent->kind == JSON_OBJECT ? '}' : ']';

	reader->at++;
	if (read_char(reader, close))
		return STATUS_OK;
	do {
		char *key = NULL;
		enum status status = parent->kind == JSON_OBJECT ? parse_text(reader, &key) : STATUS_OK;
		if (status == STATUS_OK && key && !read_char(reader, ':'))
			status = report_corrupt(reader, "expected ':'");
		if (status == STATUS_OK)
			status = parse_value(reader, tail, level + 1);
		if (*tail)
			(*tail)->key = key;
		else
			free(key);
		if (status != STATUS_OK)
			return status;
		tail = &(*tail)->next;
	} while (read_char(reader, ','));
	return read_char(reader, close) ? STATUS_OK : report_corrupt(reader, "expected ',' or the closing bracket");
}

static bool is_number_grammar(const char *text)
{
	text += *text == '-';
	if (*text == '0')
		text++;
	else if (strspn(text, "0123456789") > 0)
		text += strspn(text, "0123456789");
	else
		return false;
	if (*text == '.') {
		size_t digits = strspn(text + 1, "0123456789");
		if (!digits)
			return false;
		text += 1 + digits;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '+' || *text == '-';
		size_t digits = strspn(text, "0123456789");
		if (!digits)
			return false;
		text += digits;
	}
	return *text == '\0';
}

static enum status parse_number(struct reader *reader, struct json_value *value)
{
	const char *start = reader->at;

	while (reader->at < reader->end && *reader->at && strchr("0123456789+-.eE", *reader->at))
		reader->at++;
	value->kind = JSON_NUMBER;
	value->text = xstrndup(start, (size_t)(reader->at - start));
	if (!is_number_grammar(value->text))
		return report_corrupt(reader, "expected a value");
	return number_parse_real(value->text, &value->number) ? STATUS_OK
							      : report_corrupt(reader, "a number is too large");
}

static bool read_word(struct reader *reader, const char *wanted)
{
	size_t length = strlen(wanted);

	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, wanted, length) != 0)
		return false;
	reader->at += length;
	return true;
}

static enum status parse_value(struct reader *reader, struct json_value **slot, unsigned int level)
{
	skip_space(reader);
	if (reader->at == reader->end)
		return report_corrupt(reader, "the text ends too early");
	if (level > LEVELS_MAX)
		return report_corrupt(reader, "nested too deeply");
	struct json_value *value = xcalloc(1, sizeof(*value));
	*slot = value;
	switch (*reader->at) {
	case '{':
	case '[':
		value->kind = *reader->at == '{' ? JSON_OBJECT : JSON_ARRAY;
		return parse_members(reader, value, level);
	case '"':
		value->kind = JSON_TEXT;
		return parse_text(reader, &value->text);
	default:
		break;
	}
	if (read_word(reader, "null"))
		return STATUS_OK;
	value->kind = JSON_BOOL;
	value->number = 1;
	if (read_word(reader, "true"))
		return STATUS_OK;
	value->number = 0;
	if (read_word(reader, "false"))
		return STATUS_OK;
	return parse_number(reader, value);
}

enum status json_parse(const char *text, size_t length, const char *where, struct json_value **value, struct error *err)
{
	struct reader reader = {text, text + length, text, where, err};

	*value = NULL;
	enum status status = parse_value(&reader, value, 0);
	skip_space(&reader);
	if (status == STATUS_OK && reader.at != reader.end)
		status = report_corrupt(&reader, "unexpected text after the value");
	if (status != STATUS_OK) {
		json_free(*value);
		*value = NULL;
	}
	return status;
}

enum status json_read_file(const char *path, struct json_value **value, struct error *err)
{
	struct buffer text = {0};

	*value = NULL;
	enum status status = file_read_regular(path, JSON_FILE_MAX, &text, err);
	if (status == STATUS_OK)
		status = json_parse(text.data, text.length, path, value, err);
	buffer_free(&text);
	return status;
}

void json_free(struct json_value *value)
{
	while (value) {
		struct json_value *next = value->next;
		json_free(value->child);
		free(value->key);
		free(value->text);
		free(value);
		value = next;
	}
}

const struct json_value *json_member(const struct json_value *object, const char *key)
{
	if (!object || object->kind != JSON_OBJECT)
		return NULL;
	for (const struct json_value *member = object->child; member; member = member->next)
		if (strcmp(member->key, key) == 0)
			return member;
	return NULL;
}

const char *json_member_text(const struct json_value *object, const char *key, const char *otherwise)
{
	const struct json_value *member = json_member(object, key);

	return member && member->kind == JSON_TEXT ? member->text : otherwise;
}

bool json_member_u64(const struct json_value *object, const char *key, uint64_t *value)
{
	const struct json_value *member = json_member(object, key);

	return member && member->kind == JSON_NUMBER && number_parse_u64(member->text, value);
}
