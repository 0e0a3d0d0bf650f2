/* SPDX-License-Identifier: MIT
 *
 * Scores of the predictors, by part of the dataset, workload and target. */
#ifndef DATA_PREDICT_RESULTS_H
#define DATA_PREDICT_RESULTS_H

#include "data/predict/between.h"
#include "data/predict/predictors.h"
#include "data/predict/rows.h"
#include "data/predict/scores.h"

enum predict_target { TARGET_NAME, TARGET_ROLE, TARGET_DECISION, PREDICT_TARGETS };
enum predict_part { PART_SEEN, PART_UNSEEN, PREDICT_PARTS };

extern const char *const predictor_names[PREDICTORS];
extern const char *const predict_target_names[PREDICT_TARGETS];
extern const char *const predict_part_names[PREDICT_PARTS];

/* By workload; rows with a choice alone, and all. */
struct predict_scores {
	struct score all[PREDICT_TARGETS][PREDICTORS], choice[PREDICT_TARGETS][PREDICTORS];
};

struct predict_result {
	enum predict_kind kind;
	struct predict_texts texts;
	struct predict_scores *scores[PREDICT_PARTS]; /* by number of the workload */
	uint32_t workloads[PREDICT_PARTS];            /* allocated */
	uint32_t train_workloads;                     /* those of train.csv come first in texts */
	struct between between;
	uint64_t train_rows, rows;
	double elapsed_s;
};

/* Makes room for the scores of the workloads that texts has by now. False if memory ran out. */
bool predict_result_reserve(struct predict_result *result, enum predict_part part);
void predict_result_free(struct predict_result *result);

const struct score *predict_score(const struct predict_result *result, enum predict_part part, uint32_t workload,
				  bool choice, enum predict_target target, enum predictor predictor);
/* Over all workloads of a part together, and the mean of the values of each workload. */
struct score predict_total(const struct predict_result *result, enum predict_part part, bool choice,
			   enum predict_target target, enum predictor predictor);
struct score_values predict_macro(const struct predict_result *result, enum predict_part part, bool choice,
				  enum predict_target target, enum predictor predictor);

#endif
