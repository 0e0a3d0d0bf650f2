/* SPDX-License-Identifier: MIT
 *
 * The options of a build of decisions. */
#ifndef DATA_DECISION_REQUEST_H
#define DATA_DECISION_REQUEST_H

#include <stddef.h>

#include "data/request.h"

struct decision_request {
	struct dataset_request common; /* raw_directory and extended are not used */
	char *const *directories;      /* of runs */
	size_t directory_count;
	const char *hold_out; /* see decision_traces_hold_out(); NULL: a category, if there are three */
	uint64_t rows_max;    /* per workload of a kernel; 0: all */
	bool include_tracer;
	bool has_weights; /* add the column weight; see weights.h */
};

#endif
