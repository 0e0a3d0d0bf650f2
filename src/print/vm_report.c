/* SPDX-License-Identifier: MIT */
#include "print/vm_report.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "compare/remarks.h"
#include "print/print.h"
#include "print/table.h"
#include "print/terminal.h"
#include "runs/run_list.h"
#include "workloads/table.h"

/* --- Totals of a directory's runs per workload, from their metadata --- */

#define RUN_TOTALS_MAX 64

struct run_totals_row {
	char name[64]; /* escaped for a terminal */
	unsigned int runs;
	uint64_t events, switches, voluntary, involuntary, lost;
};

/* The given names in their order, then other recordings by name. A zeroed struct is empty. */
struct run_totals {
	struct run_totals_row rows[RUN_TOTALS_MAX];
	size_t count, given;
};

/* Adds a row with 0 runs; call it before run_totals_read(). At most half of the rows can be added so; further names are
 * ignored. */
static void run_totals_add_name(struct run_totals *totals, const char *name)
{
	if (totals->count == RUN_TOTALS_MAX / 2)
		return;
	snprintf(totals->rows[totals->count].name, sizeof(totals->rows->name), "%s", name);
	totals->given = ++totals->count;
}

/* NULL if there is no room for another row. */
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

/* Adds the runs of a directory. Runs without a name, with unreadable metadata, or for which there is no room are left
 * out. */
static enum status run_totals_read(struct run_totals *totals, const char *directory, struct error *err)
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

/* Adds all numbers of row to sum. */
static void run_totals_add_row(struct run_totals_row *sum, const struct run_totals_row *row)
{
	sum->runs += row->runs;
	sum->events += row->events;
	sum->switches += row->switches;
	sum->voluntary += row->voluntary;
	sum->involuntary += row->involuntary;
	sum->lost += row->lost;
}

static const struct table_column columns[] = {
    {"workload", "workload", TABLE_TEXT, TABLE_KEPT},
    {"runs", "runs", TABLE_NUMBER, TABLE_ALWAYS},
    {"events", "events", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches", "switches", TABLE_NUMBER, TABLE_ALWAYS},
    {"voluntary", "voluntary", TABLE_VALUE, TABLE_ALWAYS},
    {"lost", "", TABLE_VALUE, TABLE_KEPT},
    {.key = NULL},
};

static void add_row(const struct run_totals_row *row, struct table *table)
{
	uint64_t own = row->voluntary + row->involuntary;
	char share[16] = "-", lost[32] = "";

	if (own)
		snprintf(share, sizeof(share), "%.1f %%", 100.0 * (double)row->voluntary / (double)own);
	if (row->lost)
		snprintf(lost, sizeof(lost), "%llu lost", (unsigned long long)row->lost);
	table_string(table, row->name);
	TABLE_NUMBERS(table, row->runs, row->events, row->switches);
	table_string(table, share);
	table_string(table, lost);
}

static void print_table(const struct run_totals *totals, const struct run_totals_row *all, unsigned int kinds)
{
	struct buffer out = {0};

	struct table table = table_of(columns);
	for (size_t i = 0; i < totals->count; i++)
		if (totals->rows[i].runs)
			add_row(&totals->rows[i], &table);
	if (kinds > 1)
		add_row(all, &table);
	table_write_text(&table, terminal_width(), &out);
	table_free(&table);
	print_buffer(&out);
}

static void print_line(const struct vm_report *report, const struct run_totals_row *total, unsigned int kinds)
{
	const struct vm_result *result = &report->result;

	printf("%s: %u run%s of %u workload%s, %llu events", result->set, total->runs, total->runs == 1 ? "" : "s",
	       kinds, kinds == 1 ? "" : "s", (unsigned long long)total->events);
	if (total->lost)
		printf(", %llu lost", (unsigned long long)total->lost);
	printf("; %s%s\n", result->directory, report->dataset.leaky_fallback ? " (the split is leaky)" : "");
}

static void print_dataset(const struct vm_report *report)
{
	const struct dataset_summary *dataset = &report->dataset;

	if (report->without_dataset) {
		printf("  %s: raw/\n", report->result.directory);
		return;
	}
	printf("  rows: train %llu, test_seen %llu, test_unseen %llu",
	       (unsigned long long)dataset->files[SPLIT_TRAIN].rows,
	       (unsigned long long)dataset->files[SPLIT_TEST_SEEN].rows,
	       (unsigned long long)dataset->files[SPLIT_TEST_UNSEEN].rows);
	for (size_t i = 0; i < dataset->group_count; i++)
		if (dataset->groups[i].is_unseen)
			printf(" (held out: %s)", dataset->groups[i].name);
	printf("%s\n", dataset->leaky_fallback ? "; the split is leaky" : "");
	printf("  %s: train.csv test_seen.csv test_unseen.csv all.csv dataset_meta.json raw/\n",
	       report->result.directory);
}

static void print_host_wait(double share)
{
	if (share >= HOST_WAIT_NOTABLE)
		printf("  The guest's CPUs waited %.1f %% of the time for a host CPU: its times depend on the host's "
		       "load.\n"
		       "  Run it on a quiet machine, or with --mode deterministic.\n",
		       100 * share);
}

/* False if the directory cannot be read. */
static bool read_totals(const char *directory, struct run_totals *table, struct run_totals_row *total,
			unsigned int *kinds)
{
	char raw[PATH_MAX];

	for (size_t i = 0; workload_at(i); i++)
		run_totals_add_name(table, workload_at(i)->name);
	if (file_join(raw, sizeof(raw), directory, "raw", NULL) != STATUS_OK ||
	    run_totals_read(table, raw, NULL) != STATUS_OK)
		return false;
	for (size_t i = 0; i < table->count; i++) {
		*kinds += table->rows[i].runs > 0;
		run_totals_add_row(total, &table->rows[i]);
	}
	return true;
}

void vm_report_print(const struct vm_report *report, size_t number, bool is_short)
{
	const struct vm_result *result = &report->result;
	struct run_totals table = {0};
	struct run_totals_row total = {.name = "all"};
	bool is_named = strcmp(result->set, result->release) != 0;
	unsigned int kinds = 0;

	bool is_read = report->complete && read_totals(result->directory, &table, &total, &kinds);
	if (is_short && is_read) {
		print_line(report, &total, kinds);
		return;
	}
	printf("%s%s%s%s\n", number ? "\n" : "", result->set, is_named ? ": " : "", is_named ? result->release : "");
	if (!report->complete) {
		printf("  no dataset: exit code %d\n", report->exit_code);
		return;
	}
	if (is_read)
		print_table(&table, &total, kinds);
	print_host_wait(result->host_wait_share);
	print_dataset(report);
}
