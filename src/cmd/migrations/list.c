/* SPDX-License-Identifier: MIT
 *
 * picknext migrations --list: a line a migration, as they come. */
#include <inttypes.h>
#include <string.h>

#include "base/csv_field.h"
#include "cmd/migrations/values.h"
#include "export/switch_line.h"

static void add_text(const struct migration *migration, uint64_t since_ns, struct buffer *out)
{
	switch_line_time(since_ns, out);
	buffer_text(out, "  ");
	comm_add_padded(&migration->task.comm, 16, out);
	buffer_printf(out, " %7" PRId32 " %4" PRId32 " %5" PRIu32 " %3" PRIu32 "  %s%s%s\n", migration->task.pid,
		      migration->task.prio, migration->from_cpu, migration->to_cpu,
		      migration_cause_name(migration->cause), migration->function ? " " : "",
		      migration->function ? migration->function : "");
}

static void add_csv(const struct migration *migration, uint32_t run, struct buffer *out)
{
	buffer_printf(out, "%" PRIu32 ",%" PRIu64 ",", run, migration->ts_ns);
	csv_field_add(out, migration->task.comm.bytes, migration->task.comm.length);
	buffer_printf(out, ",%" PRId32 ",%" PRId32 ",%" PRIu32 ",%" PRIu32 ",%s,%s,%s,%" PRIu32 ",%" PRId32 ",%s\n",
		      migration->task.pid, migration->task.prio, migration->from_cpu, migration->to_cpu,
		      migration_cause_name(migration->cause), migration->exact ? "true" : "false",
		      migration->function ? migration->function : "", migration->cpu, migration->by_pid,
		      migration_cause_name(migration->traced));
}

static void add_json(struct json_writer *json, const struct migration *migration, uint32_t run)
{
	json_object_begin(json, NULL);
	json_u64(json, "run", run);
	json_u64(json, "ts_ns", migration->ts_ns);
	json_bytes(json, "comm", migration->task.comm.bytes, migration->task.comm.length);
	json_i64(json, "pid", migration->task.pid);
	json_i64(json, "prio", migration->task.prio);
	json_u64(json, "from_cpu", migration->from_cpu);
	json_u64(json, "to_cpu", migration->to_cpu);
	json_text(json, "cause", migration_cause_name(migration->cause));
	json_bool(json, "exact", migration->exact);
	json_text(json, "function", migration->function);
	json_u64(json, "cpu", migration->cpu);
	json_i64(json, "by_pid", migration->by_pid);
	json_text(json, "by_trace", migration_cause_name(migration->traced));
	json_object_end(json);
}

static enum status take(void *context, const struct pass *pass, const struct migration *migration, struct error *err)
{
	struct analysis_stream *stream = context;

	if (stream->options->json)
		add_json(&stream->json, migration, pass->run.number);
	else if (stream->options->csv)
		add_csv(migration, pass->run.number, &stream->sink.pending);
	else
		add_text(migration, migration->ts_ns - pass->run.first_ns, &stream->sink.pending);
	return sink_write_if_full(&stream->sink, err);
}

static enum status begin(void *context, const struct pass *pass, const struct migration_feed *feed, struct error *err)
{
	struct analysis_stream *stream = context;

	if (!analysis_is_text(stream->options))
		return STATUS_OK;
	analysis_stream_name_trace(stream, pass);
	buffer_printf(&stream->sink.pending, "%9s  %-16s %7s %4s %5s %3s  %s\n", "TIME ms", "NAME", "PID", "PRIO",
		      "FROM", "TO", feed->has_stacks ? "CAUSE, FUNCTION" : "CAUSE");
	return sink_write_if_full(&stream->sink, err);
}

enum status migrations_list(const struct migrations_values *values, const struct operands *operands, struct pass *pass,
			    struct error *err)
{
	struct analysis_stream stream;
	const struct migration_taker taker = {.context = &stream, .begin = begin, .take = take};
	enum status status = analysis_stream_open(
	    &stream, &values->analysis, "migrations",
	    "run,ts_ns,comm,pid,prio,from_cpu,to_cpu,cause,exact,function,cpu,by_pid,by_trace", err);

	if (status != STATUS_OK)
		return status;
	status = migration_reader_read(&values->analysis.pass, operands->items, operands->count, &taker, pass, err);
	return analysis_stream_close(&stream, pass, status, err);
}
