/* SPDX-License-Identifier: MIT
 *
 * The workloads of picknext vm if none is named: built-in mixes, without those in which the matrix of
 * tests/bench/bugs finds nothing that others do not show. */
#ifndef CMD_VM_DEFAULT_SET_H
#define CMD_VM_DEFAULT_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "workloads/runner/workload.h"

/* Their names in the order of a boot; NULL after the last one. */
const char *vm_default_workload(size_t number);
bool workload_is_vm_default(const struct workload *workload);

#endif
