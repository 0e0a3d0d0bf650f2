/* SPDX-License-Identifier: MIT
 *
 * Builds train.csv, test_seen.csv, test_unseen.csv, all.csv and dataset_meta.json from raw traces. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/message.h"
#include "data/column.h"
#include "data/dataset_files.h"
#include "runs/run.h"

struct row_kind;

#define ALLOW_OF_DATASETS ALLOW_RUNS "|unbalanced"
enum { ALLOW_UNBALANCED = 4 }; /* see traces_refuse_unbalanced() */

struct dataset_request {
	const struct row_kind *kind; /* one of row_kinds */
	struct columns columns;      /* of this kind, without weight */
	const char *output_directory;
	const char *command; /* picknext's arguments that repeat this build with the same operands; NULL: unknown */
	char *const *directories; /* of runs */
	size_t directory_count;
	const char *raw_directory; /* used if there are no directories; NULL: output_directory/raw */
	double train_ratio;        /* 0 to 1 */
	int64_t seed;
	const char *hold_out; /* see traces_hold_out() */
	bool no_unseen_split;
	uint32_t allowed;      /* faults that are not refused: ALLOW_LOSSY, ALLOW_FAILED, ALLOW_UNBALANCED */
	unsigned int jobs;     /* traces read in parallel; 0 and 1: one after the other */
	bool has_details_only; /* warnings and information are shown with --verbose only */
	/* For kinds with roles: */
	uint64_t workload_rows_max; /* limit for a workload under one kernel and scheduler; 0: none */
	uint64_t trace_rows_max;    /* limit for a trace; 0: none */
	bool include_tracer;
	bool has_weights; /* add the column weight */
};

/* Traces that are held out or split together, for example those of one category. */
struct dataset_group {
	char *name;
	uint64_t traces, rows;
	bool is_unseen; /* held out */
};

struct dataset_summary {
	struct {
		uint64_t rows, bytes;
	} files[OUTPUT_CSV_FILES];
	bool leaky_fallback;
	struct dataset_group *groups; /* by name */
	size_t group_count;
};

/* Reads every NAME.dat and NAME.txt of the directories (NAME.dat if there are both), with the optional NAME.json, and
 * replaces the five files in one step: they are written in a temporary directory below the output directory and moved
 * at the end, so that a failed or interrupted build keeps the previous dataset. All four CSV files are always written;
 * one without rows has only its header. Shows warnings and progress; the caller ends that, and frees the summary of a
 * build that succeeded.
 *
 * STATUS_SYSTEM if a directory is missing or writing fails, STATUS_UNSUPPORTED if there is no trace or no row,
 * STATUS_CORRUPT if a trace or its JSON is broken, STATUS_LOST if a trace lost events or is incomplete and allow_lossy
 * is not set, STATUS_INTERRUPTED after a signal (base/interrupt.h). */
enum status dataset_build(const struct dataset_request *request, struct dataset_summary *summary, struct error *err);
void dataset_summary_free(struct dataset_summary *summary);

/* Shows a finding; request NULL: one that is not of a build. */
void dataset_notice(const struct dataset_request *request, enum message_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
