/* SPDX-License-Identifier: MIT
 *
 * From raw traces to train.csv, test_seen.csv, test_unseen.csv, all.csv and dataset_meta.json. */
#ifndef DATASET_BUILD_H
#define DATASET_BUILD_H

#include "base/error.h"
#include "dataset/request.h"

/* Reads every NAME.dat and NAME.txt of the raw directory (NAME.dat if there are both), with NAME.json
 * beside it if there is one, and replaces the five files as one step: they are written in a directory of
 * their own below the output directory and moved in at the end, so that a failed or interrupted build leaves the
 * earlier dataset as it was. All four CSV files are always written; one without rows has its header only.
 *
 * STATUS_SYSTEM if the raw directory is missing or writing fails, STATUS_UNSUPPORTED if it holds no
 * trace or no switch, STATUS_CORRUPT if a trace or its JSON is broken, STATUS_LOST if a trace lost events or is
 * incomplete and allow_lossy is not set, STATUS_INTERRUPTED after a signal (base/interrupt.h). */
enum status dataset_build(const struct dataset_request *request, const struct dataset_listener *listener,
			  struct dataset_summary *summary, struct error *err);

#endif
