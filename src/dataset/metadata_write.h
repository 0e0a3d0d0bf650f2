/* SPDX-License-Identifier: MIT
 *
 * dataset_meta.json: the original tool's keys in its order, then picknext's own. */
#ifndef DATASET_METADATA_WRITE_H
#define DATASET_METADATA_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "dataset/output.h"
#include "dataset/request.h"
#include "dataset/split.h"
#include "dataset/traces.h"

/* Where the fallback divided the training events; both 0 if it did not. */
struct fallback {
	bool used;
	uint64_t kept; /* events of train.csv before it is test_seen.csv */
};

struct metadata {
	const struct dataset_request *request;
	const struct traces *traces;
	const struct split *split;
	const struct output *output;
	const struct fallback *fallback;
};

/* Whether neighbours in time are on both sides of train and test. */
bool fallback_is_leaky(const struct fallback *fallback, const struct output *output);
/* Why it is so, in a sentence. */
void fallback_describe(const struct metadata *metadata, struct buffer *text);

void metadata_write(const struct metadata *metadata, struct buffer *out);

#endif
