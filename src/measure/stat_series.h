/* SPDX-License-Identifier: MIT
 *
 * Reads the format of migration_periods.h, as described by the file's header: the list of fields, and {time, rate per
 * second} of one field from every line. Input is hostile. */
#ifndef MEASURE_STAT_SERIES_H
#define MEASURE_STAT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define STAT_FIELD_MAX 16777216u
#define STAT_NAME_MAX  128

/* Each function may be NULL. */
struct stat_taker {
	void *context;
	/* A "# field" line. name ends with a NUL; any other byte can occur in it. */
	enum status (*field)(void *context, uint32_t number, const char *name, struct error *err);
	/* The time of a line, as text, and the value of the wanted field; per_second is normalized by the period. */
	enum status (*point)(void *context, const char *time, uint64_t value, double per_second, struct error *err);
};

struct stat_series {
	/* Results from the header: */
	uint64_t period_ms;
	uint32_t ts_field;
	uint32_t min_field, max_field;
	uint64_t lines; /* data lines */
	/* The wanted field: its number or, if number is 0, its name (or NULL). number is filled in from the header. */
	uint32_t number;
	const char *name;
	/* Internal. */
	const struct stat_taker *taker;
	const char *where;
	uint64_t line; /* from 1 */
	bool has_version;
};

/* where: the name of the input in errors. */
void stat_series_begin(struct stat_series *series, const char *where, const struct stat_taker *taker);
/* Processes the next line, and changes it; a NUL must follow its length. STATUS_CORRUPT names the line;
 * STATUS_UNSUPPORTED: another file format; otherwise the callback's status. */
enum status stat_series_line(struct stat_series *series, char *line, size_t length, struct error *err);
/* Call it at the end of the header, which is the first number or the end of the input. STATUS_CORRUPT if the header is
 * incomplete, STATUS_USAGE if the wanted field does not exist. */
enum status stat_series_end(const struct stat_series *series, struct error *err);

#endif
