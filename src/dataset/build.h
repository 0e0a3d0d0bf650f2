/* SPDX-License-Identifier: MIT
 *
 * From raw traces to train.csv, test_seen.csv, test_unseen.csv, all.csv and dataset_meta.json. */
#ifndef DATASET_BUILD_H
#define DATASET_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct dataset_request {
	const char *output_directory;
	const char *raw_directory; /* NULL: output_directory/raw */
	double train_ratio;
	int64_t seed;
	bool no_unseen_split;
	bool allow_lossy;
};

struct dataset_summary {
	uint64_t traces, events, train_events, test_seen_events, test_unseen_events;
	uint64_t malformed_lines;
	bool leaky_fallback;
	char unseen_category[64]; /* "" where none was held out */
};

/* Prints nothing but through the callback (may be NULL): one line of information or warning. */
struct dataset_listener {
	void (*information)(const char *line);
	void (*warning)(const char *line);
	void (*progress)(const char *trace_id, uint64_t done, uint64_t of);
};

/* STATUS_LOST where a trace lost events and allow_lossy is not set; nothing is then replaced. */
enum status dataset_build(const struct dataset_request *request, const struct dataset_listener *listener,
			  struct dataset_summary *summary, struct error *err);

#endif
