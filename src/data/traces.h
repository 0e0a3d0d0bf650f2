/* SPDX-License-Identifier: MIT
 *
 * The raw traces of a directory, in the order in which Python sorts NAME.txt, each with its labels. */
#ifndef DATA_TRACES_H
#define DATA_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "data/request.h"
#include "data/split.h"
#include "runs/run_list.h"

struct dataset_trace {
	struct run run;
	bool has_labels;                         /* its metadata names the workload; else its file name does */
	char scheduler[RUN_SCHEDULER_NAME_SIZE]; /* "EEVDF"; "" if it is not known */
	char *failure;                           /* why it is not what its labels say; NULL: it is */
	size_t category_index;                   /* index into the categories of struct traces */

	/* The findings of the reader. */
	enum split_part part;
	uint64_t events; /* sched_switch */
	uint64_t malformed_lines, first_malformed_line;
	uint64_t backward_steps;                    /* of the time stamps of a text trace */
	uint64_t corrected_times, max_corrected_ns; /* of a .dat: see sched_stream_backwards() */
	bool followed_only;                         /* of a .dat: see trace/trace_scope.h */
	uint32_t skipped_buffers;                   /* of a .dat: trace instances, which are not read */
};

struct traces {
	struct dataset_trace *items;
	size_t count;
	char **categories; /* sorted, each once; point into items */
	size_t category_count;
};

/* Finds NAME.dat and NAME.txt in raw_directory and reads each NAME.json. Without it, the workload is NAME up to its
 * last "_run", and the category that of other runs of it whose JSON names one, or the
 * workload up to its last "_". Hidden files are skipped; files that end in
 * .incomplete (incomplete transfers from a guest) are named in a warning. If there is no trace, the remedy names
 * option, which selects the directory; NULL: the directory is an operand. The result is freed with traces_free(). */
enum status traces_find(const char *raw_directory, const char *option, const struct dataset_listener *listener,
			struct traces *traces, struct error *err);
void traces_free(struct traces *traces);

/* The same labels for one trace, whose id is set: from directory/ID.json (directory NULL: no JSON), or from its id.
 * Call dataset_trace_free() even after a failure. */
enum status dataset_trace_label(const char *directory, struct dataset_trace *trace, struct error *err);
void dataset_trace_free(struct dataset_trace *trace);

/* The findings in a trace other than losses: a command that failed, malformed lines, times that go backwards, buffers
 * that are not read, or no switch events. */
void trace_report_findings(const struct dataset_listener *listener, const struct dataset_trace *trace);

#endif
