/* SPDX-License-Identifier: MIT */
#include "cmd/vm_report.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "compare/notices.h"
#include "runs/run_list.h"
#include "workloads/table.h"

#define ROWS_MAX           64

struct row {
	char name[64]; /* escaped */
	unsigned int runs;
	uint64_t events, switches, voluntary, involuntary, lost;
};

/* The workloads in the order of their table, then other recordings by name. */
struct table {
	struct row rows[ROWS_MAX];
	size_t count, workloads;
};

static void begin_table(struct table *table)
{
	*table = (struct table){0};
	for (; workload_table[table->count] && table->count < ROWS_MAX / 2; table->count++)
		snprintf(table->rows[table->count].name, sizeof(table->rows->name), "%s",
			 workload_table[table->count]->name);
	table->workloads = table->count;
}

/* NULL if there are too many. */
static struct row *find_row(struct table *table, const char *name)
{
	char shown[sizeof(table->rows->name)];
	size_t at = 0;

	escape_line(name, strlen(name), shown, sizeof(shown));
	while (at < table->count && strcmp(table->rows[at].name, shown) != 0)
		at++;
	if (at < table->count)
		return &table->rows[at];
	if (table->count == ROWS_MAX)
		return NULL;
	for (at = table->count++; at > table->workloads && strcmp(table->rows[at - 1].name, shown) > 0; at--)
		table->rows[at] = table->rows[at - 1];
	table->rows[at] = (struct row){0};
	memcpy(table->rows[at].name, shown, sizeof(shown));
	return &table->rows[at];
}

static void add_run(const struct run_metadata *metadata, struct table *table)
{
	const char *name = metadata->workload_name;
	struct row *row = name && *name ? find_row(table, name) : NULL;

	if (!row)
		return;
	row->runs++;
	row->events += metadata->events;
	row->switches += metadata->switches;
	row->voluntary += metadata->work.voluntary_switches;
	row->involuntary += metadata->work.involuntary_switches;
	row->lost += metadata->lost_events;
}

/* Metadata comes from the guest. Skips what does not parse: build reports it. */
static enum status read_runs(const char *directory, struct table *table, struct error *err)
{
	static const struct run_list_options options = {.option = NULL};
	struct run_list list = {0};
	enum status status = run_list_find(directory, &options, &list, err);

	for (size_t i = 0; i < list.count; i++)
		if (run_read_metadata(&list.items[i], directory, NULL) == STATUS_OK)
			add_run(&list.items[i].metadata, table);
	run_list_free(&list);
	return status;
}

static void print_row(const struct row *row)
{
	uint64_t own = row->voluntary + row->involuntary;
	char share[16] = "-";

	if (own)
		snprintf(share, sizeof(share), "%.1f %%", 100.0 * (double)row->voluntary / (double)own);
	printf("  %-24s %4u %12llu %12llu %10s", row->name, row->runs, (unsigned long long)row->events,
	       (unsigned long long)row->switches, share);
	if (row->lost)
		printf("   %llu lost", (unsigned long long)row->lost);
	putchar('\n');
}

static void add_row(struct row *total, const struct row *row)
{
	total->runs += row->runs;
	total->events += row->events;
	total->switches += row->switches;
	total->voluntary += row->voluntary;
	total->involuntary += row->involuntary;
	total->lost += row->lost;
}

static enum status print_table(const char *raw_directory, struct error *err)
{
	struct table table;
	struct row total = {.name = "all"};
	unsigned int kinds = 0;

	begin_table(&table);
	enum status status = read_runs(raw_directory, &table, err);

	if (status != STATUS_OK)
		return status;
	printf("  %-24s %4s %12s %12s %10s\n", "workload", "runs", "events", "switches", "voluntary");
	for (size_t i = 0; i < table.count; i++) {
		if (!table.rows[i].runs)
			continue;
		print_row(&table.rows[i]);
		add_row(&total, &table.rows[i]);
		kinds++;
	}
	if (kinds > 1)
		print_row(&total);
	return STATUS_OK;
}

static void print_dataset(const struct vm_report *report)
{
	const struct dataset_summary *rows = &report->dataset;

	printf("  rows: train %llu, test_seen %llu, test_unseen %llu", (unsigned long long)rows->train_events,
	       (unsigned long long)rows->test_seen_events, (unsigned long long)rows->test_unseen_events);
	if (rows->unseen_category[0])
		printf(" (held out: %s)", rows->unseen_category);
	printf("%s\n", rows->leaky_fallback ? "; the split is leaky" : "");
	printf("  %s: train.csv test_seen.csv test_unseen.csv all.csv dataset_meta.json raw/\n",
	       report->result.directory);
}

static void print_host_wait(double share)
{
	if (share >= HOST_WAIT_NOTABLE)
		printf("  The guest's CPUs waited %.1f %% of the time for a host CPU: its times depend on the host's "
		       "load.\n"
		       "  Run it on a quiet machine, or with --deterministic.\n",
		       100 * share);
}

void vm_report_print(const struct vm_report *report, size_t number)
{
	char raw[sizeof(report->result.directory)];

	printf("%s%s\n", number ? "\n" : "", report->result.release);
	if (!report->built) {
		printf("  no dataset: exit code %d\n", report->exit_code);
		return;
	}
	if (file_join(raw, sizeof(raw), report->result.directory, "raw", NULL) == STATUS_OK)
		print_table(raw, NULL);
	print_host_wait(report->result.host_wait_share);
	print_dataset(report);
}
