/* SPDX-License-Identifier: MIT */
#include "print/vm_report.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "compare/remarks.h"
#include "print/print.h"
#include "print/table.h"
#include "print/terminal.h"
#include "runs/run_totals.h"
#include "workloads/table.h"

static const struct table_column columns[] = {
    {"workload", "workload", TABLE_TEXT, TABLE_KEPT},
    {"runs", "runs", TABLE_NUMBER, TABLE_ALWAYS},
    {"events", "events", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches", "switches", TABLE_NUMBER, TABLE_ALWAYS},
    {"voluntary", "voluntary", TABLE_VALUE, TABLE_ALWAYS},
    {"lost", "", TABLE_VALUE, TABLE_KEPT},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
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
	struct table table;

	table_begin(&table, columns);
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

/* False if they cannot be read. */
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
