/* SPDX-License-Identifier: MIT
 *
 * dataset_meta.json of a dataset of decisions. Pure, except for the date. */
#ifndef DATA_DECISION_METADATA_H
#define DATA_DECISION_METADATA_H

#include "data/dataset_files.h"
#include "data/decision_request.h"
#include "data/decision_traces.h"
#include "data/novelty.h"

struct decision_metadata {
	const struct decision_request *request;
	const struct decision_traces *traces;
	const struct split *split;
	const struct output *output;
	const struct novelty *novelty;
};

void decision_metadata_write(const struct decision_metadata *metadata, struct buffer *out);

#endif
