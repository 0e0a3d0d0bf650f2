/* SPDX-License-Identifier: MIT
 *
 * Builds train.csv, test_seen.csv, test_unseen.csv, all.csv and dataset_meta.json from raw traces. */
#ifndef DATA_BUILD_H
#define DATA_BUILD_H

#include "base/error.h"
#include "data/dataset.h"

/* Reads every NAME.dat and NAME.txt of the directories (NAME.dat if there are both), with the optional NAME.json, and
 * replaces the five files in one step: they are written in a temporary directory below the output directory and moved
 * at the end, so that a failed or interrupted build keeps the previous dataset. All four CSV files are always written;
 * one without rows has only its header.
 *
 * STATUS_SYSTEM if a directory is missing or writing fails, STATUS_UNSUPPORTED if there is no trace or no row,
 * STATUS_CORRUPT if a trace or its JSON is broken, STATUS_LOST if a trace lost events or is incomplete and allow_lossy
 * is not set, STATUS_INTERRUPTED after a signal (base/interrupt.h). */
enum status dataset_build(const struct dataset_request *request, const struct dataset_listener *listener,
			  struct dataset_summary *summary, struct error *err);

#endif
