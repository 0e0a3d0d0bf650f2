/* SPDX-License-Identifier: MIT */
#include "predict/fields.h"

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

/* The end of the field that starts at from: a comma, a line end or the end. NULL: a quote is not closed. */
static const char *end_of_field(const char *from, const char *end)
{
	if (from < end && *from == '"') {
		for (from++; from < end; from++)
			if (*from == '"' && (++from == end || *from != '"'))
				return from;
		return NULL;
	}
	while (from < end && *from != ',' && *from != '\n')
		from++;
	return from;
}

/* Returns where the next line starts. NULL: a quote is not closed. */
static const char *pass_rest(const char *at, const char *end)
{
	while (at < end && at[-1] != '\n') {
		const char *stop = end_of_field(at, end);
		if (!stop)
			return NULL;
		at = stop < end ? stop + 1 : stop;
	}
	return at;
}

static enum fields_found split_quoted(const char **line, const char *end, struct fields_wanted wanted,
				      struct csv_text *fields)
{
	const char *at = *line;

	for (size_t i = 0; i < wanted.count; i++) {
		const char *stop = end_of_field(at, end);
		if (!stop)
			return FIELDS_OPEN_QUOTE;
		bool ends = stop == end || *stop == '\n' || *stop == '\r', should_end = i + 1 == wanted.count;
		fields[i] = (struct csv_text){at, (size_t)(stop - at)};
		if (ends != should_end && !(should_end && wanted.may_have_more))
			return FIELDS_WRONG_NUMBER;
		at = stop < end ? stop + 1 : stop;
	}
	*line = pass_rest(at, end);
	return *line ? FIELDS_OK : FIELDS_OPEN_QUOTE;
}

/* --- Both --- */

enum fields_found fields_split(const char **at, const char *end, struct fields_wanted wanted, struct csv_text *fields)
{
	struct csv_text *last = &fields[wanted.count - 1];
	size_t count;
	const char *stop = split_plain(*at, end, fields, wanted.count, &count);

	if (!stop) {
		enum fields_found found = split_quoted(at, end, wanted, fields);
		if (found != FIELDS_OK)
			return found;
	} else if (count < wanted.count || (count > wanted.count && !wanted.may_have_more)) {
		return FIELDS_WRONG_NUMBER;
	} else {
		*at = stop < end ? stop + 1 : stop;
	}
	last->length -= last->length && last->bytes[last->length - 1] == '\r';
	return FIELDS_OK;
}
