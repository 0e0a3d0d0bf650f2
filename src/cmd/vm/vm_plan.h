/* SPDX-License-Identifier: MIT
 *
 * The plan of picknext vm: its cells as commands that any machine can run. */
#ifndef CMD_VM_VM_PLAN_H
#define CMD_VM_VM_PLAN_H

#include "base/options.h"
#include "cmd/vm/vm_options.h"
#include "vm/plan/cell_choice.h"

struct launch;

/* Prints the cells of --plan; returns the exit code. */
int vm_plan_print(const struct vm_options *options, const struct cell_choice *choice, struct launch *const *launches,
		  size_t count);

#endif
