/* SPDX-License-Identifier: MIT */
#include "print/dataset_report.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "print/print.h"
#include "print/terminal.h"

const struct table_column dataset_file_columns[] = {
    {"file", "FILE", TABLE_TEXT, TABLE_KEPT},
    {"rows", "ROWS", TABLE_NUMBER, TABLE_ALWAYS},
    {"bytes", "BYTES", TABLE_NUMBER, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column group_columns[] = {
    {"group", "", TABLE_TEXT, TABLE_KEPT},
    {"traces", "TRACES", TABLE_NUMBER, TABLE_ALWAYS},
    {"rows", "ROWS", TABLE_NUMBER, TABLE_ALWAYS},
    {"part", "", TABLE_WORD, TABLE_KEPT},
    {.key = NULL},
};

static void add_files(const struct dataset_summary *summary, struct buffer *out)
{
	struct table table = table_of(dataset_file_columns);
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++) {
		table_string(&table, output_names[i]);
		TABLE_NUMBERS(&table, summary->files[i].rows, summary->files[i].bytes);
	}
	table_write_text(&table, terminal_width(), out);
	table_free(&table);
}

/* hold_out: WHAT[=VALUE]; NULL: category. */
static void add_groups(const struct dataset_summary *summary, const char *hold_out, struct buffer *out)
{
	struct table_column columns[sizeof(group_columns) / sizeof(*group_columns)];
	char heading[16];

	snprintf(heading, sizeof(heading), "%.*s", hold_out ? (int)strcspn(hold_out, "=") : INT_MAX,
		 hold_out ? hold_out : "category");
	for (char *at = heading; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	memcpy(columns, group_columns, sizeof(columns));
	columns[0].heading = heading;
	struct table table = table_of(columns);
	for (size_t i = 0; i < summary->group_count; i++) {
		const struct dataset_group *group = &summary->groups[i];
		table_string(&table, group->name);
		TABLE_NUMBERS(&table, group->traces, group->rows);
		table_string(&table, group->is_unseen ? "held out, unseen" : "");
	}
	table_write_text(&table, terminal_width(), out);
	table_free(&table);
}

enum status dataset_build_and_report(const struct dataset_request *request, struct error *err)
{
	struct dataset_summary summary;
	struct buffer out = {0};
	enum status status = dataset_build(request, &summary, err);

	message_progress_end();
	if (status == STATUS_OK && message_level() != MESSAGE_QUIET) {
		add_files(&summary, &out);
		buffer_text(&out, "\n");
		add_groups(&summary, request->hold_out, &out);
		print_buffer(&out);
		fflush(stdout);
	}
	dataset_summary_free(&summary);
	return status;
}
