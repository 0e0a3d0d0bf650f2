/* SPDX-License-Identifier: MIT
 *
 * Least numbers of edits (one element changed, left out, or put in) that turn one sequence into another: Levenshtein's
 * distance. The furthest place that d edits can reach is kept for each diagonal (Ukkonen, "Algorithms for approximate
 * string matching", 1985), so that what is alike costs little: time is at most window * edits, memory window. */
#ifndef ANALYSIS_EDIT_DISTANCE_H
#define ANALYSIS_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#define EDIT_WINDOW_MAX 8192u

/* A way from the beginning of both: how much of each it has passed, how many were the same, and what was edited. */
struct edit_path {
	uint32_t a, b, same, edits;
};

/* Of a path's edits: elements that were changed, and that only one has. */
struct edit_kinds {
	uint32_t changed, only_a, only_b;
};

struct edit_reach;

/* Room for sequences of up to window elements. A zeroed one is closed. */
struct edit_space {
	uint32_t window;
	struct edit_reach *rows;
};

/* window at most EDIT_WINDOW_MAX. False when memory runs out. */
bool edit_space_open(struct edit_space *space, uint32_t window);
void edit_space_close(struct edit_space *space);

struct edit_sequence {
	const uint64_t *elements;
	uint32_t length; /* up to the window */
};

/* The path with the least edits from the beginning of a and b to the ends of both, or where !to_both, to the end of
 * either; where that takes more than most edits (at least 1), what is reached with so many. Of several, one that passes
 * most. *half is where it has passed half of both: what lies behind is less sure where the end is not the sequences'
 * own. a and b of it are 0 where it did not come that far. */
struct edit_path edit_distance(struct edit_space *space, const struct edit_sequence *a, const struct edit_sequence *b,
			       bool to_both, uint32_t max, struct edit_path *half);
struct edit_kinds edit_kinds(const struct edit_path *path);

/* The edits one by one, for few elements: a line of ops, '=' '!' (changed) '-' (only a) '+' (only b), and NUL. They are
 * the fewest to the end of either; what the other goes on with follows as its own. ops has room for a_length +
 * b_length + 1. Time and memory a_length * b_length. False when memory runs out. */
bool edit_script(const uint64_t *a, uint32_t a_length, const uint64_t *b, uint32_t b_length, char *ops);

#endif
