/* SPDX-License-Identifier: MIT
 *
 * Predictions of the next decision: which candidate is chosen. Predictors of roles choose the candidate whose role they
 * think most probable; policies apply their rule. Pure. */
#ifndef DATA_PREDICT_DECISION_H
#define DATA_PREDICT_DECISION_H

#include "data/predict/learner.h"
#include "data/predict/scores.h"

/* The history before a row, and each candidate's entry in it (context_model_find()). */
struct decision_history {
	struct lanes_step step;
	uint32_t entries[DECISION_CANDIDATES_MAX];
};

struct decision_place {
	uint32_t successor; /* what followed the previous role last, or TEXT_NONE */
	struct decision_history machine, cpu;
};

/* Where the symbols of a context are among the candidates. A zeroed struct is empty. */
struct decision_finder {
	uint32_t *places; /* by symbol; of others than the candidates anything */
	uint32_t size;
};
/* Finds the entries, after the step is known. False if memory ran out. */
bool decision_look_up(struct decision_finder *finder, const struct lanes *lanes, const struct predict_row *row,
		      struct decision_history *found);
void decision_finder_free(struct decision_finder *finder);

void decision_predict(const struct learner *learner, enum predictor predictor, const struct predict_row *row,
		      const struct decision_place *place, struct prediction *prediction);

#endif
