/* SPDX-License-Identifier: MIT
 *
 * How new the test rows are to one who knows train.csv, and how far two trivial predictors get: a constant (the target
 * most frequent in train.csv) and the last successor (what followed the same previous task last, updated with every
 * row). Targets are the next task by name and by role. Pure. */
#ifndef DATA_NOVELTY_H
#define DATA_NOVELTY_H

#include "base/json.h"
#include "base/text_table.h"
#include "data/split.h"

#define NOVELTY_TRIVIAL 0.95

enum novelty_target { NOVELTY_NAME, NOVELTY_ROLE, NOVELTY_TARGETS };

struct novelty_text {
	const char *bytes;
	size_t length;
};

struct novelty_part {
	uint64_t rows, unseen_rows;       /* unseen: the target is not one of train.csv */
	uint64_t targets, unseen_targets; /* distinct */
	uint64_t constant_right, successor_right;
};

/* Per distinct text. */
struct novelty_entry {
	uint64_t rows[SPLIT_PARTS];
	uint32_t successor; /* number + 1; 0: none yet */
};

/* A zeroed struct is empty. */
struct novelty {
	struct text_table texts[NOVELTY_TARGETS];
	struct novelty_entry *entries[NOVELTY_TARGETS];
	uint32_t capacity[NOVELTY_TARGETS];
	uint64_t successor_right[NOVELTY_TARGETS][SPLIT_PARTS];
};

/* Adds a row: the task that left and the one that follows. Rows of train.csv come first. */
void novelty_add(struct novelty *novelty, enum split_part part, enum novelty_target target,
		 const struct novelty_text *prev, const struct novelty_text *next);
struct novelty_part novelty_part(const struct novelty *novelty, enum split_part part, enum novelty_target target);
/* A trivial predictor is right more often than NOVELTY_TRIVIAL. */
bool novelty_is_trivial(const struct novelty_part *part);
extern const char *const novelty_target_names[NOVELTY_TARGETS];
/* Adds the object "novelty". */
void novelty_add_json(const struct novelty *novelty, struct json_writer *json);
void novelty_free(struct novelty *novelty);

#endif
