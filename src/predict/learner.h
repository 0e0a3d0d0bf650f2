/* SPDX-License-Identifier: MIT
 *
 * What the predictors learn from rows, and what they predict of others. Pure. */
#ifndef PREDICT_LEARNER_H
#define PREDICT_LEARNER_H

#include "predict/scores.h"
#include "predict/sequence.h"

enum predict_target { TARGET_NAME, TARGET_ROLE, TARGET_DECISION, PREDICT_TARGETS };

enum learner_sequence { LEARNER_NAMES, LEARNER_ROLES, LEARNER_SEQUENCES };

/* The members that have a comment are set before the first row; the others are zero. */
struct learner {
	bool has_names, has_roles; /* the sequences that it learns */
	bool as_kerneloracle;      /* as in struct predict_request */
	struct sequence sequences[LEARNER_SEQUENCES];
	uint64_t chosen_counts[DECISION_CANDIDATES_MAX]; /* by index of the chosen candidate */
	uint32_t chosen_constant;
};

/* The histories before a row. */
struct learner_place {
	struct sequence_place of[LEARNER_SEQUENCES];
};

/* The histories before the row; then the row belongs to them. False if memory ran out. */
bool learner_step(struct learner *learner, const struct predict_row *row, struct learner_place *place);
/* Counts the row. */
bool learner_learn(struct learner *learner, const struct predict_row *row, const struct learner_place *place);
/* Ends the learning. */
bool learner_finish(struct learner *learner);
/* After finish(): finds the contexts of the place for predictions of the target. */
void learner_look_up(const struct learner *learner, enum predict_target target, struct learner_place *place);
/* After look_up(). Names and roles have no policies: their predictors end before PREDICTOR_UNIFORM. */
struct prediction learner_predict(const struct learner *learner, enum predict_target target, enum predictor predictor,
				  const struct predict_row *row, const struct learner_place *place);
void learner_free(struct learner *learner);

#endif
