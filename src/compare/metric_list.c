/* SPDX-License-Identifier: MIT */
#include "compare/metric_list.h"

#include "compare/metric.h"
#include "term/table.h"

static const char *const directions[] = {"lower is better", "", "higher is better"};

/* One metric per line, its meaning below: for a narrow terminal. */
static void add_narrow(struct buffer *out)
{
	for (enum run_metric metric = 0; metric < METRIC_COUNT; metric++) {
		const char *unit = metric_table[metric].unit;
		const char *direction = directions[metric_table[metric].direction + 1];
		buffer_text(out, metric_table[metric].name);
		if (*unit || *direction)
			buffer_printf(out, " (%s%s%s)", unit, *unit && *direction ? ", " : "", direction);
		buffer_printf(out, "\n    %s\n", metric_table[metric].help);
	}
}

void metric_list_add(unsigned int width, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"metric", "metric", TABLE_TEXT, TABLE_ALWAYS},
	    {"unit", "unit", TABLE_TEXT, TABLE_ALWAYS},
	    {"direction", "direction", TABLE_TEXT, TABLE_ALWAYS},
	    {"help", "meaning", TABLE_TEXT, TABLE_ALWAYS},
	    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
	};
	enum { TABLE_WIDTH = 132 };
	struct table table;

	if (width && width < TABLE_WIDTH) {
		add_narrow(out);
		return;
	}
	table_begin(&table, columns);
	for (enum run_metric metric = 0; metric < METRIC_COUNT; metric++) {
		const char *direction = directions[metric_table[metric].direction + 1];
		table_string(&table, metric_table[metric].name);
		table_string(&table, metric_table[metric].unit);
		table_string(&table, direction);
		table_string(&table, metric_table[metric].help);
	}
	out->failed = out->failed || table.failed;
	table_write_text(&table, 0, out);
	table_free(&table);
}
