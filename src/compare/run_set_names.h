/* SPDX-License-Identifier: MIT
 *
 * How sets of runs are called, and that single traces are of one workload whatever they are called. */
#ifndef COMPARE_RUN_SET_NAMES_H
#define COMPARE_RUN_SET_NAMES_H

#include "base/buffer.h"
#include "compare/run_set.h"

/* Kernel; where two sets have the same, as many of the operand's last parts as it takes; then with a number. False when
 * memory runs out. */
bool run_sets_label(struct run_sets *sets);
/* Two recordings of one thing are called before.dat and after.dat, not alike. False when memory runs out. */
bool run_sets_take_as_one(struct run_sets *sets);

#endif
