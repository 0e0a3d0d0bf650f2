/* SPDX-License-Identifier: MIT
 *
 * Names that are too long for their place: shortened in the middle, so that different ones stay different. Pure. */
#ifndef BASE_SHORTEN_H
#define BASE_SHORTEN_H

#include <stddef.h>

/* Size of a name in bytes; longer ones are cut. */
#define SHORTEN_SIZE 256

/* A name of more than width characters becomes head of them, an ellipsis, and the last ones. */
struct shortening {
	unsigned int width, head;
};

void shorten(const char *text, struct shortening by, char shown[SHORTEN_SIZE]);
/* The smallest width from min on at which all names that differ stay different, with the ellipsis as near to the middle
 * as possible. Width max, which shortens none, if there is no such width below it. Sorts the names. */
struct shortening shorten_distinct(char (*names)[SHORTEN_SIZE], size_t count, unsigned int min, unsigned int max);

#endif
