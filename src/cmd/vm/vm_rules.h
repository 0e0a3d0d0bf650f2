/* SPDX-License-Identifier: MIT
 *
 * How vm ends with --keys: whether the decisions of each kernel are those of the published rule. */
#ifndef CMD_VM_VM_RULES_H
#define CMD_VM_VM_RULES_H

/* Prints what check-rule finds in the set of this directory, in lines that begin with the label. A kernel that cannot
 * record keys is named. */
void vm_rules_print(const char *label, const char *directory);

#endif
