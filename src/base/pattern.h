/* SPDX-License-Identifier: MIT
 *
 * Patterns of names: workloads, metrics, tasks. Pure. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>

#include "base/options.h"

#define PATTERN_SIZE 256

/* The next of the comma-separated patterns; false after the last. */
bool pattern_next(const char **patterns, char pattern[PATTERN_SIZE]);
/* True if name matches a pattern of * and ?. A name matches itself, whatever characters it has. */
bool pattern_fits(const char *pattern, const char *name);
/* True if one of the patterns matches, or there are none. Commas separate several in one item. */
bool patterns_fit(const struct option_list *patterns, const char *name);

#endif
