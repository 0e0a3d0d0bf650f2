/* SPDX-License-Identifier: MIT */
#include "cmd/vm_table.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "workloads/table.h"

#define METADATA_MOST (4u << 20)
#define ROWS_MOST     64

struct row {
	char name[64]; /* harmless on a terminal */
	unsigned int runs;
	uint64_t events, switches, voluntary, involuntary, lost;
};

/* The workloads in their table's order, then what else was recorded, by name. */
struct table {
	struct row rows[ROWS_MOST];
	size_t count, workloads;
};

static void begin(struct table *table)
{
	*table = (struct table){0};
	for (; workload_table[table->count] && table->count < ROWS_MOST / 2; table->count++)
		snprintf(table->rows[table->count].name, sizeof(table->rows->name), "%s",
			 workload_table[table->count]->name);
	table->workloads = table->count;
}

/* NULL where there are too many. */
static struct row *find_row(struct table *table, const char *name)
{
	char shown[sizeof(table->rows->name)];
	size_t at = 0;

	escape_line(name, strlen(name), shown, sizeof(shown));
	while (at < table->count && strcmp(table->rows[at].name, shown) != 0)
		at++;
	if (at < table->count)
		return &table->rows[at];
	if (table->count == ROWS_MOST)
		return NULL;
	for (at = table->count++; at > table->workloads && strcmp(table->rows[at - 1].name, shown) > 0; at--)
		table->rows[at] = table->rows[at - 1];
	table->rows[at] = (struct row){0};
	memcpy(table->rows[at].name, shown, sizeof(shown));
	return &table->rows[at];
}

static void add_number(const struct json_value *metadata, const char *key, uint64_t *sum)
{
	uint64_t value;

	if (json_member_u64(metadata, key, &value))
		*sum += value;
}

static void add_trace(const struct json_value *metadata, struct table *table)
{
	const char *name = json_member_text(metadata, "workload_name", "");
	struct row *row = *name ? find_row(table, name) : NULL;

	if (!row)
		return;
	row->runs++;
	add_number(metadata, "events", &row->events);
	add_number(metadata, "sched_switch_events", &row->switches);
	add_number(metadata, "voluntary_switches", &row->voluntary);
	add_number(metadata, "involuntary_switches", &row->involuntary);
	add_number(metadata, "lost_events", &row->lost);
}

/* Metadata comes from the guest: what does not parse is left out of the table; build complains about it. */
static void add_file(const char *path, struct table *table)
{
	struct buffer text = {0};
	struct json_value *metadata = NULL;

	if (file_read(path, METADATA_MOST, &text, NULL) == STATUS_OK &&
	    json_parse(text.data, text.length, path, &metadata, NULL) == STATUS_OK)
		add_trace(metadata, table);
	json_free(metadata);
	buffer_free(&text);
}

static enum status read_all(const char *directory, struct table *table, struct error *err)
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
			add_file(path, table);
	}
	closedir(list);
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

enum status vm_table_print(const char *raw_directory, struct error *err)
{
	struct table table;
	struct row total = {.name = "all"};
	unsigned int kinds = 0;

	begin(&table);
	enum status status = read_all(raw_directory, &table, err);

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
