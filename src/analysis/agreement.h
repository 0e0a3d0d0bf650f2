/* SPDX-License-Identifier: MIT
 *
 * How far two sequences of any length agree: where they part, and the edits between them, window by window, in the
 * memory of one window. What one has more than the other is found again as long as it is shorter than half a window. */
#ifndef ANALYSIS_AGREEMENT_H
#define ANALYSIS_AGREEMENT_H

#include "analysis/edit_distance.h"
#include "base/error.h"

#define AGREEMENT_PARTS 20

/* A sequence: STATUS_OK with its next element, STATUS_END. */
struct agreement_source {
	enum status (*next)(void *context, uint64_t *element, struct error *err);
	void *context;
};

/* Every element of both is one of these; changed and same are one of each. */
struct agreement_counts {
	uint64_t same, changed, only_a, only_b;
};

struct agreement {
	struct agreement_counts counts;
	uint64_t prefix; /* so many are the same at the beginning */
	bool parted;     /* what follows is not; or one of them ends there */
	/* The same over the whole length: parts of equal length (the last may be shorter), at most AGREEMENT_PARTS. */
	uint32_t part_count;
	uint64_t part_length;
	struct {
		uint64_t same, all;
	} parts[AGREEMENT_PARTS];
};

struct agreement_reader {
	struct agreement_source sources[2];
	uint64_t *elements[2]; /* read, not yet placed: counts of them */
	uint32_t counts[2];
	bool ended[2];
	uint32_t window; /* may be made smaller than it was opened with, before a sequence starts */
	struct edit_space space;
};

/* window from 2 to EDIT_WINDOW_MOST. False when memory runs out. agreement_close() either way. */
bool agreement_open(struct agreement_reader *reader, uint32_t window);
void agreement_close(struct agreement_reader *reader);

/* Starts with these two sequences, and reads up to where they part: of a sequence that goes on there, the element that
 * differs is the last that was read. */
enum status agreement_prefix(struct agreement_reader *reader, const struct agreement_source sources[2],
			     struct agreement *agreement, struct error *err);
/* Reads the rest. */
enum status agreement_rest(struct agreement_reader *reader, struct agreement *agreement, struct error *err);

/* same / (same + changed + only_a + only_b), in parts of 10000, rounded down; 10000 where there is nothing. */
uint64_t agreement_share(const struct agreement_counts *counts);

#endif
