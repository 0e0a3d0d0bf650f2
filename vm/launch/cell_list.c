/* SPDX-License-Identifier: MIT */
#include "vm/launch/cell_list.h"

#include <stdlib.h>

struct cell *cell_list_make(const struct kernel_runs *kernels, size_t kernel_count, size_t *count)
{
	size_t rounds = 0, all = 0;

	for (size_t i = 0; i < kernel_count; i++) {
		all += kernels[i].count;
		rounds = kernels[i].count > rounds ? kernels[i].count : rounds;
	}
	struct cell *cells = calloc(all ? all : 1, sizeof(*cells));
	*count = 0;
	for (size_t round = 0; cells && round < rounds; round++)
		for (size_t i = 0; i < kernel_count; i++)
			if (round < kernels[i].count)
				cells[(*count)++] = (struct cell){.kernel = i, .run = kernels[i].runs[round]};
	return cells;
}
