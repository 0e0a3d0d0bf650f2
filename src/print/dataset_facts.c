/* SPDX-License-Identifier: MIT */
#include "print/dataset_facts.h"

#include <string.h>

const char dataset_summary_text[] =
    "Decisions of the Linux scheduler, recorded by picknext from the kernel's tracepoints.";

/* What a row is; datasets of earlier versions are of switches. */
const struct row_kind *dataset_kind_of(const struct json_value *metadata)
{
	const struct row_kind *kind = row_kind_of(json_member_text(metadata, "task", "switch"));

	return kind ? kind : &switch_rows;
}

/* The rows of a CSV file. */
uint64_t dataset_rows_of(const struct json_value *metadata, size_t file)
{
	static const char *const keys[OUTPUT_CSV_FILES] = {"train_events", "test_seen_events", "test_unseen_events",
							   "total_events"};
	uint64_t rows = 0;

	json_member_u64(metadata, keys[file], &rows);
	return rows;
}

uint64_t dataset_bytes_of(const struct json_value *metadata, size_t file)
{
	const struct json_value *files = json_member(metadata, "files");
	const struct json_value *entry = files ? json_member(files, output_names[file]) : NULL;
	uint64_t bytes = 0;

	if (entry)
		json_member_u64(entry, "bytes", &bytes);
	return bytes;
}

/* The name of a file without its extension. */
int output_stem_length(size_t file)
{
	return (int)strcspn(output_names[file], ".");
}

struct columns dataset_columns_of(const struct json_value *metadata)
{
	struct columns columns = dataset_kind_of(metadata)->columns("extended,scheduler");

	columns_add(&columns, &weight_column, 1);
	return columns;
}
