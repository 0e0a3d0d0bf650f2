/* SPDX-License-Identifier: MIT */
#include "measure/stat_series.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define BLANKS " \t\r\n"

void stat_series_begin(struct stat_series *series, const char *where, const struct stat_taker *taker)
{
	*series = (struct stat_series){.number = series->number, .name = series->name, .taker = taker, .where = where};
}

static enum status corrupt(const struct stat_series *series, struct error *err, const char *what)
{
	char place[400];

	snprintf(place, sizeof(place), "%.300s: line %llu", series->where, (unsigned long long)series->line);
	return error_set(err, STATUS_CORRUPT, place, "%s", what);
}

/* Removes "WORD " from the front. */
static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) != 0 || (*text)[length] != ' ')
		return false;
	*text += length + 1;
	while (**text == ' ')
		(*text)++;
	return true;
}

/* A whole number, followed by a space or the end of the text. */
static bool take_number(const char **text, uint64_t max, uint64_t *value)
{
	char digits[24];
	size_t length = strcspn(*text, " ");

	if (length == 0 || length >= sizeof(digits))
		return false;
	memcpy(digits, *text, length);
	digits[length] = '\0';
	*text += length;
	while (**text == ' ')
		(*text)++;
	return number_parse_u64(digits, value) && *value <= max;
}

static enum status take_field(struct stat_series *series, const char *text, struct error *err)
{
	uint64_t number;

	if (!take_number(&text, STAT_FIELD_MAX, &number) || number == 0 || *text == '\0')
		return corrupt(series, err, "a field without number or name");
	if (strlen(text) >= STAT_NAME_MAX)
		return corrupt(series, err, "a field's name is too long");
	if (series->lines)
		return corrupt(series, err, "a field is named after the first line of numbers");
	if (series->min_field == 0 || number < series->min_field)
		series->min_field = (uint32_t)number;
	if (number > series->max_field)
		series->max_field = (uint32_t)number;
	if (series->number == 0 && series->name && strcmp(series->name, text) == 0)
		series->number = (uint32_t)number;
	if (!series->taker->field)
		return STATUS_OK;
	return series->taker->field(series->taker->context, (uint32_t)number, text, err);
}

static enum status take_comment(struct stat_series *series, const char *text, struct error *err)
{
	uint64_t value;

	while (*text == ' ')
		text++;
	if (take_word(&text, "version")) {
		series->has_version = true;
		return STATUS_OK;
	}
	if (take_word(&text, "period_msec")) {
		if (!take_number(&text, UINT64_C(1000000000000), &series->period_ms) || series->period_ms == 0)
			return corrupt(series, err, "period_msec is not a number of milliseconds");
		return STATUS_OK;
	}
	if (take_word(&text, "ts_field")) {
		if (!take_number(&text, STAT_FIELD_MAX, &value) || value == 0)
			return corrupt(series, err, "ts_field is not a field number");
		series->ts_field = (uint32_t)value;
		return STATUS_OK;
	}
	return take_word(&text, "field") ? take_field(series, text, err) : STATUS_OK;
}

static bool is_time(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	size_t rest = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") + 1 : 0;

	return whole && text[whole + rest] == '\0';
}

enum status stat_series_end(const struct stat_series *series, struct error *err)
{
	if (!series->has_version) {
		error_set(err, STATUS_UNSUPPORTED, series->where, "is not a migration statistics file");
		return error_remedy(err, "picknext migrations --period 1000 TRACE writes them");
	}
	if (series->period_ms == 0 || series->ts_field == 0)
		return corrupt(series, err, "period_msec or ts_field is missing before the first line of numbers");
	if (series->name && series->number == 0) {
		error_set(err, STATUS_USAGE, series->where, "has no field '%.100s'", series->name);
		return error_remedy(err, "picknext migrations extract FILE lists its fields");
	}
	if (series->number && (series->number < series->min_field || series->number > series->max_field)) {
		error_set(err, STATUS_USAGE, series->where, "has no field %u", series->number);
		return error_remedy(err, "its fields go from %u to %u", series->min_field, series->max_field);
	}
	return STATUS_OK;
}

static enum status take_numbers(struct stat_series *series, char *text, struct error *err)
{
	enum status status = series->lines++ ? STATUS_OK : stat_series_end(series, err);
	const bool wants_value = series->number && series->number != series->ts_field;
	const char *time = NULL;
	bool has_value = false;
	uint64_t value = 0;
	uint32_t column = 0;
	char *rest;

	if (status != STATUS_OK)
		return status;
	for (const char *token = strtok_r(text, BLANKS, &rest); token; token = strtok_r(NULL, BLANKS, &rest)) {
		if (++column == series->ts_field)
			time = token;
		else if (column == series->number && !(has_value = number_parse_u64(token, &value)))
			return corrupt(series, err, "the field is not a whole number");
	}
	if (!time || has_value != wants_value)
		return corrupt(series, err, "has too few fields");
	if (!is_time(time))
		return corrupt(series, err, "its time is not a number");
	if (!has_value || !series->taker->point)
		return STATUS_OK;
	return series->taker->point(series->taker->context, time, value,
				    (double)value * 1000.0 / (double)series->period_ms, err);
}

enum status stat_series_line(struct stat_series *series, char *line, size_t length, struct error *err)
{
	series->line++;
	if (memchr(line, '\0', length))
		return corrupt(series, err, "holds a NUL byte");
	line += strspn(line, BLANKS);
	if (*line != '#')
		return *line ? take_numbers(series, line, err) : STATUS_OK;
	line[strcspn(line, "\r\n")] = '\0';
	return take_comment(series, line + 1, err);
}
