/* SPDX-License-Identifier: MIT */
#include "cmd/vm_report.h"

#include <limits.h>
#include <stdio.h>

#include "base/file.h"
#include "compare/notices.h"
#include "runs/run_totals.h"
#include "workloads/table.h"

static void print_row(const struct run_totals_row *row)
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

static enum status print_table(const char *raw_directory, struct error *err)
{
	struct run_totals table = {0};
	struct run_totals_row total = {.name = "all"};
	unsigned int kinds = 0;

	for (size_t i = 0; workload_table[i]; i++)
		run_totals_add_name(&table, workload_table[i]->name);
	enum status status = run_totals_read(&table, raw_directory, err);
	if (status != STATUS_OK)
		return status;
	printf("  %-24s %4s %12s %12s %10s\n", "workload", "runs", "events", "switches", "voluntary");
	for (size_t i = 0; i < table.count; i++) {
		if (!table.rows[i].runs)
			continue;
		print_row(&table.rows[i]);
		run_totals_add_row(&total, &table.rows[i]);
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
