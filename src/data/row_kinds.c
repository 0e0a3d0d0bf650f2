/* SPDX-License-Identifier: MIT */
#include "data/row_kinds.h"

#include <string.h>

const struct row_kind *const row_kinds[] = {&switch_rows, &pick_rows, &placement_rows, &move_rows, &key_rows, NULL};

const struct row_kind *row_kind_of(const char *task)
{
	for (size_t i = 0; row_kinds[i]; i++)
		if (strcmp(row_kinds[i]->task, task) == 0)
			return row_kinds[i];
	return NULL;
}
