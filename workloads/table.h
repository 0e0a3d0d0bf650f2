/* SPDX-License-Identifier: MIT
 *
 * The table of all workloads (workloads/rows.h). */
#ifndef WORKLOADS_TABLE_H
#define WORKLOADS_TABLE_H

#include "workloads/mix_tasks.h"
#include "workloads/runner/workload.h"

#define WORKLOADS_MAX 64

const struct workload *workload_at(size_t number);      /* NULL after the last one */
const struct workload *workload_find(const char *name); /* NULL: no workload has this name */
/* The workload of this name, or the mix that it is ("mix: WORDS", "mix:FILE"). STATUS_USAGE at where, with the nearest
 * name, if no workload has this name; or as mix_parse_name(). */
enum status workload_require(const char *name, const char *where, const struct workload **workload, struct error *err);

/* NULL after the last one. */
const struct workload *mixes_at(size_t number);

#endif
