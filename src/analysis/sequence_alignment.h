/* SPDX-License-Identifier: MIT
 *
 * How far two sequences of any length agree: where they part, and the edits between them, window by window, in the
 * memory of one window. What one has more than the other is found again as long as it is shorter than half a window. */
#ifndef ANALYSIS_SEQUENCE_ALIGNMENT_H
#define ANALYSIS_SEQUENCE_ALIGNMENT_H

#include "analysis/edit_distance.h"
#include "base/error.h"

#define ALIGNMENT_PARTS 20

/* A sequence: STATUS_OK with its next element, STATUS_END. */
struct alignment_source {
	enum status (*next)(void *context, uint64_t *element, struct error *err);
	void *context;
};

/* Every element of both is one of these; changed and same are one of each. */
struct alignment_counts {
	uint64_t same, changed, only_a, only_b;
};

struct alignment {
	struct alignment_counts counts;
	uint64_t prefix; /* so many are the same at the beginning */
	bool diverged;   /* what follows is not; or one of them ends there */
	/* The same over the whole length: parts of equal length (the last may be shorter), at most ALIGNMENT_PARTS. */
	uint32_t part_count;
	uint64_t part_length;
	struct {
		uint64_t same, all;
	} parts[ALIGNMENT_PARTS];
};

struct alignment_reader {
	struct alignment_source sources[2];
	uint64_t *elements[2]; /* read, not yet placed: counts of them */
	uint32_t counts[2];
	bool ended[2];
	uint32_t window; /* may be made smaller than it was opened with, before a sequence starts */
	struct edit_space space;
};

/* window from 2 to EDIT_WINDOW_MAX. False when memory runs out. alignment_close() either way. */
bool alignment_open(struct alignment_reader *reader, uint32_t window);
void alignment_close(struct alignment_reader *reader);

/* Starts with these two sequences, and reads up to where they part: of a sequence that goes on there, the element that
 * differs is the last that was read. */
enum status alignment_prefix(struct alignment_reader *reader, const struct alignment_source sources[2],
			     struct alignment *alignment, struct error *err);
/* Reads the rest. */
enum status alignment_rest(struct alignment_reader *reader, struct alignment *alignment, struct error *err);

/* same / (same + changed + only_a + only_b), in parts of 10000, rounded down; 10000 where there is nothing. */
uint64_t alignment_share(const struct alignment_counts *counts);

#endif
