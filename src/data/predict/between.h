/* SPDX-License-Identifier: MIT
 *
 * Between schedulers: what is learnt of the decisions of one, how well does it predict those of another? A learner per
 * scheduler reads the rows of train.csv that are of it; all of them predict the rows of both tests that have a choice
 * and whose workload is in train.csv, so that nothing but the scheduler is new. */
#ifndef DATA_PREDICT_BETWEEN_H
#define DATA_PREDICT_BETWEEN_H

#include "base/error.h"
#include "data/predict/predictors.h"
#include "data/predict/rows.h"
#include "data/predict/scores.h"

/* Those that appear first in the dataset; rows of others are left out. */
#define BETWEEN_SCHEDULERS_MAX 8u

struct between {
	uint32_t schedulers, workloads; /* numbers in the texts of the dataset; 0: not measured */
	struct score *scores;           /* allocated */
};

/* Reads the files of a dataset of decisions, whose texts are known from an earlier pass; the first workloads texts are
 * those of train.csv. Call between_free() in any case. Needs interrupt_catch(). */
enum status between_read(const char *directory, struct predict_texts *texts, uint32_t workloads,
			 struct between *between, struct error *err);
struct between_pair {
	uint32_t learnt, predicted; /* schedulers */
};
/* Over all workloads together, and the mean of the values of each workload. They have no rows if nothing was learnt of
 * the one, or there is no row of the other. */
struct score_values between_total(const struct between *between, struct between_pair pair, enum predictor predictor);
struct score_values between_macro(const struct between *between, struct between_pair pair, enum predictor predictor);
void between_free(struct between *between);

#endif
