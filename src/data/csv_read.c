/* SPDX-License-Identifier: MIT */
#include "data/csv_read.h"

#include <string.h>

bool csv_is_dataset(const void *bytes, size_t length)
{
	const struct columns columns = switch_columns(NULL);
	struct buffer header = {0};

	columns_add_header(&columns, &header);
	size_t names = header.length - strlen("\r\n");
	bool is_dataset = length >= names && memcmp(bytes, header.data, names) == 0 &&
			  (length == names || memchr(",\r\n", ((const char *)bytes)[names], 3));
	buffer_free(&header);
	return is_dataset;
}

void csv_reader_open(struct csv_reader *reader, const void *bytes, size_t length, const char *name)
{
	const char *start = bytes;
	const char *newline = length ? memchr(start, '\n', length) : NULL;
	const char *end = newline ? newline : start + length;

	*reader =
	    (struct csv_reader){.name = name, .at = newline ? newline + 1 : end, .end = start + length, .line = 1};
	if (end > start && end[-1] == '\r')
		end--;
	reader->header = (struct csv_text){start, (size_t)(end - start)};
}

static enum status corrupt(const struct csv_reader *reader, const char *what, struct error *err)
{
	return error_set(err, STATUS_CORRUPT, reader->name, "line %llu: %s", (unsigned long long)reader->line, what);
}

/* The position after the quoted field that starts at from, or NULL if its quote is not closed. */
static const char *pass_quoted(const char *from, const char *end, uint64_t *lines)
{
	for (from++; from < end; from++) {
		*lines += *from == '\n';
		if (*from != '"')
			continue;
		if (from + 1 == end || from[1] != '"')
			return from + 1;
		from++;
	}
	return NULL;
}

static const char *pass_plain(const char *from, const char *end)
{
	while (from < end && *from != ',' && *from != '\r' && *from != '\n')
		from++;
	return from;
}

static const char *pass_line_end(const char *at, const char *end)
{
	if (at < end && *at == '\r')
		at++;
	return at < end && *at == '\n' ? at + 1 : at;
}

enum status csv_reader_next(struct csv_reader *reader, struct csv_record *record, struct error *err)
{
	const char *at = reader->at;
	uint64_t lines = 1;

	if (at == reader->end)
		return STATUS_END;
	reader->line++;
	for (record->count = 0;; at++) {
		if (record->count == CSV_FIELDS_MAX)
			return corrupt(reader, "more fields than a dataset has columns", err);
		const char *after =
		    at < reader->end && *at == '"' ? pass_quoted(at, reader->end, &lines) : pass_plain(at, reader->end);
		if (!after)
			return corrupt(reader, "a quote is not closed", err);
		record->fields[record->count++] = (struct csv_text){at, (size_t)(after - at)};
		at = after;
		if (at == reader->end || *at != ',')
			break;
	}
	const char *next_line = pass_line_end(at, reader->end);
	if (next_line == at && at < reader->end)
		return corrupt(reader, "text after a closing quote", err);
	if (record->count < CSV_COLUMNS)
		return corrupt(reader, "fewer fields than a dataset has columns", err);
	record->whole = (struct csv_text){reader->at, (size_t)(next_line - reader->at)};
	reader->at = next_line;
	reader->line += lines - 1;
	return STATUS_OK;
}

size_t csv_unquote(const struct csv_text *field, char *to, size_t size)
{
	bool quoted = field->length >= 2 && field->bytes[0] == '"';
	const char *at = field->bytes + quoted;
	const char *end = field->bytes + field->length - quoted;
	size_t length = 0;

	for (; at < end; at++) {
		if (length == size)
			return SIZE_MAX;
		to[length++] = *at;
		if (quoted && *at == '"')
			at++;
	}
	return length;
}
