/* SPDX-License-Identifier: MIT
 *
 * Wildcards in names: * is any text, ? any character. The C library's fnmatch() would bring tables of all the world's
 * letters. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>

bool pattern_fits(const char *pattern, const char *text);

#endif
