/* SPDX-License-Identifier: MIT
 *
 * The plan of picknext vm: its cells as commands that any machine can run. */
#ifndef CMD_VM_VM_PLAN_H
#define CMD_VM_VM_PLAN_H

#include "base/options.h"
#include "cmd/vm/vm_options.h"
#include "vm/plan/cell_list.h"

/* STATUS_USAGE: options that no plan has. */
enum status vm_plan_check(const struct vm_options *options, struct cell_choice *choice, struct error *err);
/* The words of the command for plan.json: the options, and what comes after them. */
void vm_plan_words(const struct call *call, struct arguments *words, struct arguments *operands);
/* Prints the cells of --plan; returns the exit code. */
int vm_plan_print(const struct vm_options *options, const struct cell_choice *choice, struct launch *const *launches,
		  size_t count);

#endif
