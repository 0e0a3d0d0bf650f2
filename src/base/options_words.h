/* SPDX-License-Identifier: MIT
 *
 * The way back from parsed options to the words of a command line. */
#ifndef BASE_OPTIONS_WORDS_H
#define BASE_OPTIONS_WORDS_H

#include "base/arguments.h"
#include "base/options.h"

/* Adds the options whose values are not the defaults, except those of omitted (names, NULL-terminated). Numbers are in
 * the option's own unit. */
void options_words(const struct option *rows, const void *values, const char *const *omitted, struct arguments *out);

#endif
