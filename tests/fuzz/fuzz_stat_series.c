/* SPDX-License-Identifier: MIT
 *
 * A file of counts per period, in pieces whose length the first byte gives: the pieces do not change what is read. */
#include <stdlib.h>
#include <string.h>

#include "measure/stat_series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct tally {
	uint64_t fields, points, sum;
	enum status status;
};

static enum status take_field(void *context, uint32_t number, const char *name, struct error *err)
{
	struct tally *tally = context;

	(void)err;
	if (number == 0 || number > STAT_FIELD_MAX || strlen(name) >= STAT_NAME_MAX)
		abort();
	tally->fields++;
	tally->sum = tally->sum * 31 + number + strlen(name);
	return STATUS_OK;
}

static enum status take_point(void *context, const char *time, uint64_t value, double per_second, struct error *err)
{
	struct tally *tally = context;

	(void)err;
	(void)per_second;
	tally->points++;
	tally->sum = tally->sum * 31 + strlen(time) + value;
	return STATUS_OK;
}

static struct tally read_in_pieces(const uint8_t *data, size_t size, size_t piece, uint32_t number, const char *name)
{
	struct tally tally = {0};
	const struct stat_taker taker = {.context = &tally, .field = take_field, .point = take_point};
	struct stat_series series = {.number = number, .name = name};
	struct error err = {0};

	stat_series_begin(&series, "fuzz", &taker);
	for (size_t at = 0; at < size && tally.status == STATUS_OK; at += piece)
		tally.status =
		    stat_series_take(&series, (const char *)data + at, size - at < piece ? size - at : piece, &err);
	if (tally.status == STATUS_OK)
		tally.status = stat_series_end(&series, &err);
	if (tally.status != STATUS_OK && (err.what[0] == '\0' || strncmp(err.where, "fuzz", 4) != 0))
		abort();
	return tally;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	size_t piece = data[0] ? data[0] : 1;
	for (uint32_t number = 0; number < 4; number++) {
		struct tally whole = read_in_pieces(data + 1, size - 1, size, number, number ? NULL : "all");
		struct tally parts = read_in_pieces(data + 1, size - 1, piece, number, number ? NULL : "all");
		if (whole.fields != parts.fields || whole.points != parts.points || whole.sum != parts.sum ||
		    whole.status != parts.status)
			abort();
	}
	return 0;
}
