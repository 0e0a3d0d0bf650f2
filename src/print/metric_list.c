/* SPDX-License-Identifier: MIT */
#include "print/metric_list.h"

#include "compare/metric.h"
#include "print/table.h"

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
		if (metric_table[metric].needs_real_time)
			buffer_printf(out, "    not in a deterministic guest: %s\n",
				      metric_table[metric].needs_real_time);
	}
}

void metric_list_add_reasons(struct buffer *out)
{
	bool first_reason = true;

	for (enum run_metric first = 0; first < METRIC_COUNT; first++) {
		const char *reason = metric_table[first].needs_real_time;
		enum run_metric before = 0;
		while (before < first && metric_table[before].needs_real_time != reason)
			before++;
		if (!reason || before < first)
			continue;
		buffer_printf(out, "%s- %s:", first_reason ? "" : "\n", reason);
		first_reason = false;
		for (enum run_metric metric = first; metric < METRIC_COUNT; metric++)
			if (metric_table[metric].needs_real_time == reason)
				buffer_printf(out, " %s", metric_table[metric].name);
		buffer_text(out, "\n");
	}
}

void metric_list_add_rows(struct buffer *out)
{
	enum { NAME_WIDTH = 31 };

	for (enum run_metric i = 0; i < METRIC_COUNT; i++) {
		const struct metric *metric = &metric_table[i];
		const char *direction = directions[metric->direction + 1];
		buffer_printf(out, "  %-*s  %s", NAME_WIDTH, metric->name, metric->help);
		if (*metric->unit || *direction)
			buffer_printf(out, " (%s%s%s)", metric->unit, *metric->unit && *direction ? ", " : "",
				      direction);
		buffer_text(out, "\n");
	}
}

void metric_list_add(unsigned int width, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"metric", "metric", TABLE_TEXT, TABLE_ALWAYS},
	    {"unit", "unit", TABLE_TEXT, TABLE_ALWAYS},
	    {"direction", "direction", TABLE_TEXT, TABLE_ALWAYS},
	    {"deterministic", "deterministic", TABLE_TEXT, TABLE_ALWAYS},
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
		table_string(&table, metric_table[metric].needs_real_time ? "no" : "holds");
		table_string(&table, metric_table[metric].help);
	}
	table_write_text(&table, 0, out);
	table_free(&table);
	buffer_text(out, "\nNot shown by a deterministic guest:\n");
	metric_list_add_reasons(out);
}
