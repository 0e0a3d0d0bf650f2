/* SPDX-License-Identifier: MIT */
#include "data/row_kinds.h"

#include <string.h>

#include "data/decision_columns.h"
#include "data/decision_rows.h"
#include "data/switch_columns.h"
#include "data/switch_rows.h"

static struct columns pick_columns(const char *layout)
{
	(void)layout;
	return decision_columns();
}

const struct row_kind row_kinds[] = {
    {"switch", "switches", "One record per switch of a CPU.", false, switch_columns, switch_rows_read,
     "the workload may have ended too quickly or tracing was off; record again with picknext collect"},
    {"pick", "decisions", "One record per decision of the scheduler.", true, pick_columns, decision_rows_read,
     "decisions need sched_wakeup events besides sched_switch; record with picknext collect"},
};

const struct row_kind *row_kind_of(const char *task)
{
	for (size_t i = 0; i < sizeof(row_kinds) / sizeof(*row_kinds); i++)
		if (strcmp(row_kinds[i].task, task) == 0)
			return &row_kinds[i];
	return NULL;
}
