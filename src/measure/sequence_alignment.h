/* SPDX-License-Identifier: MIT
 *
 * Compares two sequences of any length: where they diverge, and the edits between them, window by window, in the memory
 * of one window. Insertions shorter than half a window are resynchronized. */
#ifndef MEASURE_SEQUENCE_ALIGNMENT_H
#define MEASURE_SEQUENCE_ALIGNMENT_H

#include "base/error.h"
#include "measure/edit_distance.h"

#define ALIGNMENT_PARTS 20

/* A sequence: returns STATUS_OK with its next element, or STATUS_END. */
struct alignment_source {
	enum status (*next)(void *context, uint64_t *element, struct error *err);
	void *context;
};

/* Each element is counted once; changed and same count one element of each sequence. */
struct alignment_counts {
	uint64_t same, changed, only_a, only_b;
};

struct alignment {
	struct alignment_counts counts;
	uint64_t prefix; /* number of equal elements at the beginning */
	bool diverged;   /* the next elements differ, or one sequence ends there */
	/* The same over the whole length: parts of equal length (the last may be shorter), at most ALIGNMENT_PARTS. */
	uint32_t part_count;
	uint64_t part_length;
	struct {
		uint64_t same, all;
	} parts[ALIGNMENT_PARTS];
};

struct alignment_reader {
	struct alignment_source sources[2];
	uint64_t *elements[2]; /* number of elements read but not yet placed */
	uint32_t counts[2];
	bool ended[2];
	uint32_t window; /* may be reduced after opening, before a sequence starts */
	struct edit_space space;
};

/* window from 2 to EDIT_WINDOW_MAX. Call alignment_close() afterwards. */
void alignment_open(struct alignment_reader *reader, uint32_t window);
void alignment_close(struct alignment_reader *reader);

/* Starts with these two sequences, and reads up to the divergence: if a sequence continues there, the element
 * that differs is the last one read. */
enum status alignment_prefix(struct alignment_reader *reader, const struct alignment_source sources[2],
			     struct alignment *alignment, struct error *err);
/* Reads and aligns the rest. */
enum status alignment_rest(struct alignment_reader *reader, struct alignment *alignment, struct error *err);

/* same / (same + changed + only_a + only_b), in parts of 10000, rounded down; 10000 without elements. */
uint64_t alignment_share(const struct alignment_counts *counts);

#endif
