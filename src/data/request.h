/* SPDX-License-Identifier: MIT
 *
 * The options of a dataset build, its listener, and its summary. */
#ifndef DATA_REQUEST_H
#define DATA_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "data/csv.h"

struct dataset_request {
	const char *output_directory;
	const char *raw_directory; /* NULL: output_directory/raw */
	double train_ratio;        /* 0 to 1 */
	int64_t seed;
	bool no_unseen_split;
	const char *unseen; /* the category that is held out; NULL: a drawn one */
	bool allow_lossy;
	bool allow_failed; /* include runs whose command failed */
	struct csv_layout columns;
	unsigned int jobs; /* traces read side by side; 0 and 1: one after the other */
};

struct dataset_summary {
	uint64_t traces, events, train_events, test_seen_events, test_unseen_events;
	uint64_t malformed_lines;
	uint64_t lossy_traces;
	bool leaky_fallback;
	char unseen_category[64]; /* "" if no category was held out; longer names are cut */
};

/* The callbacks of a build. Each may be NULL, and so may the listener. */
struct dataset_listener {
	void (*information)(const char *line);
	void (*warning)(const char *line);
	/* The build starts to read trace number done (from 0); rows: rows of the dataset so far. */
	void (*progress)(const char *trace_id, uint64_t done, uint64_t of, uint64_t rows);
	/* The result, after all files are in place: each CSV file, then each category in sorted order. */
	void (*file)(const char *name, uint64_t rows, uint64_t bytes);
	void (*category)(const char *name, uint64_t traces, uint64_t events, bool unseen);
};

#endif
