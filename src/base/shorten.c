/* SPDX-License-Identifier: MIT */
#include "base/shorten.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"

void shorten(const char *text, struct shortening by, char shown[SHORTEN_SIZE])
{
	size_t length = strlen(text), columns = utf8_columns(text, length);

	if (columns <= by.width) {
		snprintf(shown, SHORTEN_SIZE, "%s", text);
		return;
	}
	size_t begin = utf8_fitting(text, length, by.head);
	size_t end = utf8_fitting(text, length, columns - (by.width - 1 - by.head));
	snprintf(shown, SHORTEN_SIZE, "%.*s\xe2\x80\xa6%s", (int)begin, text, text + end);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Sorts the names and removes duplicates; returns the number of names left. */
static size_t keep_different(char (*names)[SHORTEN_SIZE], size_t count)
{
	size_t kept = 0;

	qsort(names, count, sizeof(*names), compare_texts);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || strcmp(names[i], names[kept - 1]) != 0)
			memmove(names[kept++], names[i], SHORTEN_SIZE);
	return kept;
}

struct shortening shorten_distinct(char (*names)[SHORTEN_SIZE], size_t count, unsigned int min, unsigned int max)
{
	const size_t different = keep_different(names, count);
	char(*shown)[SHORTEN_SIZE] = xcalloc(different + 1, sizeof(*shown));
	struct shortening by = {max, max / 2};
	bool is_found = false;

	for (unsigned int width = min; width < max && !is_found; width++)
		for (unsigned int step = 0; step + 1 < width && !is_found; step++) {
			const unsigned int middle = width / 2, off = (step + 1) / 2;
			const struct shortening tried = {width, step % 2 ? middle - off : middle + off};
			if (tried.head >= width)
				continue;
			for (size_t i = 0; i < different; i++)
				shorten(names[i], tried, shown[i]);
			is_found = keep_different(shown, different) == different;
			by = is_found ? tried : by;
		}
	free(shown);
	return by;
}
