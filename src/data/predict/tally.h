/* SPDX-License-Identifier: MIT
 *
 * How often each of some numbered things happened, so that what follows from it is worked out once for each and not
 * once for every time. */
#ifndef DATA_PREDICT_TALLY_H
#define DATA_PREDICT_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/* Rows, and those of them that had a choice. */
struct tally_count {
	uint32_t any, choice;
};

/* A zeroed struct is empty. */
struct tally {
	struct tally_count *counts; /* by number */
	uint32_t *touched;          /* the numbers that happened */
	uint32_t capacity, touched_count, touched_capacity;
};

/* False if memory ran out: it grows with the highest number. */
bool tally_add(struct tally *tally, uint32_t number, bool has_choice);
/* Sorts the numbers if they are many: neighbours have more in common. */
void tally_sort(struct tally *tally);
void tally_clear(struct tally *tally);
void tally_free(struct tally *tally);

#endif
