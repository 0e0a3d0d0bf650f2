/* SPDX-License-Identifier: MIT
 *
 * The boots that a command needs, in their order: a cell is one run of one kernel. */
#ifndef VM_LAUNCH_CELL_LIST_H
#define VM_LAUNCH_CELL_LIST_H

#include <stddef.h>
#include <stdint.h>

struct cell {
	size_t kernel; /* its index */
	uint32_t run;
};

struct kernel_runs {
	const uint32_t *runs;
	size_t count;
};

/* The first run of each kernel, then the second of each, and so on: a drift of the host meets all kernels alike, and
 * what ends early has runs of all. Returns an array of *count cells to be freed; NULL without memory. */
struct cell *cell_list_make(const struct kernel_runs *kernels, size_t kernel_count, size_t *count);

#endif
