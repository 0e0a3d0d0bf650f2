/* SPDX-License-Identifier: MIT
 *
 * The output of results of predictors. */
#ifndef PRINT_PREDICT_PRINT_H
#define PRINT_PREDICT_PRINT_H

#include "data/predict/predict.h"

/* Writes a table to path ("-" is standard output): a row for each part, target, choice of rows and predictor that has
 * rows, and a second one between schedulers. JSON and CSV have one table: also each workload, and their mean, "macro";
 * rows between schedulers have the part "tests", and name the schedulers. */
enum status predict_print(const struct predict_result *result, bool is_json, bool is_csv, const char *path,
			  struct error *err);

#endif
