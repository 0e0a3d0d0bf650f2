/* SPDX-License-Identifier: MIT
 *
 * Predictors that need no training worth the name, measured on a dataset: what any model has to beat. They learn
 * train.csv and predict test_seen.csv and test_unseen.csv; only last_successor goes on learning there. Streaming:
 * memory grows with the distinct contexts and workloads, not with the rows. */
#ifndef DATA_PREDICT_PREDICT_H
#define DATA_PREDICT_PREDICT_H

#include "base/error.h"
#include "data/predict/results.h"

struct predict_request {
	const char *directory;
	bool
	    as_kerneloracle; /* the target is the PID; a PID that train.csv lacks is class 0, which the constant says */
	bool baselines_only; /* constant, majority and last_successor */
};

/* STATUS_SYSTEM if a file is missing, STATUS_UNSUPPORTED if the files are not of one dataset, STATUS_CORRUPT with a
 * line. Call predict_result_free() in any case. Needs interrupt_catch(). */
enum status predict_run(const struct predict_request *request, struct predict_result *result, struct error *err);

#endif
