/* SPDX-License-Identifier: MIT */
#include "runs/run_totals.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "runs/run_list.h"

void run_totals_add_name(struct run_totals *totals, const char *name)
{
	if (totals->count == RUN_TOTALS_MAX / 2)
		return;
	snprintf(totals->rows[totals->count].name, sizeof(totals->rows->name), "%s", name);
	totals->given = ++totals->count;
}

/* NULL if there are too many. */
static struct run_totals_row *find_row(struct run_totals *totals, const char *name)
{
	char shown[sizeof(totals->rows->name)];
	size_t at = 0;

	escape_line(name, strlen(name), shown, sizeof(shown));
	while (at < totals->count && strcmp(totals->rows[at].name, shown) != 0)
		at++;
	if (at < totals->count)
		return &totals->rows[at];
	if (totals->count == RUN_TOTALS_MAX)
		return NULL;
	for (at = totals->count++; at > totals->given && strcmp(totals->rows[at - 1].name, shown) > 0; at--)
		totals->rows[at] = totals->rows[at - 1];
	totals->rows[at] = (struct run_totals_row){0};
	memcpy(totals->rows[at].name, shown, sizeof(shown));
	return &totals->rows[at];
}

static void add_run(const struct run_metadata *metadata, struct run_totals *totals)
{
	const char *name = metadata->workload_name;
	struct run_totals_row *row = name && *name ? find_row(totals, name) : NULL;

	if (!row)
		return;
	row->runs++;
	row->events += metadata->events;
	row->switches += metadata->switches;
	row->voluntary += metadata->work.voluntary_switches;
	row->involuntary += metadata->work.involuntary_switches;
	row->lost += metadata->lost_events;
}

enum status run_totals_read(struct run_totals *totals, const char *directory, struct error *err)
{
	static const struct run_list_options options = {.option = NULL};
	struct run_list list = {0};
	enum status status = run_list_find(directory, &options, &list, err);

	for (size_t i = 0; i < list.count; i++)
		if (run_read_metadata(&list.items[i], directory, NULL) == STATUS_OK)
			add_run(&list.items[i].metadata, totals);
	run_list_free(&list);
	return status;
}

void run_totals_add_row(struct run_totals_row *sum, const struct run_totals_row *row)
{
	sum->runs += row->runs;
	sum->events += row->events;
	sum->switches += row->switches;
	sum->voluntary += row->voluntary;
	sum->involuntary += row->involuntary;
	sum->lost += row->lost;
}
