/* SPDX-License-Identifier: MIT
 *
 * Remarks for the reader of a comparison: differences besides the kernel, missing data, untrustworthy data.
 * Texts of struct remark contain names as recorded: writers escape them. */
#ifndef COMPARE_REMARKS_H
#define COMPARE_REMARKS_H

#include "base/buffer.h"
#include "compare/comparison_rows.h"

/* Min share of its time that a guest's CPUs wait for host CPUs to be reported. */
#define HOST_WAIT_NOTABLE 0.05

enum remark_kind {
	REMARK_DIFFERENCES, /* differences other than the kernel; one fact per item */
	REMARK_NO_DIFFERENCE,
	REMARK_TASKS,          /* only some tasks of the workloads count */
	REMARK_GUEST_TIME,     /* the meaning of a nanosecond in an emulated guest */
	REMARK_HOST_LOAD,      /* host load affects the metrics of a guest */
	REMARK_HOST_WAIT,      /* share of time that the CPUs of guests waited for host CPUs */
	REMARK_MISSING_RUNS,   /* of one set: workloads of others */
	REMARK_LEFT_OUT,       /* start and end of the runs, which metrics leave out */
	REMARK_WHOLE_RUNS,     /* workloads whose steady part is too short, so that their whole runs count */
	REMARK_DOUBTFUL,       /* of one set: failed commands, lost events, or traces untrustworthy for another
				* reason */
	REMARK_NOT_AFFECTED,   /* of one set: workloads whose traces are those of the first set */
	REMARK_DIVERGENCE,     /* of one set: the earliest difference of runs with the same seed */
	REMARK_NOT_EXERCISED,  /* of one set: metrics without a test */
	REMARK_FOLLOWED,       /* of one set: traces with events of followed tasks only */
	REMARK_LACKS_SWITCHES, /* of one set: traces of a kernel that leaves switches out */
	REMARK_NO_METADATA,    /* of one set */
};

#define REMARK_ALL_SETS SIZE_MAX

/* A fact that differs. */
struct remark_item {
	const char *title;
	char *values[COMPARISON_SETS_MAX]; /* of each set */
	const char *advice;                /* or NULL */
};

struct remark {
	enum remark_kind kind;
	size_t set;         /* the set that it is about, or REMARK_ALL_SETS */
	char *text;         /* a sentence; for one set, the text after "LABEL: " */
	const char *advice; /* a further sentence, or NULL */
	char *command;      /* that shows it, or NULL */
	struct remark_item *items;
	size_t item_count;
};

/* Lines of harmless text. */
struct remark_line {
	unsigned int indent; /* spaces: 2 for an item, 4 for an advice */
	char *text;
};

struct remark_lines {
	struct remark_line *items;
	size_t count;
};

/* Takes over the text, and clears it. */
void remark_lines_add(struct remark_lines *lines, unsigned int indent, struct buffer *text);
void remark_lines_free(struct remark_lines *lines);

struct remarks {
	struct remark *items;
	size_t count;
	struct remark_lines lines; /* the same as lines */
};

/* rows must outlive the remarks, which are freed with remarks_free(). */
void remarks_make(const struct comparison_rows *rows, struct remarks *remarks);
void remarks_free(struct remarks *remarks);
bool remarks_have(const struct remarks *remarks, enum remark_kind kind);

#endif
