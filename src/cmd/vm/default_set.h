/* SPDX-License-Identifier: MIT
 *
 * The workloads of picknext vm if none is named: those that find most bugs per CPU second in the matrix of
 * tests/bench/bugs. */
#ifndef CMD_VM_DEFAULT_SET_H
#define CMD_VM_DEFAULT_SET_H

#include <stdbool.h>

#include "workloads/runner/workload.h"

/* Of a row of workloads/table.h. */
bool workload_is_vm_default(const struct workload *workload);

#endif
