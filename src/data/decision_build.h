/* SPDX-License-Identifier: MIT
 *
 * Builds a dataset whose rows are decisions of the scheduler: train.csv, test_seen.csv, test_unseen.csv, all.csv and
 * dataset_meta.json. */
#ifndef DATA_DECISION_BUILD_H
#define DATA_DECISION_BUILD_H

#include "base/error.h"
#include "data/decision_request.h"

/* Reads each trace twice: for its roles and counts, then for its rows. Everything else is as in dataset_build(), except
 * that test_seen.csv stays empty rather than share a trace with train.csv. */
enum status decision_build(const struct decision_request *request, const struct dataset_listener *listener,
			   struct dataset_summary *summary, struct error *err);

#endif
