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
	double train_ratio;        /* 0 to 1 */
	int64_t seed;
	bool no_unseen_split;
	bool allow_lossy;
	bool extended; /* with the columns of csv_extended.h */
};

struct dataset_summary {
	uint64_t traces, events, train_events, test_seen_events, test_unseen_events;
	uint64_t malformed_lines;
	uint64_t lossy_traces;
	bool leaky_fallback;
	char unseen_category[64]; /* "" where none was held out; cut where it is longer */
};

/* Prints nothing but through the callbacks; each may be NULL, and so may the listener. */
struct dataset_listener {
	void (*information)(const char *line);
	void (*warning)(const char *line);
	/* trace_id is being read, the done-th (from 0) of so many; rows is what the dataset holds so far. */
	void (*progress)(const char *trace_id, uint64_t done, uint64_t of, uint64_t rows);
	/* What was made, once all of it is in place: each CSV file, then each category in sorted order. */
	void (*file)(const char *name, uint64_t rows, uint64_t bytes);
	void (*category)(const char *name, uint64_t traces, uint64_t events, bool unseen);
};

/* Reads every NAME.dat and NAME.txt of the raw directory (NAME.dat where there are both), with NAME.json
 * beside it where there is one, and replaces the five files as one step: they are written in a directory of
 * their own below the output directory and moved in at the end, so that a failed or interrupted build leaves the
 * earlier dataset as it was. All four CSV files are always written; one without rows has its header only.
 *
 * STATUS_SYSTEM where the raw directory is missing or writing fails, STATUS_UNSUPPORTED where it holds no
 * trace or no switch, STATUS_CORRUPT where a trace or its JSON is broken, STATUS_LOST where a trace lost events or is
 * incomplete and allow_lossy is not set, STATUS_INTERRUPTED after a signal (base/interrupt.h). */
enum status dataset_build(const struct dataset_request *request, const struct dataset_listener *listener,
			  struct dataset_summary *summary, struct error *err);

#endif
