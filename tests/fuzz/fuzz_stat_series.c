/* SPDX-License-Identifier: MIT
 *
 * A file of counts per period. The first byte is the wanted field. */
#include <stdlib.h>
#include <string.h>

#include "measure/stat_series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status take_field(void *context, uint32_t number, const char *name, struct error *err)
{
	(void)context;
	(void)err;
	if (number == 0 || number > STAT_FIELD_MAX || strlen(name) >= STAT_NAME_MAX)
		abort();
	return STATUS_OK;
}

static enum status take_point(void *context, const char *time, uint64_t value, double per_second, struct error *err)
{
	(void)context;
	(void)err;
	if (!*time || per_second < 0 || (value && per_second == 0))
		abort();
	return STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct stat_taker taker = {.field = take_field, .point = take_point};
	struct stat_series series = {.number = size && data[0] < 16 ? data[0] : 0, .name = "all"};
	enum status status = STATUS_OK;
	struct error err = {0};

	stat_series_begin(&series, "fuzz", &taker);
	for (size_t at = size ? 1 : 0, end; at < size && status == STATUS_OK; at = end) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);
		end = newline ? (size_t)(newline - data) + 1 : size;
		char *line = malloc(end - at + 1);
		if (!line)
			abort();
		memcpy(line, data + at, end - at);
		line[end - at] = '\0';
		status = stat_series_line(&series, line, end - at, &err);
		free(line);
	}
	if (status == STATUS_OK)
		status = stat_series_end(&series, &err);
	if (status != STATUS_OK && (err.what[0] == '\0' || strncmp(err.where, "fuzz", 4) != 0))
		abort();
	return 0;
}
