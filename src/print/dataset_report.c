/* SPDX-License-Identifier: MIT */
#include "print/dataset_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/message.h"

#define PROGRESS_INTERVAL_NS 100000000u
#define MESSAGE_SIZE         2048

static bool files_begun, categories_begun;
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

static void print_file(const char *name, uint64_t rows, uint64_t bytes)
{
	if (message_level() == MESSAGE_QUIET)
		return;
	if (!files_begun)
		printf("%-24s %14s %14s\n", "FILE", "ROWS", "BYTES");
	files_begun = true;
	printf("%-24s %14" PRIu64 " %14" PRIu64 "\n", name, rows, bytes);
}

static void print_category(const char *name, uint64_t traces, uint64_t events, bool unseen)
{
	char safe[256];

	if (message_level() == MESSAGE_QUIET)
		return;
	escape_line(name, strlen(name), safe, sizeof(safe));
	if (!categories_begun)
		printf("\n%-24s %14s %14s\n", "CATEGORY", "TRACES", "EVENTS");
	categories_begun = true;
	printf("%-24s %14" PRIu64 " %14" PRIu64 "%s\n", safe, traces, events, unseen ? "  held out, unseen" : "");
}

static struct dataset_listener begin_report(void)
{
	struct dataset_listener listener = dataset_messages;

	listener.file = print_file;
	listener.category = print_category;
	files_begun = false;
	categories_begun = false;
	return listener;
}

static enum status end_report(enum status status)
{
	message_progress_end();
	fflush(stdout);
	return status;
}

enum status dataset_build_and_report(const struct dataset_request *request, struct dataset_summary *summary,
				     struct error *err)
{
	const struct dataset_listener listener = begin_report();

	return end_report(dataset_build(request, &listener, summary, err));
}

enum status decision_build_and_report(const struct decision_request *request, struct dataset_summary *summary,
				      struct error *err)
{
	const struct dataset_listener listener = begin_report();

	return end_report(decision_build(request, &listener, summary, err));
}
