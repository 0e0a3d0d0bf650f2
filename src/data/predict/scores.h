/* SPDX-License-Identifier: MIT
 *
 * How good predictions are, row by row. Pure. */
#ifndef DATA_PREDICT_SCORES_H
#define DATA_PREDICT_SCORES_H

#include <stdbool.h>
#include <stdint.h>

#define SCORE_BINS 10

/* One prediction. */
struct prediction {
	double right, right_in_5;  /* 1 or 0, or the probability of it */
	bool has_probability;      /* the predictor says how sure it is */
	double of_target, of_best; /* its probabilities */
	bool unseen;               /* the target is not in train.csv */
};

/* A zeroed struct is empty. time_ns is set by the caller. */
struct score {
	uint64_t rows, unseen, with_probability;
	double right, right_in_5;
	double log_loss, product; /* product: of probabilities that are not in log_loss yet; 0: there are none */
	double bin_sure[SCORE_BINS], bin_right[SCORE_BINS]; /* by of_best */
	double time_ns;
};

/* The same prediction for so many rows. */
void score_add(struct score *score, const struct prediction *prediction, uint64_t rows);
void score_merge(struct score *score, const struct score *more);

/* NaN if there is none. */
struct score_values {
	uint64_t rows;
	double top1, top5;
	double log_loss;    /* mean of -ln of the target's probability */
	double calibration; /* mean distance of sureness and accuracy over ten bins of sureness (ECE) */
	double unseen, prediction_ns;
};
struct score_values score_values(const struct score *score);

/* The mean of the values of several scores; those without rows are left out. A zeroed struct is empty. */
struct score_mean {
	double groups;
	struct score_values sum;
};
void score_mean_add(struct score_mean *mean, const struct score *score);
struct score_values score_mean_values(const struct score_mean *mean);

#endif
