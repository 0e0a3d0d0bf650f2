/* SPDX-License-Identifier: MIT
 *
 * The options of a dataset build, its listener, and its summary. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/column.h"
#include "runs/run.h"

struct row_kind;

#define ALLOW_OF_DATASETS ALLOW_RUNS "|unbalanced"
enum { ALLOW_UNBALANCED = 4 }; /* see traces_refuse_unbalanced() */

struct dataset_request {
	const struct row_kind *kind; /* one of row_kinds */
	struct columns columns;      /* of this kind, without weight */
	const char *output_directory;
	const char *command;      /* words of picknext that repeat it with the same operands; NULL: unknown */
	char *const *directories; /* of runs */
	size_t directory_count;
	const char *raw_directory; /* if there are none of these; NULL: output_directory/raw */
	double train_ratio;        /* 0 to 1 */
	int64_t seed;
	const char *hold_out; /* see traces_hold_out() */
	bool no_unseen_split;
	uint32_t allowed;  /* what is not refused: ALLOW_LOSSY, ALLOW_FAILED, ALLOW_UNBALANCED */
	unsigned int jobs; /* traces read side by side; 0 and 1: one after the other */
	/* For kinds with roles: */
	uint64_t workload_rows_max; /* of a workload under a kernel and scheduler; 0: all */
	uint64_t trace_rows_max;    /* 0: all */
	bool include_tracer;
	bool has_weights; /* add the column weight */
};

struct dataset_summary {
	uint64_t traces, events, train_events, test_seen_events, test_unseen_events;
	uint64_t malformed_lines;
	uint64_t lossy_traces;
	bool leaky_fallback;
	char unseen_category[64]; /* what was held out, or ""; longer names are cut */
};

/* The callbacks of a build. Each may be NULL, and so may the listener. */
struct dataset_listener {
	void (*information)(const char *line);
	void (*warning)(const char *line);
	/* The build starts to read trace number done (from 0); rows: rows of the dataset so far. */
	void (*progress)(const char *trace_id, uint64_t done, uint64_t of, uint64_t rows);
	/* The result, after all files are in place: each CSV file, then each group of traces in sorted order. */
	void (*file)(const char *name, uint64_t rows, uint64_t bytes);
	void (*category)(const char *name, uint64_t traces, uint64_t events, bool unseen);
};

void notice_information(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void notice_warning(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
