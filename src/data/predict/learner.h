/* SPDX-License-Identifier: MIT
 *
 * What the predictors learn from rows. */
#ifndef DATA_PREDICT_LEARNER_H
#define DATA_PREDICT_LEARNER_H

#include "data/predict/sequence.h"

enum learner_sequence { LEARNER_NAMES, LEARNER_ROLES, LEARNER_SEQUENCES };

/* The members that have a comment are set before the first row; the others are zero. */
struct learner {
	bool learns[LEARNER_SEQUENCES];
	bool baselines_only; /* no histories */
	struct sequence sequences[LEARNER_SEQUENCES];
	uint64_t chosen_counts[DECISION_CANDIDATES_MAX]; /* by index of the chosen candidate */
	uint32_t chosen_constant;                        /* after learner_finish() */
};

/* What a row is for a sequence. */
struct sequence_row learner_row(enum learner_sequence which, const struct predict_row *row);
/* Counts a row. False if memory ran out. */
bool learner_learn(struct learner *learner, const struct predict_row *row);
/* Ends the learning. */
bool learner_finish(struct learner *learner);
void learner_free(struct learner *learner);

#endif
