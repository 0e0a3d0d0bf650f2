/* SPDX-License-Identifier: MIT */
#include "base/options_words.h"

#include <stdlib.h>
#include <string.h>

static bool is_omitted(const struct option *row, const char *const *omitted)
{
	for (; *omitted; omitted++)
		if (strcmp(*omitted, row->name) == 0)
			return true;
	return row->hidden;
}

static void add_text(const struct option *row, const char *value, struct arguments *out)
{
	if (value && (!row->fallback || strcmp(value, row->fallback) != 0))
		arguments_add(out, "--%s=%s", row->name, value);
}

static void add_list(const struct option *row, const struct option_list *list, struct arguments *out)
{
	for (size_t i = 0; i < list->count; i++)
		arguments_add(out, "--%s=%s", row->name, list->items[i]);
}

static void add_row(const struct option *row, const void *value, struct arguments *out)
{
	const char *fallback = row->fallback ? row->fallback : "0";

	switch (row->kind) {
	case OPTION_FLAG:
		if (*(const bool *)value)
			arguments_add(out, "--%s", row->name);
		break;
	case OPTION_TEXT:
	case OPTION_CHOICE:
		add_text(row, *(const char *const *)value, out);
		break;
	case OPTION_NUMBER:
		if (*(const uint64_t *)value != strtoull(fallback, NULL, 10))
			arguments_add(out, "--%s=%llu", row->name, (unsigned long long)*(const uint64_t *)value);
		break;
	case OPTION_SIGNED:
		if (*(const int64_t *)value != strtoll(fallback, NULL, 10))
			arguments_add(out, "--%s=%lld", row->name, (long long)*(const int64_t *)value);
		break;
	case OPTION_REAL:
		if (*(const double *)value != strtod(fallback, NULL))
			arguments_add(out, "--%s=%.15g", row->name, *(const double *)value);
		break;
	case OPTION_LIST:
		add_list(row, value, out);
		break;
	}
}

void options_words(const struct option *rows, const void *values, const char *const *omitted, struct arguments *out)
{
	for (const struct option *row = rows; row->name; row++)
		if (!is_omitted(row, omitted))
			add_row(row, (const char *)values + row->offset, out);
}
