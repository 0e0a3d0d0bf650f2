/* SPDX-License-Identifier: MIT */
#include "data/predict/results.h"

#include <stdlib.h>
#include <string.h>

const char *const predictor_names[PREDICTORS] = {
    "constant",        "majority",      "last_successor",   "markov1",     "markov2",    "markov3",
    "ppm_c",           "markov1_cpu",   "markov2_cpu",      "markov3_cpu", "ppm_c_cpu",  "uniform",
    "longest_waiting", "least_runtime", "highest_priority", "cfs_rule",    "eevdf_rule",
};
const char *const predict_target_names[PREDICT_TARGETS] = {"next_name", "next_role", "decision"};
const char *const predict_part_names[PREDICT_PARTS] = {"test_seen", "test_unseen"};

bool predict_result_reserve(struct predict_result *result, enum predict_part part)
{
	uint32_t needed = result->texts.workloads.count;
	uint32_t count = result->workloads[part];

	if (needed <= count)
		return true;
	struct predict_scores *scores = realloc(result->scores[part], needed * sizeof(*scores));
	if (!scores)
		return false;
	memset(scores + count, 0, (needed - count) * sizeof(*scores));
	result->scores[part] = scores;
	result->workloads[part] = needed;
	return true;
}

void predict_result_free(struct predict_result *result)
{
	for (size_t i = 0; i < PREDICT_PARTS; i++)
		free(result->scores[i]);
	between_free(&result->between);
	predict_texts_free(&result->texts);
	*result = (struct predict_result){0};
}

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
