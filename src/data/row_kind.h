/* SPDX-License-Identifier: MIT
 *
 * The kinds of rows of datasets. Each is defined at the end of the file that reads it. */
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
	uint64_t picks, excluded, of_class; /* of_class: picks between classes, or above the fair class */
	uint64_t rows, choices, incomplete, not_judged, against_rule, unlisted;
};

/* Counts of a trace, set by the readers of the kinds with roles. */
union row_counts {
	struct decision_counts decisions;
	struct placement_counts placements;
	struct key_counts keys;
};

/* A count in dataset_meta.json; at is its offset in union row_counts. */
struct row_count {
	const char *key;
	size_t at;
};

/* A kind of rows, chosen with build --task. */
struct row_kind {
	const char *task;   /* its name */
	const char *plural; /* "switches" */
	const char *record; /* a sentence that says what a row is */
	struct columns (*columns)(const char *layout);
	enum status (*read)(struct rows *rows, struct error *err);
	/* The remedy if no trace has a row. */
	const char *remedy;
	/* Rows name tasks by their roles and traces by a hash; a first pass finds the roles and counts the rows. Kinds
	 * without roles may fall back to a leaky split, like collect_traces.py. */
	bool has_roles;
	const struct row_count *counts; /* for kinds with roles; the last row has no key */
};

extern const struct row_kind switch_rows, pick_rows, placement_rows, move_rows, key_rows;

#endif
