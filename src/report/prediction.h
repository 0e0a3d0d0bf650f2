/* SPDX-License-Identifier: MIT
 *
 * The section on a dataset: how often simple predictors are right, which a model has to beat. */
#ifndef REPORT_PREDICTION_H
#define REPORT_PREDICTION_H

#include "data/predict/predict.h"
#include "report/view.h"

/* directory: that of the dataset. */
void report_prediction(const struct predict_result *result, const char *directory, struct buffer *out);
/* The accuracies of one part of the test, as in report/view.h. */
bool report_draw_prediction(const struct predict_result *result, enum predict_part part, struct chart *chart,
			    struct report_words *words);

#endif
