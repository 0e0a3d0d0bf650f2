/* SPDX-License-Identifier: MIT */
#include "base/nearest_name.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[64];
	size_t width = strlen(b);

	if (width >= 64)
		return SIZE_MAX;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			size_t above = row[j];
			size_t change = diagonal + (a[i - 1] != b[j - 1]);
			row[j] = smaller(change, smaller(above, row[j - 1]) + 1);
			diagonal = above;
		}
	}
	return row[width];
}

/* True if word is the start of name, or name with letters left out: "cmp" of "compare". */
static bool abbreviates(const char *word, const char *name)
{
	if (strlen(word) < 3 || *word != *name)
		return false;
	for (; *word && *name; name++)
		word += *word == *name;
	return *word == '\0';
}

const char *nearest_name(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t least = strlen(word) / 3 + 2;

	for (; *names; names++) {
		size_t distance = edit_distance(word, *names);
		if (abbreviates(word, *names))
			distance = smaller(distance, 1);
		if (distance < least) {
			least = distance;
			best = *names;
		}
	}
	return best;
}
