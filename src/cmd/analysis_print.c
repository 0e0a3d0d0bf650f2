/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/message.h"
#include "trace/pass.h"

/* 1234567 as 1,234,567. */
static const char *grouped(uint64_t value, char text[32])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *to = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

static void add_losses(const struct analysis *analysis, struct buffer *out)
{
	const struct analysis_quality *quality = &analysis->quality;
	const struct task_faults *faults = &analysis->machine.faults;
	char number[32];

	if (quality->lossy_runs && quality->lost_events)
		buffer_printf(out, "; %s%s events lost", quality->lost_unknown ? "at least " : "",
			      grouped(quality->lost_events, number));
	else if (quality->lossy_runs)
		buffer_text(out, "; events lost, how many is not known");
	else
		buffer_text(out, "; nothing lost");
	if (quality->lossy_runs && quality->runs > 1)
		buffer_printf(out, " in %" PRIu32 " of the traces", quality->lossy_runs);
	if (quality->truncated_runs)
		buffer_text(out, "; a trace ends early");
	if (faults->switches_from_other)
		buffer_printf(out, "; %s switch%s missing", grouped(faults->switches_from_other, number),
			      faults->switches_from_other == 1 ? "" : "es");
	if (faults->on_two_cpus)
		buffer_printf(out, "; %s time%s a task was on two CPUs", grouped(faults->on_two_cpus, number),
			      faults->on_two_cpus == 1 ? "" : "s");
	if (quality->backward_events)
		buffer_printf(out, "; %s time%s corrected", grouped(quality->backward_events, number),
			      quality->backward_events == 1 ? "" : "s");
	if (quality->malformed_lines)
		buffer_printf(out, "; %s line%s not understood", grouped(quality->malformed_lines, number),
			      quality->malformed_lines == 1 ? "" : "s");
	if (quality->grade == QUALITY_BAD)
		buffer_text(out, "; not to be trusted: picknext check says why");
}

void analysis_verdict(const struct analysis *analysis, char *text, size_t size)
{
	const struct analysis_quality *quality = &analysis->quality;
	struct buffer out = {0};
	char number[32];

	buffer_printf(&out, "Figures from %s events, %.*f s, %" PRIu32 " CPU%s", grouped(quality->events, number),
		      quality->duration_ns < 100000000 ? 6 : 3, (double)quality->duration_ns / 1e9, quality->cpus,
		      quality->cpus == 1 ? "" : "s");
	if (quality->runs > 1)
		buffer_printf(&out, ", %" PRIu32 " traces", quality->runs);
	add_losses(analysis, &out);
	snprintf(text, size, "%s", out.data ? out.data : "");
	buffer_free(&out);
}

void analysis_add_verdict(const struct analysis *analysis, struct json_writer *json)
{
	const struct analysis_quality *quality = &analysis->quality;
	const struct task_faults *faults = &analysis->machine.faults;

	json_object_begin(json, "trace");
	json_u64(json, "traces", quality->runs);
	json_text(json, "verdict", quality_grade_text(quality->grade));
	json_u64(json, "events", quality->events);
	/* Where the relative times of one trace count from. */
	if (quality->runs == 1)
		json_u64(json, "first_ts_ns", analysis->run.first_ns);
	else
		json_null(json, "first_ts_ns");
	json_u64(json, "duration_ns", quality->duration_ns);
	json_u64(json, "cpus", quality->cpus);
	json_u64(json, "lost_events", quality->lost_events);
	json_u64(json, "lost_places", quality->lost_places);
	json_bool(json, "lost_events_exact", !quality->lost_unknown);
	json_u64(json, "traces_with_losses", quality->lossy_runs);
	json_u64(json, "traces_cut_short", quality->truncated_runs);
	json_u64(json, "missing_switches", faults->switches_from_other);
	json_u64(json, "tasks_on_two_cpus", faults->on_two_cpus);
	json_u64(json, "corrected_times", quality->backward_events);
	json_u64(json, "lines_not_understood", quality->malformed_lines);
	json_object_end(json);
}

enum status analysis_write(const struct analysis_options *options, struct buffer *out, struct error *err)
{
	bool to_stdout = !options->output || strcmp(options->output, "-") == 0;

	if (to_stdout && isatty(STDOUT_FILENO))
		escape_buffer(out);
	if (out->failed)
		return error_system(err, ENOMEM, "the result", "is too large");
	if (!to_stdout)
		return file_replace(options->output, out->data, out->length, err);
	errno = 0;
	if (fwrite(out->data, 1, out->length, stdout) != out->length || fflush(stdout) != 0)
		return error_system(err, errno, "standard output", "cannot write");
	return STATUS_OK;
}

static void print_text(const struct analysis *analysis, const struct analysis_table *tables, size_t count,
		       const char *verdict, struct buffer *out)
{
	unsigned int width = analysis->options->output ? 0 : terminal_width();

	for (size_t i = 0; i < count; i++) {
		bool is_empty = tables[i].title && tables[i].table->cell_count == 0;
		if (tables[i].title)
			buffer_printf(out, "%s%s\n", tables[i].title, is_empty ? ": none" : "");
		if (!is_empty)
			table_write_text(tables[i].table, width, out);
		buffer_text(out, "\n");
	}
	buffer_printf(out, "%s.\n", verdict);
}

static void print_json(const struct analysis *analysis, const struct analysis_table *tables, size_t count,
		       struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	analysis_add_verdict(analysis, &json);
	for (size_t i = 0; i < count; i++)
		table_write_json(tables[i].table, &json, tables[i].name);
	json_object_end(&json);
	buffer_text(out, "\n");
}

enum status analysis_print(const struct analysis *analysis, const struct analysis_table *tables, size_t count,
			   struct error *err)
{
	const struct analysis_options *options = analysis->options;
	struct buffer out = {0};
	char verdict[512];

	analysis_verdict(analysis, verdict, sizeof(verdict));
	if (options->json)
		print_json(analysis, tables, count, &out);
	else if (options->csv)
		table_write_csv(tables[0].table, &out);
	else
		print_text(analysis, tables, count, verdict, &out);
	for (size_t i = 0; i < count; i++)
		out.failed = out.failed || tables[i].table->failed;
	enum status status = analysis_write(options, &out, err);
	if (status == STATUS_OK && (options->csv || options->output))
		message_info("%s", verdict);
	buffer_free(&out);
	return status;
}
