/* SPDX-License-Identifier: MIT
 *
 * The output of results of predictors. */
#ifndef OUTPUT_PREDICT_PRINT_H
#define OUTPUT_PREDICT_PRINT_H

#include "predict/predict.h"

/* Writes a table to path ("-" is standard output): a row for each part, target, choice of rows and predictor that has
 * rows. JSON and CSV have them for each workload too, and their mean, "macro". */
enum status predict_print(const struct predict_result *result, bool is_json, bool is_csv, const char *path,
			  struct error *err);
/* Bars of the accuracy of each predictor, for decisions with a choice (of a dataset of switches: for names), as SVG. */
enum status predict_write_chart(const struct predict_result *result, const char *path, struct error *err);

#endif
