/* SPDX-License-Identifier: MIT */
#include "cmd/vm_report.h"

#include <stdio.h>

#include "base/file.h"
#include "cmd/vm_table.h"
#include "compare/notices.h"

static void print_dataset(const struct kernel_report *report)
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

static void print_host_wait(const struct vcpu_time *time)
{
	double share = vcpu_time_wait_share(time);

	if (share >= HOST_WAIT_NOTABLE)
		printf("  The guest's CPUs waited %.1f %% of their time for the host's: its times are the host's too.\n"
		       "  Run it on a quiet machine, or with --deterministic.\n",
		       100 * share);
}

void vm_report_print(const struct kernel_report *report, size_t number)
{
	char raw[sizeof(report->result.directory)];

	printf("%s%s\n", number ? "\n" : "", report->result.release);
	if (!report->built) {
		printf("  no dataset: exit code %d\n", report->exit_code);
		return;
	}
	if (file_join(raw, sizeof(raw), report->result.directory, "raw", NULL) == STATUS_OK)
		vm_table_print(raw, NULL);
	print_host_wait(&report->result.vcpu_time);
	print_dataset(report);
}
