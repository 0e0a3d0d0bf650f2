/* SPDX-License-Identifier: MIT
 *
 * Shortens long names in the middle, so that different names stay different. Pure. */
#ifndef BASE_SHORTEN_H
#define BASE_SHORTEN_H

#include <stddef.h>

/* Size of a name in bytes; longer ones are cut. */
#define SHORTEN_SIZE 256

/* A name of more than width characters is shown as its first head characters, an ellipsis, and its last characters. */
struct shortening {
	unsigned int width, head;
};

void shorten(const char *text, struct shortening by, char shown[SHORTEN_SIZE]);
/* The smallest width from min on at which all names that differ stay different, with the ellipsis as near to the middle
 * as possible. If there is none below max, the width is max, which shortens no name. Sorts the names. */
struct shortening shorten_distinct(char (*names)[SHORTEN_SIZE], size_t count, unsigned int min, unsigned int max);

#endif
