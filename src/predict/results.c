/* SPDX-License-Identifier: MIT */
#include "predict/predict.h"

const char *const predictor_names[PREDICTORS] = {
    "constant",        "majority",      "last_successor",   "markov1",     "markov2",    "markov3",
    "ppm_c",           "markov1_cpu",   "markov2_cpu",      "markov3_cpu", "ppm_c_cpu",  "uniform",
    "longest_waiting", "least_runtime", "highest_priority", "cfs_rule",    "eevdf_rule",
};
const char *const predict_target_names[PREDICT_TARGETS] = {"next_name", "next_role", "decision"};
const char *const predict_part_names[PREDICT_PARTS] = {"test_seen", "test_unseen"};

const struct score *predict_score(const struct predict_result *result, enum predict_part part, uint32_t workload,
				  bool choice, enum predict_target target, enum predictor predictor)
{
	const struct predict_scores *scores = &result->scores[part][workload];

	return choice ? &scores->choice[target][predictor] : &scores->all[target][predictor];
}

struct score predict_total(const struct predict_result *result, enum predict_part part, bool choice,
			   enum predict_target target, enum predictor predictor)
{
	struct score total = {.rows = 0};

	for (uint32_t i = 0; i < result->workloads[part]; i++)
		score_merge(&total, predict_score(result, part, i, choice, target, predictor));
	return total;
}

struct score_values predict_macro(const struct predict_result *result, enum predict_part part, bool choice,
				  enum predict_target target, enum predictor predictor)
{
	struct score_mean mean = {.groups = 0};

	for (uint32_t i = 0; i < result->workloads[part]; i++)
		score_mean_add(&mean, predict_score(result, part, i, choice, target, predictor));
	return score_mean_values(&mean);
}
