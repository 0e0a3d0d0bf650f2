/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/escape.h"
#include "base/message.h"
#include "base/output_file.h"
#include "base/wrap.h"
#include "measure/trace_identity.h"
#include "print/analysis_print.h"
#include "print/print.h"
#include "print/terminal.h"
#include "trace/pass.h"

static void print_text(const struct pass *pass, const struct analysis_table *tables, size_t count, struct buffer *out)
{
	unsigned int width = pass->options->output ? 0 : terminal_width();
	char summary[512];

	if (pass->summary.truncated_runs && !tables[0].has_quality) {
		pass_truncation_text(pass, summary, sizeof(summary));
		wrap_add(summary, 0, 2, width, out);
		buffer_text(out, "\n");
	}
	for (size_t i = 0; i < count; i++) {
		bool is_empty = tables[i].title && tables[i].table.cell_count == 0;
		if (is_empty && tables[i].needs_rows)
			continue;
		if (tables[i].title)
			buffer_printf(out, "%s%s\n", tables[i].title, is_empty ? ": none" : "");
		if (!is_empty)
			table_write_text(&tables[i].table, width, out);
		buffer_text(out, "\n");
	}
	pass_summary_text(pass, summary, sizeof(summary));
	wrap_add(summary, 0, 2, width, out);
}

static void print_json(const struct pass *pass, const struct analysis_table *tables, size_t count, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	pass_summary_add_json(pass, &json);
	for (size_t i = 0; i < count; i++)
		table_write_json(&tables[i].table, &json, tables[i].name);
	json_object_end(&json);
	buffer_text(out, "\n");
}

struct analysis_table analysis_table_of(const char *name, const char *title, const struct table_column *columns)
{
	return (struct analysis_table){.name = name, .title = title, .table = table_of(columns)};
}

static void warn_of_unmatched(const struct analysis_options *options, const struct pass *pass)
{
	const struct task_choice *tasks = options->tasks;

	for (size_t i = 0; tasks && i < tasks->comms.count; i++)
		if (!task_choice_knows_name(&pass->states, tasks->comms.items[i]))
			message_warning("--comm: no task in the trace has the name '%s'", tasks->comms.items[i]);
	for (size_t i = 0; tasks && i < tasks->pids.count; i++)
		if (!task_choice_knows_pid(&pass->states, tasks->pid_numbers[i]))
			message_warning("--pid: no task in the trace has the PID %s", tasks->pids.items[i]);
}

enum status analysis_print(const struct analysis_options *options, const struct pass *pass,
			   struct analysis_table *tables, size_t count, struct error *err)
{
	struct buffer out = {0};
	char summary[512];

	if (options->json)
		print_json(pass, tables, count, &out);
	else if (options->csv)
		table_write_csv(&tables[tables[0].is_extra].table, &out);
	else
		print_text(pass, tables, count, &out);
	for (size_t i = 0; i < count; i++)
		table_free(&tables[i].table);
	warn_of_unmatched(options, pass);
	enum status status = print_to_output(options->pass.output, &out, err);
	if (status == STATUS_OK && (options->csv || options->pass.output)) {
		pass_summary_text(pass, summary, sizeof(summary));
		message_info("%s", summary);
	}
	buffer_free(&out);
	return status;
}

void table_task(struct table *table, const struct task_states *states, uint32_t task, uint32_t comm)
{
	if (task == TASK_NONE) {
		table_none(table);
		table_none(table);
		return;
	}
	table_text(table, states->comms.comms[comm].bytes, states->comms.comms[comm].length);
	table_signed(table, states->tasks[task].pid);
}

enum status analysis_check_options(const struct analysis_options *options, struct error *err)
{
	if (options->json && options->csv)
		return error_set(err, STATUS_USAGE, NULL, "--json and --csv are mutually exclusive");
	return options->pass.output ? output_check(options->pass.output, err) : STATUS_OK;
}

void analysis_warn(const char *text)
{
	message_warning("%s", text);
}

enum status analysis_read(const struct analysis_options *options, const struct operands *operands,
			  const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	struct pass_consumer judging = *consumer;
	enum status status = analysis_check_options(options, err);

	*pass = (struct pass){0};
	if (status != STATUS_OK)
		return status;
	judging.judge = trace_identity_judge_pass;
	judging.warn = analysis_warn;
	return pass_read(&options->pass, operands->items, operands->count, &judging, pass, err);
}

int analysis_run(const struct call *call, const struct pass_consumer *consumer, analysis_printer *print, void *state)
{
	struct pass pass;
	struct error err = {0};
	enum status status = analysis_read(call->values, &call->operands, consumer, &pass, &err);

	if (status == STATUS_OK)
		status = print(state, call->values, &pass, &err);
	return analysis_exit(&pass, status, &err);
}

enum status analysis_stream_open(struct analysis_stream *stream, const struct analysis_options *options,
				 const char *key, const char *heading, struct error *err)
{
	const char *output = options->pass.output;
	enum status status = output_stream_open(&stream->sink, output ? output : "-", err);

	if (status != STATUS_OK)
		return status;
	stream->options = options;
	stream->json = (struct json_writer){.out = &stream->sink.pending};
	if (options->csv && heading)
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

	warn_of_unmatched(stream->options, pass);
	if (stream->options->json) {
		json_array_end(&stream->json);
		pass_summary_add_json(pass, &stream->json);
		json_object_end(&stream->json);
		buffer_text(&stream->sink.pending, "\n");
		return;
	}
	pass_summary_text(pass, summary, sizeof(summary));
	if (stream->options->csv)
		message_info("%s", summary);
	else
		wrap_add(summary, 0, 2, stream->options->pass.output ? 0 : terminal_width(), &stream->sink.pending);
}

enum status analysis_stream_close(struct analysis_stream *stream, const struct pass *pass, enum status status,
				  struct error *err)
{
	if (status == STATUS_OK) {
		end_stream(stream, pass);
		return output_stream_finish(&stream->sink, err);
	}
	/* The rows before a corrupt page are valid. */
	if (status == STATUS_CORRUPT && !stream->sink.temporary)
		output_stream_write(&stream->sink, NULL);
	output_stream_discard(&stream->sink);
	return status;
}

int analysis_exit(struct pass *pass, enum status status, const struct error *err)
{
	pass_free(pass);
	return status == STATUS_OK ? 0 : print_failure(err);
}
