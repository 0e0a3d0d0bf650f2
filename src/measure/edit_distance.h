/* SPDX-License-Identifier: MIT
 *
 * Levenshtein distance: the minimum number of edits (change, delete or insert one element) that turn one sequence into
 * another. Stores the furthest position that d edits can reach on each diagonal (Ukkonen, "Algorithms for approximate
 * string matching", 1985). Time is at most window * edits, memory is proportional to window. */
#ifndef MEASURE_EDIT_DISTANCE_H
#define MEASURE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#define EDIT_WINDOW_MAX 8192u

/* A path from the beginning of both sequences: elements passed in each, equal elements, and edits. */
struct edit_path {
	uint32_t a, b, same, edits;
};

/* A path's edits by kind: changed elements, and elements of only one sequence. */
struct edit_kinds {
	uint32_t changed, only_a, only_b;
};

struct edit_reach;

/* Memory for sequences of up to window elements. A zeroed struct is closed. */
struct edit_space {
	uint32_t window;
	struct edit_reach *rows;
};

/* window at most EDIT_WINDOW_MAX. */
void edit_space_open(struct edit_space *space, uint32_t window);
void edit_space_close(struct edit_space *space);

struct edit_sequence {
	const uint64_t *elements;
	uint32_t length; /* up to the window */
};

/* The path with the fewest edits from the beginning of a and b to the ends of both or, if !to_both, to the end of
 * either. If that takes more than max edits (at least 1): the path reached with max edits. Of several paths, one with
 * the most elements passed. *half is the point where half of both is passed: the rest is less reliable if the window's
 * end is not the end of the sequences. Its a and b are 0 if the path is shorter. */
struct edit_path edit_distance(struct edit_space *space, const struct edit_sequence *a, const struct edit_sequence *b,
			       bool to_both, uint32_t max, struct edit_path *half);
struct edit_kinds edit_kinds(const struct edit_path *path);

/* The single edits, for short sequences: a string of '=' '!' (changed) '-' (only a) '+' (only b). Their number is
 * minimal up to the end of either sequence; the rest of the other one follows. ops has room for a_length + b_length
 * + 1. Time and memory: a_length * b_length. */
void edit_script(const uint64_t *a, uint32_t a_length, const uint64_t *b, uint32_t b_length, char *ops);

#endif
