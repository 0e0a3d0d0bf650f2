/* SPDX-License-Identifier: MIT
 *
 * Remarks for the reader of a comparison: differences besides the kernel, missing data, untrustworthy data.
 * notices_add_lines() writes the list for picknext compare; the report writes it as HTML. Texts contain names as
 * recorded: writers escape them. */
#ifndef COMPARE_REMARKS_H
#define COMPARE_REMARKS_H

#include "base/buffer.h"
#include "compare/comparison_rows.h"

/* Min share of its time that a guest's CPUs wait for host CPUs to be reported. */
#define HOST_WAIT_NOTABLE 0.05

enum notice_kind {
	NOTICE_DIFFERENCES, /* differences other than the kernel; one fact per item */
	NOTICE_NO_DIFFERENCE,
	NOTICE_GUEST_TIME,   /* the meaning of a nanosecond in a guest */
	NOTICE_HOST_LOAD,    /* host load affects the metrics of a guest */
	NOTICE_HOST_WAIT,    /* share of time that the CPUs of guests waited for host CPUs */
	NOTICE_MISSING_RUNS, /* of one set: workloads of others */
	NOTICE_NOTHING_SHARED,
	NOTICE_LEFT_OUT,    /* start and end of the runs, which metrics leave out */
	NOTICE_WHOLE_RUNS,  /* workloads whose steady part is too short, so that their whole runs count */
	NOTICE_DOUBTFUL,    /* of one set: failed commands, lost events, or traces untrustworthy for another
			     * reason */
	NOTICE_FOLLOWED,    /* of one set: traces with events of followed tasks only */
	NOTICE_NO_METADATA, /* of one set */
};

#define NOTICE_ALL_SETS SIZE_MAX

/* A fact that differs. */
struct notice_item {
	const char *title;
	char *values[COMPARISON_SETS_MAX]; /* of each set */
	const char *remark;                /* or NULL */
};

struct notice {
	enum notice_kind kind;
	size_t set;         /* the set that it is about, or NOTICE_ALL_SETS */
	char *text;         /* a sentence; for one set, the text after "LABEL: " */
	const char *remark; /* a further sentence, or NULL */
	struct notice_item *items;
	size_t item_count;
};

struct notices {
	struct notice *items;
	size_t count;
	bool failed; /* memory ran out */
};

/* rows must outlive the notices, which are freed with notices_free(). */
void notices_make(const struct comparison_rows *rows, struct notices *notices);
void notices_free(struct notices *notices);
bool notices_have(const struct notices *notices, enum notice_kind kind);

/* As lines of harmless text; items and remarks are indented. Without the meaning of time in a comparison of only
 * deterministic guests, which is beneath it (compare_add_summaries()). */
void notices_add_lines(const struct notices *notices, const struct comparison_rows *rows, struct buffer *out);

#endif
