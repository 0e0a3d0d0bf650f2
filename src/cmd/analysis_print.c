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
#include "cmd/analysis_print.h"
#include "term/print.h"

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

static void add_losses(const struct pass *pass, struct buffer *out)
{
	const struct pass_summary *summary = &pass->summary;
	const struct task_faults *faults = &pass->states.faults;
	char number[32];

	if (summary->lossy_runs && summary->lost_events)
		buffer_printf(out, ", %s%s event%s lost", summary->lost_unknown ? "at least " : "",
			      grouped(summary->lost_events, number), summary->lost_events == 1 ? "" : "s");
	else if (summary->lossy_runs)
		buffer_text(out, ", events lost (number unknown)");
	else
		buffer_text(out, ", no events lost");
	if (summary->lossy_runs && summary->runs > 1)
		buffer_printf(out, " in %" PRIu32 " of the traces", summary->lossy_runs);
	if (summary->truncated_runs)
		buffer_text(out, "; a trace is cut short");
	if (faults->switches_from_other)
		buffer_printf(out, "; %s switch%s missing", grouped(faults->switches_from_other, number),
			      faults->switches_from_other == 1 ? "" : "es");
	if (faults->on_two_cpus)
		buffer_printf(out, "; a task on two CPUs %s time%s", grouped(faults->on_two_cpus, number),
			      faults->on_two_cpus == 1 ? "" : "s");
	if (summary->backward_events)
		buffer_printf(out, "; %s timestamp%s corrected", grouped(summary->backward_events, number),
			      summary->backward_events == 1 ? "" : "s");
	if (summary->malformed_lines)
		buffer_printf(out, "; %s malformed line%s", grouped(summary->malformed_lines, number),
			      summary->malformed_lines == 1 ? "" : "s");
	if (summary->grade == QUALITY_BAD)
		buffer_text(out, "; not to be trusted: see picknext check");
}

void analysis_summary(const struct pass *pass, char *text, size_t size)
{
	const struct pass_summary *summary = &pass->summary;
	struct buffer out = {0};
	char number[32];

	buffer_printf(&out, "%s event%s, %.*f s, %" PRIu32 " CPU%s", grouped(summary->events, number),
		      summary->events == 1 ? "" : "s", summary->duration_ns < 100000000 ? 6 : 3,
		      (double)summary->duration_ns / 1e9, summary->cpus, summary->cpus == 1 ? "" : "s");
	if (summary->runs > 1)
		buffer_printf(&out, ", %" PRIu32 " traces", summary->runs);
	add_losses(pass, &out);
	snprintf(text, size, "%s", out.data ? out.data : "");
	buffer_free(&out);
}

void analysis_add_summary(const struct pass *pass, struct json_writer *json)
{
	const struct pass_summary *summary = &pass->summary;
	const struct task_faults *faults = &pass->states.faults;

	json_object_begin(json, "trace");
	json_u64(json, "traces", summary->runs);
	json_text(json, "verdict", quality_grade_text(summary->grade));
	json_u64(json, "events", summary->events);
	/* Where the relative times of one trace count from. */
	if (summary->runs == 1)
		json_u64(json, "first_ts_ns", pass->run.first_ns);
	else
		json_null(json, "first_ts_ns");
	json_u64(json, "duration_ns", summary->duration_ns);
	json_u64(json, "cpus", summary->cpus);
	json_u64(json, "lost_events", summary->lost_events);
	json_u64(json, "lost_places", summary->lost_places);
	json_bool(json, "lost_events_exact", !summary->lost_unknown);
	json_u64(json, "traces_with_losses", summary->lossy_runs);
	json_u64(json, "traces_cut_short", summary->truncated_runs);
	json_u64(json, "missing_switches", faults->switches_from_other);
	json_u64(json, "tasks_on_two_cpus", faults->on_two_cpus);
	json_u64(json, "corrected_times", summary->backward_events);
	json_u64(json, "lines_not_understood", summary->malformed_lines);
	json_object_end(json);
}

enum status analysis_write(const char *output, struct buffer *out, struct error *err)
{
	bool to_stdout = !output || strcmp(output, "-") == 0;

	if (to_stdout && isatty(STDOUT_FILENO))
		escape_buffer(out);
	if (out->failed)
		return error_system(err, ENOMEM, "the result", "is too large");
	if (!to_stdout)
		return file_replace(output, out->data, out->length, err);
	errno = 0;
	if (fwrite(out->data, 1, out->length, stdout) != out->length || fflush(stdout) != 0)
		return error_system(err, errno, "standard output", "cannot write");
	return STATUS_OK;
}

