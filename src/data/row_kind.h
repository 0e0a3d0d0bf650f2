/* SPDX-License-Identifier: MIT
 *
 * The kinds of rows of datasets, each at the end of the file that reads it. */
#ifndef DATA_ROW_KIND_H
#define DATA_ROW_KIND_H

#include "base/error.h"
#include "data/column.h"
#include "data/decisions.h"

struct rows;

struct placement_counts {
	uint64_t wakeups, spurious, excluded, unseen, placements; /* wakeups: the sum of the others */
	uint64_t unlisted, previous_unknown;
};

struct key_counts {
	uint64_t picks, excluded, of_class; /* of_class: between classes, or above the fair one */
	uint64_t rows, choices, incomplete, not_judged, against_rule, unlisted;
};

/* What the readers of the kinds with roles count in a trace. */
union row_counts {
	struct decision_counts decisions;
	struct placement_counts placements;
	struct key_counts keys;
};

/* A count in dataset_meta.json; at is its place in union row_counts. */
struct row_count {
	const char *key;
	size_t at;
};

/* A kind of rows: what build --task makes. */
struct row_kind {
	const char *task;   /* its name */
	const char *plural; /* "switches" */
	const char *record; /* what a row is, in a sentence */
	struct columns (*columns)(const char *layout);
	enum status (*read)(struct rows *rows, struct error *err);
	/* The remedy if no trace has a row. */
	const char *remedy;
	/* Rows name tasks by their roles, traces by a hash; a first pass finds roles and counts rows. Else a leaky
	 * split is a fallback, as in collect_traces.py. */
	bool has_roles;
	/* The target is the next task: how new those of the test rows are is reported. */
	bool has_next_task;
	const struct row_count *counts; /* of kinds with roles; up to a row without a key */
};

extern const struct row_kind switch_rows, pick_rows, placement_rows, move_rows, key_rows;

#endif
