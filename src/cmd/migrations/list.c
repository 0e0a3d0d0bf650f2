/* SPDX-License-Identifier: MIT
 *
 * picknext migrations --list: a line a migration, as they come. */
#include <inttypes.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/escape.h"
#include "base/message.h"
#include "base/sink.h"
#include "cmd/migrations/values.h"
#include "export/switch_line.h"

struct list {
	const struct analysis_options *options;
	struct sink sink;
	struct json_writer json;
};

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
	struct list *list = context;

	if (list->options->json)
		add_json(&list->json, migration, pass->run.number);
	else if (list->options->csv)
		add_csv(migration, pass->run.number, &list->sink.pending);
	else
		add_text(migration, migration->ts_ns - pass->run.first_ns, &list->sink.pending);
	return sink_write_if_full(&list->sink, err);
}

static enum status begin(void *context, const struct pass *pass, const struct migration_feed *feed, struct error *err)
{
	struct list *list = context;
	struct buffer *out = &list->sink.pending;

	if (list->options->json || list->options->csv)
		return STATUS_OK;
	buffer_text(out, pass->run.number ? "\n# " : "# ");
	escape_line_add(pass->run.path, strlen(pass->run.path), out);
	buffer_printf(out, "\n%9s  %-16s %7s %4s %5s %3s  %s\n", "TIME ms", "NAME", "PID", "PRIO", "FROM", "TO",
		      feed->has_stacks ? "CAUSE, FUNCTION" : "CAUSE");
	return sink_write_if_full(&list->sink, err);
}

static void start(struct list *list)
{
	if (list->options->csv)
		buffer_text(&list->sink.pending,
			    "run,ts_ns,comm,pid,prio,from_cpu,to_cpu,cause,exact,function,cpu,by_pid,by_trace\n");
	if (!list->options->json)
		return;
	list->json.out = &list->sink.pending;
	json_object_begin(&list->json, NULL);
	json_array_begin(&list->json, "migrations");
}

static void finish(struct list *list, const struct pass *pass)
{
	char verdict[512];

	if (list->options->json) {
		json_array_end(&list->json);
		analysis_add_summary(pass, &list->json);
		json_object_end(&list->json);
		buffer_text(&list->sink.pending, "\n");
		return;
	}
	analysis_summary(pass, verdict, sizeof(verdict));
	if (list->options->csv)
		message_info("%s", verdict);
	else
		buffer_printf(&list->sink.pending, "%s\n", verdict);
}

enum status migrations_list(const struct migrations_values *values, const struct operands *operands, struct pass *pass,
			    struct error *err)
{
	struct list list = {.options = &values->analysis};
	const struct migration_taker taker = {.context = &list, .begin = begin, .take = take};
	enum status status = sink_open(&list.sink, list.options->pass.output ? list.options->pass.output : "-", err);

	if (status != STATUS_OK)
		return status;
	start(&list);
	status = migration_reader_read(&values->analysis.pass, operands->items, operands->count, &taker, pass, err);
	if (status == STATUS_OK) {
		finish(&list, pass);
		return sink_finish(&list.sink, err);
	}
	/* What stands before a page that is bad can be used. */
	if (status == STATUS_CORRUPT && !list.sink.temporary)
		sink_write(&list.sink, NULL);
	sink_discard(&list.sink);
	return status;
}
