/* SPDX-License-Identifier: MIT
 *
 * What a reader has to know before the metrics: what differs besides the kernel, what is missing, what is not
 * trustworthy. One list; notices_add_lines() writes it for picknext compare, the report writes it as HTML. Texts hold
 * names as they were recorded: writers escape them. */
#ifndef COMPARE_NOTICES_H
#define COMPARE_NOTICES_H

#include "base/buffer.h"
#include "compare/comparison_rows.h"

/* The share of its time that a guest's CPUs wait for host CPUs from which on it is reported. */
#define HOST_WAIT_NOTABLE 0.05

enum notice_kind {
	NOTICE_DIFFERENCES, /* other than the kernel; a fact per item */
	NOTICE_NO_DIFFERENCE,
	NOTICE_GUEST_TIME,   /* what a nanosecond of a guest means */
	NOTICE_HOST_LOAD,    /* the host's load is in the metrics of a guest */
	NOTICE_HOST_WAIT,    /* and so much */
	NOTICE_MISSING_RUNS, /* of one set: workloads of others */
	NOTICE_NOTHING_SHARED,
	NOTICE_DOUBTFUL,    /* of one set: traces that lost events or are bad otherwise */
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
	size_t set;         /* that it is about, or NOTICE_ALL_SETS */
	char *text;         /* a sentence; of one set, what follows "LABEL: " */
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

/* As lines of harmless text; items and remarks are indented. */
void notices_add_lines(const struct notices *notices, const struct run_sets *sets, struct buffer *out);

#endif
