/* SPDX-License-Identifier: MIT */
#include "data/predict/fields.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");

/* --- Lines without quotes, sixteen bytes at a time --- */

typedef uint8_t block __attribute__((vector_size(16)));

/* A bit in each byte that is a comma, a newline or a quote. */
static inline void find_marks(const char *at, const char *end, uint64_t marks[2])
{
	block bytes = {0};

	if (end - at >= 16)
		memcpy(&bytes, at, sizeof(bytes));
	else
		memcpy(&bytes, at, (size_t)(end - at));
	bytes = (block)((bytes == ',') | (bytes == '\n') | (bytes == '"')) & 0x80;
	memcpy(marks, &bytes, sizeof(bytes));
}

/* Returns where the line ends: its newline or the end; NULL: it has a quote. *count: its fields. */
static const char *split_plain(const char *at, const char *end, struct csv_text *fields, size_t room, size_t *count)
{
	const char *field = at;
	uint64_t marks[2];

	for (*count = 0; at < end; at += sizeof(marks)) {
		find_marks(at, end, marks);
		for (size_t half = 0; half < 2; half++)
			for (; marks[half]; marks[half] &= marks[half] - 1) {
				const char *stop = at + 8 * half + __builtin_ctzll(marks[half]) / 8;
				if (*stop == '"')
					return NULL;
				if (*count < room)
					fields[*count] = (struct csv_text){field, (size_t)(stop - field)};
				++*count;
				field = stop + 1;
				if (*stop == '\n')
					return stop;
			}
	}
	if (*count < room)
		fields[*count] = (struct csv_text){field, (size_t)(end - field)};
	++*count;
	return end;
}

/* --- Lines with quotes --- */

/* The end of the field that starts at from, with its CR if it is the last. NULL: a quote is not closed. */
static const char *end_of_field(const char *from, const char *end)
{
	if (from < end && *from == '"') {
		for (from++; from < end; from++)
			if (*from == '"' && (++from == end || *from != '"'))
				return from < end && *from == '\r' ? from + 1 : from;
		return NULL;
	}
	while (from < end && *from != ',' && *from != '\n')
		from++;
	return from;
}

/* *stop: the line's end. */
static enum fields_found split_quoted(const struct fields_cursor *cursor, struct csv_text *fields, size_t room,
				      size_t *count, const char **stop)
{
	const char *at = cursor->at, *end = cursor->end;

	for (*count = 0;; at = *stop + 1) {
		*stop = end_of_field(at, end);
		if (!*stop)
			return FIELDS_OPEN_QUOTE;
		if (*count < room)
			fields[*count] = (struct csv_text){at, (size_t)(*stop - at)};
		++*count;
		if (*stop == end || **stop == '\n')
			return FIELDS_OK;
		if (**stop != ',' || (*at == '"' && (*stop)[-1] == '\r'))
			return FIELDS_TEXT_AFTER_QUOTE;
	}
}

/* Of a line with quotes, which may hide newlines. */
static uint64_t count_lines(const char *at, const char *end)
{
	uint64_t lines = 0;

	for (; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines++;
	return lines;
}

/* --- Both --- */

enum fields_found fields_split(struct fields_cursor *cursor, struct fields_wanted wanted, struct csv_text *fields)
{
	struct csv_text *last = &fields[wanted.kept - 1];
	size_t count;
	const char *stop = split_plain(cursor->at, cursor->end, fields, wanted.kept, &count);
	uint64_t lines = 1;

	if (!stop) {
		enum fields_found found = split_quoted(cursor, fields, wanted.kept, &count, &stop);
		if (found != FIELDS_OK)
			return found;
		lines += count_lines(cursor->at, stop);
	}
	if (count != wanted.columns)
		return FIELDS_WRONG_NUMBER;
	if (wanted.kept == wanted.columns)
		last->length -= last->length && last->bytes[last->length - 1] == '\r';
	cursor->at = stop < cursor->end ? stop + 1 : stop;
	cursor->line += lines;
	return FIELDS_OK;
}
