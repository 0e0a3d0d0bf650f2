/* SPDX-License-Identifier: MIT
 *
 * Assigns traces to output files. Whole traces are kept together, because events within a trace are correlated in
 * time. */
#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum split_part { SPLIT_TRAIN, SPLIT_TEST_SEEN, SPLIT_TEST_UNSEEN, SPLIT_PARTS };

#define SPLIT_NO_CATEGORY SIZE_MAX

struct split {
	/* Trace indices, in the order in which they are written: train, then test_seen, then test_unseen. */
	size_t *order;
	size_t count[SPLIT_PARTS];
	size_t unseen_category; /* index of the category held out, or SPLIT_NO_CATEGORY */
};

/* category_of[i] is the category of trace i, an index below category_count; categories are numbered in the
 * sorted order of their names, traces in the sorted order of their files. Draws as Python's random does:
 * seed; with three or more categories (and not no_unseen_split) choice over them; then, for each other
 * category in order, shuffle its traces and give max(1, int(n * ratio)) to train, the rest to test_seen. The
 * result is freed with split_free(). */
void split_traces(const size_t *category_of, size_t trace_count, size_t category_count, int64_t seed,
		  double train_ratio, bool no_unseen_split, struct split *split);
/* The same with a given category held out, or SPLIT_NO_CATEGORY; nothing is drawn for it. */
void split_without(const size_t *category_of, size_t trace_count, size_t category_count, int64_t seed,
		   double train_ratio, size_t unseen, struct split *split);
void split_free(struct split *split);

/* int(count * ratio) with the result of Python: the product in double precision, truncated. */
uint64_t split_share(uint64_t count, double ratio);

#endif
