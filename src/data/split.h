/* SPDX-License-Identifier: MIT
 *
 * Assigns traces to output files. Whole traces are kept together, because events within a trace are correlated in
 * time. Pure. */
#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "data/python_random.h"

enum split_part { SPLIT_TRAIN, SPLIT_TEST_SEEN, SPLIT_TEST_UNSEEN, SPLIT_PARTS };
/* "train", "test_seen", "test_unseen". */
extern const char *const split_part_names[SPLIT_PARTS];

#define SPLIT_UNSEEN SIZE_MAX

struct split {
	/* Trace indices, in the order in which they are written: train, then test_seen, then test_unseen. */
	size_t *order;
	size_t count[SPLIT_PARTS];
};

/* group_of[i] is the group of trace i, an index below group_count. Groups are numbered in the sorted order of their
 * names, traces in that of their files. SPLIT_UNSEEN goes to test_unseen. Splits like Python's random: for each group
 * in order, shuffles its traces and gives max(1, int(n * ratio)) to train, the rest to test_seen. like[group] is an
 * earlier group whose shuffle is repeated, or the group itself: groups with the same number of traces are split alike.
 * like NULL: each group has its own shuffle. Free the result with split_free(). */
void split_traces(const size_t *group_of, const size_t *like, size_t trace_count, size_t group_count,
		  struct python_random *random, double train_ratio, struct split *split);
void split_free(struct split *split);

/* int(count * ratio) as Python computes it: the product in double precision, truncated. */
uint64_t split_share(uint64_t count, double ratio);

#endif
