/* SPDX-License-Identifier: MIT */
#include "data/predict/scores.h"

#include <math.h>

#define PROBABILITY_MIN 1e-12
#define PRODUCT_MIN     1e-280 /* such a product times such a probability is still exact to the last digit */

/* A logarithm takes longer than the rest: of single rows only that of a product of many is taken. */
static void add_loss(struct score *score, double probability, uint64_t rows)
{
	if (rows > 1) {
		score->log_loss -= (double)rows * log(probability);
		return;
	}
	score->product = score->product > 0 ? score->product * probability : probability;
	if (score->product < PRODUCT_MIN) {
		score->log_loss -= log(score->product);
		score->product = 0;
	}
}

static double loss_of(const struct score *score)
{
	return score->log_loss - (score->product > 0 ? log(score->product) : 0);
}

void score_add(struct score *score, const struct prediction *prediction, uint64_t rows)
{
	double times = (double)rows;

	score->rows += rows;
	score->unseen += prediction->unseen ? rows : 0;
	score->right += times * prediction->right;
	score->right_in_5 += times * prediction->right_in_5;
	if (!prediction->has_probability)
		return;
	/* On the edge of a bin, rounding must not decide. */
	double bin = prediction->of_best * SCORE_BINS + 1e-9;
	int at = bin >= SCORE_BINS ? SCORE_BINS - 1 : (int)bin;
	score->with_probability += rows;
	add_loss(score, fmax(prediction->of_target, PROBABILITY_MIN), rows);
	score->bin_sure[at] += times * prediction->of_best;
	score->bin_right[at] += times * prediction->right;
}

void score_merge(struct score *score, const struct score *more)
{
	score->rows += more->rows;
	score->unseen += more->unseen;
	score->with_probability += more->with_probability;
	score->right += more->right;
	score->right_in_5 += more->right_in_5;
	score->log_loss += loss_of(more);
	score->time_ns += more->time_ns;
	for (int i = 0; i < SCORE_BINS; i++) {
		score->bin_sure[i] += more->bin_sure[i];
		score->bin_right[i] += more->bin_right[i];
	}
}

struct score_values score_values(const struct score *score)
{
	double rows = (double)score->rows;
	double distance = 0;

	if (!score->rows)
		return (struct score_values){0, NAN, NAN, NAN, NAN, NAN, NAN};
	for (int i = 0; i < SCORE_BINS; i++)
		distance += fabs(score->bin_sure[i] - score->bin_right[i]);
	return (struct score_values){
	    .rows = score->rows,
	    .top1 = score->right / rows,
	    .top5 = score->right_in_5 / rows,
	    .log_loss = score->with_probability ? loss_of(score) / (double)score->with_probability : NAN,
	    .calibration = score->with_probability ? distance / (double)score->with_probability : NAN,
	    .unseen = (double)score->unseen / rows,
	    .prediction_ns = score->time_ns / rows,
	};
}

void score_mean_add(struct score_mean *mean, const struct score *score)
{
	const struct score_values values = score_values(score);

	if (!values.rows)
		return;
	mean->groups++;
	mean->sum.rows += values.rows;
	mean->sum.top1 += values.top1;
	mean->sum.top5 += values.top5;
	mean->sum.log_loss += values.log_loss;
	mean->sum.calibration += values.calibration;
	mean->sum.unseen += values.unseen;
	mean->sum.prediction_ns += values.prediction_ns;
}

struct score_values score_mean_values(const struct score_mean *mean)
{
	return (struct score_values){
	    .rows = mean->sum.rows,
	    .top1 = mean->sum.top1 / mean->groups,
	    .top5 = mean->sum.top5 / mean->groups,
	    .log_loss = mean->sum.log_loss / mean->groups,
	    .calibration = mean->sum.calibration / mean->groups,
	    .unseen = mean->sum.unseen / mean->groups,
	    .prediction_ns = mean->sum.prediction_ns / mean->groups,
	};
}
