/* SPDX-License-Identifier: MIT
 *
 * A kind of rows of a dataset. */
#ifndef DATA_ROW_KIND_H
#define DATA_ROW_KIND_H

#include "base/error.h"
#include "data/column.h"

struct rows;

/* A kind of rows: what build --task makes. */
struct row_kind {
	const char *task;   /* its name */
	const char *plural; /* "switches" */
	const char *record; /* what a row is, in a sentence */
	/* Rows name tasks by their roles, traces by a hash; a first pass finds roles and counts rows. Else a leaky
	 * split is a fallback, as in collect_traces.py. */
	bool has_roles;
	struct columns (*columns)(const char *layout);
	enum status (*read)(struct rows *rows, struct error *err);
	/* The remedy if no trace has a row. */
	const char *remedy;
};

#endif