static void print_text(const struct pass *pass, const struct analysis_table *tables, size_t count, struct buffer *out)
{
	unsigned int width = pass->options->output ? 0 : terminal_width();
	char summary[512];

	for (size_t i = 0; i < count; i++) {
		bool is_empty = tables[i].title && tables[i].table->cell_count == 0;
		if (tables[i].title)
			buffer_printf(out, "%s%s\n", tables[i].title, is_empty ? ": none" : "");
		if (!is_empty)
			table_write_text(tables[i].table, width, out);
		buffer_text(out, "\n");
	}
	analysis_summary(pass, summary, sizeof(summary));
	buffer_printf(out, "%s\n", summary);
}

static void print_json(const struct pass *pass, const struct analysis_table *tables, size_t count, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	analysis_add_summary(pass, &json);
	for (size_t i = 0; i < count; i++)
		table_write_json(tables[i].table, &json, tables[i].name);
	json_object_end(&json);
	buffer_text(out, "\n");
}

enum status analysis_print(const struct analysis_options *options, const struct pass *pass,
			   const struct analysis_table *tables, size_t count, struct error *err)
{
	struct buffer out = {0};
	char summary[512];

	if (options->json)
		print_json(pass, tables, count, &out);
	else if (options->csv)
		table_write_csv(tables[0].table, &out);
	else
		print_text(pass, tables, count, &out);
	for (size_t i = 0; i < count; i++)
		out.failed = out.failed || tables[i].table->failed;
	enum status status = analysis_write(options->pass.output, &out, err);
	if (status == STATUS_OK && (options->csv || options->pass.output)) {
		analysis_summary(pass, summary, sizeof(summary));
		message_info("%s", summary);
	}
	buffer_free(&out);
	return status;
}

enum status analysis_check_options(const struct analysis_options *options, struct error *err)
{
	if (options->json && options->csv)
		return error_set(err, STATUS_USAGE, "--json and --csv", "are mutually exclusive");
	return STATUS_OK;
}

enum status analysis_read(const struct analysis_options *options, const struct operands *operands,
			  const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	enum status status = analysis_check_options(options, err);

	*pass = (struct pass){0};
	if (status != STATUS_OK)
		return status;
	return pass_read(&options->pass, operands->items, operands->count, consumer, pass, err);
}

enum status analysis_stream_open(struct analysis_stream *stream, const struct analysis_options *options,
				 const char *key, const char *heading, struct error *err)
{
	const char *output = options->pass.output;
	enum status status = sink_open(&stream->sink, output ? output : "-", err);

	if (status != STATUS_OK)
		return status;
	stream->options = options;
	stream->json = (struct json_writer){.out = &stream->sink.pending};
	if (options->csv)
		buffer_printf(&stream->sink.pending, "%s\n", heading);
	if (options->json) {
		json_object_begin(&stream->json, NULL);
		json_array_begin(&stream->json, key);
	}
	return STATUS_OK;
}

void analysis_stream_name_trace(struct analysis_stream *stream, const struct pass *pass)
{
	struct buffer *out = &stream->sink.pending;

	buffer_text(out, pass->run.number ? "\n# " : "# ");
	escape_line_add(pass->run.path, strlen(pass->run.path), out);
	buffer_text(out, "\n");
}

static void end_stream(struct analysis_stream *stream, const struct pass *pass)
{
	char summary[512];

	if (stream->options->json) {
		json_array_end(&stream->json);
		analysis_add_summary(pass, &stream->json);
		json_object_end(&stream->json);
		buffer_text(&stream->sink.pending, "\n");
		return;
	}
	analysis_summary(pass, summary, sizeof(summary));
	if (stream->options->csv)
		message_info("%s", summary);
	else
		buffer_printf(&stream->sink.pending, "%s\n", summary);
}

enum status analysis_stream_close(struct analysis_stream *stream, const struct pass *pass, enum status status,
				  struct error *err)
{
	if (status == STATUS_OK) {
		end_stream(stream, pass);
		return sink_finish(&stream->sink, err);
	}
	/* The rows before a corrupt page are valid. */
	if (status == STATUS_CORRUPT && !stream->sink.temporary)
		sink_write(&stream->sink, NULL);
	sink_discard(&stream->sink);
	return status;
}

int analysis_exit(struct pass *pass, enum status status, const struct error *err)
{
	pass_free(pass);
	return status == STATUS_OK ? 0 : print_failure(err);
}
