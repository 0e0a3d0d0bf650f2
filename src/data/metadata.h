/* SPDX-License-Identifier: MIT
 *
 * The state of a dataset build, and the contents of dataset_meta.json. Pure, except for the date. */
#ifndef DATA_METADATA_H
#define DATA_METADATA_H

#include "base/buffer.h"
#include "data/traces.h"

struct build {
	const struct dataset_request *request;
	struct columns columns;
	struct traces traces;
	struct split split;
	struct output output;
	/* test_seen.csv got no whole trace: the training events after the first kept ones were moved there. */
	bool is_event_split;
	uint64_t kept;
	size_t done, to_do;   /* passes over a trace */
	uint64_t shown_at_ns; /* time of the last progress message */
};

/* True if events close in time are in both train and test. */
bool build_is_leaky(const struct build *build);
/* The reason, in one sentence. */
void build_describe_leak(const struct build *build, struct buffer *text);
/* dataset_meta.json: the keys of collect_traces.py in its order, then those of picknext. */
void build_add_metadata(const struct build *build, struct buffer *out);

#endif
