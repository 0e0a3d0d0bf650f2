/* SPDX-License-Identifier: MIT
 *
 * dataset_meta.json: the keys of collect_traces.py in its order, then those of picknext. Pure, except for the date. */
#ifndef DATA_METADATA_H
#define DATA_METADATA_H

#include "base/buffer.h"
#include "data/dataset_files.h"
#include "data/novelty.h"
#include "data/traces.h"

/* Position at which the fallback split the training events; both 0 if it was not used. */
struct fallback {
	bool used;
	uint64_t kept; /* events that stay in train.csv; the rest moves to test_seen.csv */
};

struct metadata {
	const struct dataset_request *request;
	const struct columns *columns;
	const struct traces *traces;
	const struct split *split;
	const struct output *output;
	const struct fallback *fallback;
	const struct novelty *novelty; /* of kinds with roles */
};

/* True if events close in time are in both train and test. */
bool fallback_is_leaky(const struct fallback *fallback, const struct output *output);
/* The reason, in one sentence. */
void fallback_describe(const struct metadata *metadata, struct buffer *text);

void metadata_write(const struct metadata *metadata, struct buffer *out);

#endif
