/* SPDX-License-Identifier: MIT
 *
 * How vm ends with several kernels: the comparison of their sets, and the report. */
#ifndef CMD_VM_VM_COMPARISON_H
#define CMD_VM_VM_COMPARISON_H

#include <stddef.h>

#include "base/options.h"

/* STATUS_USAGE if the report would replace a file that is none, before any boot. */
enum status vm_comparison_check(const char *directory, struct error *err);

/* Does what `picknext compare DIRECTORY...` and `picknext report DIRECTORY... -o DIR/report.html` do; the first
 * directory is the base. Prints the page's path. Returns the exit code of the first failure, whose message is printed,
 * or 0. */
int vm_comparison_print(const struct call *call, const char *const *directories, size_t count);

#endif
