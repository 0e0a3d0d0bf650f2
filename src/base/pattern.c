/* SPDX-License-Identifier: MIT */
#include "base/pattern.h"

#include <stddef.h>

bool pattern_fits(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *resume = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			resume = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
