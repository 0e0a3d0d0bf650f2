/* SPDX-License-Identifier: MIT
 *
 * Rows of the tests: they are tallied or predicted, and scored. A predictor's time is the CPU time that its answers
 * took, and that of following, looking up and tallying what it asks: all that the rows take after they are read, except
 * what only other predictors need. */
#ifndef DATA_PREDICT_TESTING_H
#define DATA_PREDICT_TESTING_H

#include "data/predict/decision.h"
#include "data/predict/results.h"
#include "data/predict/sequence_tally.h"

#define TESTING_ROWS_MAX 256u

/* What predictors have in common. */
enum testing_pass { PASS_SYMBOL, PASS_MACHINE, PASS_CPU, TESTING_PASSES };

/* Rows of one workload, tallied until one of another comes. */
struct testing_tally {
	struct sequence_tally rows;
	enum predict_part part;
	uint32_t workload;
	double pass_ns[TESTING_PASSES]; /* what following and tallying them took */
};

struct testing {
	/* Set before the first row; the others are zero. */
	struct predict_result *result;
	struct learner *learner; /* has learnt */
	bool has_unseen_class;   /* as struct predict_request.as_kerneloracle */
	/* Internal. */
	struct testing_tally tallies[LEARNER_SEQUENCES];
	struct decision_finder finder;
	uint32_t order[TESTING_ROWS_MAX];               /* the rows, those of a workload together */
	struct decision_place places[TESTING_ROWS_MAX]; /* of the sequence that is followed */
	struct prediction predictions[TESTING_ROWS_MAX];
};

/* At most TESTING_ROWS_MAX rows. False if memory ran out. */
bool testing_add(struct testing *testing, enum predict_part part, const struct predict_row *rows, size_t count);
/* Before the results are read. */
void testing_end(struct testing *testing);
void testing_free(struct testing *testing);

#endif
