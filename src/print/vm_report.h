/* SPDX-License-Identifier: MIT
 *
 * The report of vm for each kernel: the table of its workloads, the rows of its dataset, and its directory. */
#ifndef PRINT_VM_REPORT_H
#define PRINT_VM_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "data/dataset.h"
#include "vm/launch/vm.h"

/* The result of one kernel. */
struct vm_report {
	struct vm_result result;
	struct dataset_summary dataset;
	bool ran, complete; /* all boots ended, and the dataset was built if it was wanted */
	bool without_dataset;
	int exit_code;
};

/* Prints it to standard output; number counts the kernels from 0. is_short: one line, since a comparison follows. */
void vm_report_print(const struct vm_report *report, size_t number, bool is_short);

#endif
