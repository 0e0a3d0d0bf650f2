/* SPDX-License-Identifier: MIT */
#include "base/pattern.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool pattern_next(const char **patterns, char pattern[PATTERN_SIZE])
{
	if (!*patterns)
		return false;
	size_t length = strcspn(*patterns, ",");
	snprintf(pattern, PATTERN_SIZE, "%.*s", (int)length, *patterns);
	*patterns = (*patterns)[length] ? *patterns + length + 1 : NULL;
	return true;
}

bool pattern_fits(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

bool patterns_fit(const struct option_list *patterns, const char *name)
{
	char pattern[PATTERN_SIZE];

	for (size_t i = 0; i < patterns->count; i++)
		for (const char *at = patterns->items[i]; pattern_next(&at, pattern);)
			if (pattern_fits(pattern, name))
				return true;
	return patterns->count == 0;
}
