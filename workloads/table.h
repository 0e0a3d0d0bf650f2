/* SPDX-License-Identifier: MIT
 *
 * The table of all workloads (workloads/rows.h). */
#ifndef WORKLOADS_TABLE_H
#define WORKLOADS_TABLE_H

#include "workloads/runner/workload.h"

extern const struct workload *const workload_table[];   /* NULL-terminated */
const struct workload *workload_find(const char *name); /* NULL: no workload has this name */
/* STATUS_USAGE at where, with the nearest name, if no workload has this name. */
enum status workload_require(const char *name, const char *where, const struct workload **workload, struct error *err);

#endif
