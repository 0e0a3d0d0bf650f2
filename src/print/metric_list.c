/* SPDX-License-Identifier: MIT */
#include "print/metric_list.h"

#include <stdio.h>

#include "base/wrap.h"
#include "compare/metric.h"
#include "print/table.h"

static const char *direction_of(const struct metric *metric)
{
	static const char *const directions[] = {"lower is better", "", "higher is better"};

	return directions[metric->direction + 1];
}

/* " (us, lower is better)" */
static void add_unit(const struct metric *metric, struct buffer *out)
{
	const char *direction = direction_of(metric);

	if (*metric->unit || *direction)
		buffer_printf(out, " (%s%s%s)", metric->unit, *metric->unit && *direction ? ", " : "", direction);
}

static void add_floor(const struct metric *metric, const char *before, struct buffer *out)
{
	if (metric->floor > 0)
		buffer_printf(out, "%sdifferences below %g are negligible: %s", before, metric->floor,
			      metric->floor_reason);
}

/* Adds the line, indented and wrapped, and empties it. */
static void add_line(struct buffer *line, unsigned int indent, unsigned int width, struct buffer *out)
{
	buffer_printf(out, "%*s", (int)indent, "");
	wrap_add(line->data, indent, 4, width, out);
	buffer_clear(line);
}

/* For a narrow terminal: each metric on a line, its meaning below. */
static void add_narrow(unsigned int width, struct buffer *out)
{
	struct buffer line = {0};

	for (const struct metric *metric = metric_table(); metric->name; metric++) {
		buffer_text(&line, metric->name);
		add_unit(metric, &line);
		add_line(&line, 0, width, out);
		buffer_printf(&line, "\"%s\": %s", metric->heading, metric->help);
		add_line(&line, 4, width, out);
		if (metric->floor > 0) {
			add_floor(metric, "", &line);
			add_line(&line, 4, width, out);
		}
		if (metric->real_time_reason) {
			buffer_printf(&line, "not in a deterministic guest: %s", metric->real_time_reason);
			add_line(&line, 4, width, out);
		}
	}
	buffer_free(&line);
}

/* The first metric with the same reason. */
static const struct metric *first_with_reason(const struct metric *metric)
{
	const struct metric *first = metric_table();

	while (first->real_time_reason != metric->real_time_reason)
		first++;
	return first;
}

bool metric_list_add_reason(size_t number, struct buffer *out)
{
	const struct metric *first = metric_table();

	while (first->name && (!first->real_time_reason || first_with_reason(first) != first || number-- > 0))
		first++;
	if (!first->name)
		return false;
	buffer_printf(out, "%s:", first->real_time_reason);
	for (const struct metric *metric = first; metric->name; metric++)
		if (metric->real_time_reason == first->real_time_reason)
			buffer_printf(out, " %s", metric->name);
	return true;
}

void metric_list_add_meaning(const struct metric *metric, struct buffer *out)
{
	buffer_text(out, metric->help);
	add_unit(metric, out);
	add_floor(metric, "; ", out);
}

static bool add_reason_line(size_t number, struct buffer *out)
{
	struct buffer reason = {0};
	bool found = metric_list_add_reason(number, &reason);

	if (found)
		buffer_printf(out, "%s- %s\n", number ? "\n" : "", reason.data);
	buffer_free(&reason);
	return found;
}

/* Empty if the metric has no floor. */
static const char *floor_text(char *text, size_t size, double floor)
{
	if (floor > 0)
		snprintf(text, size, "%g", floor);
	else
		*text = 0;
	return text;
}

void metric_list_add(unsigned int width, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"metric", "metric", TABLE_TEXT, TABLE_ALWAYS},
	    {"heading", "in tables and sentences", TABLE_TEXT, TABLE_ALWAYS},
	    {"unit", "unit", TABLE_TEXT, TABLE_ALWAYS},
	    {"direction", "direction", TABLE_TEXT, TABLE_ALWAYS},
	    {"deterministic", "deterministic", TABLE_TEXT, TABLE_ALWAYS},
	    {"floor", "floor", TABLE_TEXT, TABLE_ALWAYS},
	    {"help", "meaning", TABLE_TEXT, TABLE_ALWAYS},
	    {.key = NULL},
	};
	enum { TABLE_WIDTH = 174 };
	char floor[32];

	if (width && width < TABLE_WIDTH) {
		add_narrow(width, out);
		return;
	}
	struct table table = table_of(columns);
	for (const struct metric *metric = metric_table(); metric->name; metric++) {
		table_string(&table, metric->name);
		table_string(&table, metric->heading);
		table_string(&table, metric->unit);
		table_string(&table, direction_of(metric));
		table_string(&table, metric->real_time_reason ? "no" : "holds");
		table_string(&table, floor_text(floor, sizeof(floor), metric->floor));
		table_string(&table, metric->help);
	}
	table_write_text(&table, 0, out);
	table_free(&table);
	buffer_text(out, "\nA difference below the floor is negligible; picknext help metrics has the reasons.\n"
			 "Not shown by a deterministic guest:\n");
	for (size_t number = 0; add_reason_line(number, out); number++)
		;
}
