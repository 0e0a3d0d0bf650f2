/* SPDX-License-Identifier: MIT
 *
 * Migration statistics, read in pieces of all sizes: the first byte chooses what is wanted and how long a piece is. */
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t points;
	uint32_t fields;
};

static enum status take_field(void *context, uint32_t number, const char *name, struct error *err)
{
	struct seen *seen = context;

	(void)err;
	if (number == 0 || number > STAT_FIELD_MOST || name[0] == '\0' || strlen(name) >= STAT_NAME_MOST)
		abort();
	seen->fields++;
	return STATUS_OK;
}

static enum status take_point(void *context, const char *time, uint64_t value, double per_second, struct error *err)
{
	struct seen *seen = context;

	(void)err;
	if (time[0] < '0' || time[0] > '9' || strspn(time, "0123456789.") != strlen(time) || per_second < 0 ||
	    (value == 0) != (per_second == 0))
		abort();
	seen->points++;
	return STATUS_OK;
}

/* What is found, and how it ends, does not depend on the pieces. */
static enum status read_in(const uint8_t *data, size_t size, size_t piece, uint8_t wanted, struct seen *seen)
{
	const struct stat_taker taker = {.context = seen, .field = take_field, .point = take_point};
	struct stat_series series = {.number = wanted & 3, .name = wanted & 4 ? "migrate" : NULL};
	struct error err = {0};
	enum status status = STATUS_OK;

	*seen = (struct seen){0};
	stat_series_begin(&series, "fuzz", &taker);
	for (size_t at = 0; at < size && status == STATUS_OK; at += piece)
		status =
		    stat_series_take(&series, (const char *)data + at, size - at < piece ? size - at : piece, &err);
	if (status == STATUS_OK)
		status = stat_series_end(&series, &err);
	if (status != STATUS_OK && strncmp(err.where, "fuzz", 4) != 0)
		abort();
	if (seen->fields != series.field_count || seen->points > series.lines)
		abort();
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole;
	struct seen pieces;

	if (size == 0)
		return 0;
	uint8_t wanted = data[0] & 7;
	size_t piece = (size_t)(data[0] >> 3) + 1;
	enum status status = read_in(data + 1, size - 1, size, wanted, &whole);
	if (status != read_in(data + 1, size - 1, piece, wanted, &pieces) || whole.points != pieces.points ||
	    whole.fields != pieces.fields)
		abort();
	return 0;
}
