/* SPDX-License-Identifier: MIT
 *
 * Predictors that need no training worth the name, measured on a dataset: what any model has to beat. They learn
 * train.csv and predict test_seen.csv and test_unseen.csv; only last_successor goes on learning there. Streaming:
 * memory grows with the distinct contexts, not with the rows. */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "base/error.h"
#include "predict/between.h"
#include "predict/learner.h"
#include "predict/predictors.h"
#include "predict/rows.h"
#include "predict/scores.h"

enum predict_part { PART_SEEN, PART_UNSEEN, PREDICT_PARTS };

extern const char *const predictor_names[PREDICTORS];
extern const char *const predict_target_names[PREDICT_TARGETS];
extern const char *const predict_part_names[PREDICT_PARTS];

struct predict_request {
	const char *directory;
	bool
	    as_kerneloracle; /* the target is the PID; a PID that train.csv lacks is class 0, which the constant says */
	bool baselines_only; /* constant, majority and last_successor */
};

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

/* STATUS_SYSTEM if a file is missing, STATUS_UNSUPPORTED if the files are not of one dataset, STATUS_CORRUPT with a
 * line. Call predict_result_free() in any case. Needs interrupt_catch(). */
enum status predict_run(const struct predict_request *request, struct predict_result *result, struct error *err);
void predict_result_free(struct predict_result *result);

const struct score *predict_score(const struct predict_result *result, enum predict_part part, uint32_t workload,
				  bool choice, enum predict_target target, enum predictor predictor);
/* Over all workloads of a part together, and the mean of the values of each workload. */
struct score predict_total(const struct predict_result *result, enum predict_part part, bool choice,
			   enum predict_target target, enum predictor predictor);
struct score_values predict_macro(const struct predict_result *result, enum predict_part part, bool choice,
				  enum predict_target target, enum predictor predictor);

#endif
