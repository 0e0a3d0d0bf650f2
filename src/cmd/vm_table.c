/* SPDX-License-Identifier: MIT */
#include "cmd/vm_table.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "workloads/workload.h"

#define METADATA_MOST (4u << 20)
#define ROWS_MOST     64

struct row {
	const struct workload *workload;
	unsigned int runs;
	uint64_t events, switches, voluntary, involuntary, lost;
};

static void add_number(const struct json_value *metadata, const char *key, uint64_t *sum)
{
	uint64_t value;

	if (json_member_u64(metadata, key, &value))
		*sum += value;
}

static void add_trace(const struct json_value *metadata, struct row *rows)
{
	const struct workload *workload = workload_find(json_member_text(metadata, "workload_name", ""));

	for (size_t i = 0; workload && i < ROWS_MOST && workload_table[i]; i++) {
		if (workload_table[i] != workload)
			continue;
		rows[i].runs++;
		add_number(metadata, "events", &rows[i].events);
		add_number(metadata, "sched_switch_events", &rows[i].switches);
		add_number(metadata, "voluntary_switches", &rows[i].voluntary);
		add_number(metadata, "involuntary_switches", &rows[i].involuntary);
		add_number(metadata, "lost_events", &rows[i].lost);
	}
}

/* Metadata comes from the guest: what does not parse is left out of the table; build complains about it. */
static void add_file(const char *path, struct row *rows)
{
	struct buffer text = {0};
	struct json_value *metadata = NULL;

	if (file_read(path, METADATA_MOST, &text, NULL) == STATUS_OK &&
	    json_parse(text.data, text.length, path, &metadata, NULL) == STATUS_OK)
		add_trace(metadata, rows);
	json_free(metadata);
	buffer_free(&text);
}

static enum status read_all(const char *directory, struct row *rows, struct error *err)
{
	DIR *list = opendir(directory);
	char path[PATH_MAX];
	enum status status = STATUS_OK;

	if (!list)
		return error_system(err, errno, directory, "cannot open");
	for (struct dirent *entry = readdir(list); entry && status == STATUS_OK; entry = readdir(list)) {
		size_t length = strlen(entry->d_name);
		if (length <= 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
			continue;
		status = file_join(path, sizeof(path), directory, entry->d_name, err);
		if (status == STATUS_OK)
			add_file(path, rows);
	}
	closedir(list);
	return status;
}

static void print_row(const char *name, const struct row *row)
{
	uint64_t own = row->voluntary + row->involuntary;
	char share[16] = "-";

	if (own)
		snprintf(share, sizeof(share), "%.1f %%", 100.0 * (double)row->voluntary / (double)own);
	printf("  %-24s %4u %12llu %12llu %10s", name, row->runs, (unsigned long long)row->events,
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

enum status vm_table_print(const char *raw_directory, struct error *err)
{
	struct row rows[ROWS_MOST] = {{0}};
	struct row total = {0};
	unsigned int kinds = 0;
	enum status status = read_all(raw_directory, rows, err);

	if (status != STATUS_OK)
		return status;
	printf("  %-24s %4s %12s %12s %10s\n", "workload", "runs", "events", "switches", "voluntary");
	for (size_t i = 0; i < ROWS_MOST && workload_table[i]; i++) {
		if (!rows[i].runs)
			continue;
		print_row(workload_table[i]->name, &rows[i]);
		add_row(&total, &rows[i]);
		kinds++;
	}
	if (kinds > 1)
		print_row("all", &total);
	return STATUS_OK;
}
