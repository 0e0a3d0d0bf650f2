/* SPDX-License-Identifier: MIT
 *
 * dataset_meta.json of a dataset of decisions. Pure, except for the date. */
#ifndef DATASET_DECISION_METADATA_H
#define DATASET_DECISION_METADATA_H

#include "dataset/decision_request.h"
#include "dataset/decision_traces.h"
#include "dataset/novelty.h"
#include "dataset/output.h"

struct decision_metadata {
	const struct decision_request *request;
	const struct decision_traces *traces;
	const struct split *split;
	const struct output *output;
	const struct novelty *novelty;
};

void decision_metadata_write(const struct decision_metadata *metadata, struct buffer *out);

#endif
