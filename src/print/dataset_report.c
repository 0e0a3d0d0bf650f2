/* SPDX-License-Identifier: MIT */
#include "print/dataset_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/message.h"
#include "print/print.h"
#include "print/terminal.h"

#define PROGRESS_INTERVAL_NS 100000000u
#define MESSAGE_SIZE         2048

static struct table files, categories;
static uint64_t shown_at_ns;

static void show_information(const char *line)
{
	char safe[MESSAGE_SIZE];

	escape_line(line, strlen(line), safe, sizeof(safe));
	message_info("%s", safe);
}

static void show_warning(const char *line)
{
	char safe[MESSAGE_SIZE];

	escape_line(line, strlen(line), safe, sizeof(safe));
	message_warning("%s", safe);
}

static void show_progress(const char *trace_id, uint64_t done, uint64_t of, uint64_t rows)
{
	char safe[256];
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (now_ns - shown_at_ns < PROGRESS_INTERVAL_NS)
		return;
	shown_at_ns = now_ns;
	escape_line(trace_id, strlen(trace_id), safe, sizeof(safe));
	message_progress("trace %" PRIu64 " of %" PRIu64 ": %s, %" PRIu64 " rows", done + 1, of, safe, rows);
}

const struct dataset_listener dataset_messages = {
    .information = show_information, .warning = show_warning, .progress = show_progress};

static void show_detail(const char *line)
{
	char safe[MESSAGE_SIZE];

	escape_line(line, strlen(line), safe, sizeof(safe));
	message_detail("%s", safe);
}

const struct dataset_listener dataset_details = {
    .information = show_detail, .warning = show_detail, .progress = show_progress};

const struct table_column dataset_file_columns[] = {
    {"file", "FILE", TABLE_TEXT, TABLE_KEPT},
    {"rows", "ROWS", TABLE_NUMBER, TABLE_ALWAYS},
    {"bytes", "BYTES", TABLE_NUMBER, TABLE_ALWAYS},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static const struct table_column category_columns[] = {
    {"category", "CATEGORY", TABLE_TEXT, TABLE_KEPT}, {"traces", "TRACES", TABLE_NUMBER, TABLE_ALWAYS},
    {"events", "EVENTS", TABLE_NUMBER, TABLE_ALWAYS}, {"part", "", TABLE_WORD, TABLE_KEPT},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static void add_file(const char *name, uint64_t rows, uint64_t bytes)
{
	table_string(&files, name);
	TABLE_NUMBERS(&files, rows, bytes);
}

static void add_category(const char *name, uint64_t traces, uint64_t events, bool unseen)
{
	table_string(&categories, name);
	TABLE_NUMBERS(&categories, traces, events);
	table_string(&categories, unseen ? "held out, unseen" : "");
}

static struct dataset_listener begin_report(void)
{
	struct dataset_listener listener = dataset_messages;

	listener.file = add_file;
	listener.category = add_category;
	table_begin(&files, dataset_file_columns);
	table_begin(&categories, category_columns);
	return listener;
}

static enum status end_report(enum status status)
{
	struct buffer out = {0};

	message_progress_end();
	if (files.cell_count && message_level() != MESSAGE_QUIET)
		table_write_text(&files, terminal_width(), &out);
	if (categories.cell_count && message_level() != MESSAGE_QUIET) {
		buffer_text(&out, "\n");
		table_write_text(&categories, terminal_width(), &out);
	}
	table_free(&files);
	table_free(&categories);
	print_buffer(&out);
	fflush(stdout);
	return status;
}

enum status dataset_build_and_report(const struct dataset_request *request, struct dataset_summary *summary,
				     struct error *err)
{
	const struct dataset_listener listener = begin_report();

	return end_report(dataset_build(request, &listener, summary, err));
}
