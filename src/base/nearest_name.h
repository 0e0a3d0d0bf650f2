/* SPDX-License-Identifier: MIT
 *
 * Remedies for misspelled names. */
#ifndef BASE_NEAREST_NAME_H
#define BASE_NEAREST_NAME_H

/* The name in the NULL-terminated list that is nearest to word, or NULL if none is near: by edit distance, or if word
 * abbreviates it. */
const char *nearest_name(const char *word, const char *const *names);

#endif
