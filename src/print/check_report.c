/* SPDX-License-Identifier: MIT */
#include "print/check_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/wrap.h"
#include "print/print.h"
#include "print/terminal.h"

static const struct table_column place_columns[] = {
    {.key = "cpu", .heading = "CPU", .kind = TABLE_NUMBER},
    {.key = "after_ns", .heading = "after s", .kind = TABLE_SECONDS},
    {.key = "until_ns", .heading = "until s", .kind = TABLE_SECONDS},
    {.key = "lost_events", .heading = "lost", .kind = TABLE_NUMBER},
    {.key = "what", .heading = "what", .kind = TABLE_TEXT},
    {.key = NULL},
};

static const struct table_column cpu_columns[] = {
    {.key = "cpu", .heading = "CPU", .kind = TABLE_NUMBER},
    {.key = "events", .heading = "events", .kind = TABLE_NUMBER},
    {.key = "first_ns", .heading = "first s", .kind = TABLE_SECONDS},
    {.key = "last_ns", .heading = "last s", .kind = TABLE_SECONDS},
    {.key = "lost_events", .heading = "lost", .kind = TABLE_NUMBER},
    {.key = "lost_places", .heading = "at places", .kind = TABLE_NUMBER},
    {.key = "contradictions", .heading = "contradictions", .kind = TABLE_NUMBER},
    {.key = NULL},
};

/* In CSV, the column for the name of the trace comes first. */
static const struct table_column finding_columns[] = {
    {.key = "trace", .heading = "trace", .kind = TABLE_TEXT},
    {.key = "name", .heading = "name", .kind = TABLE_TEXT},
    {.key = "grade", .heading = "grade", .kind = TABLE_TEXT},
    {.key = "count", .heading = "count", .kind = TABLE_NUMBER},
    {.key = "text", .heading = "text", .kind = TABLE_TEXT},
    {.key = "remedy", .heading = "remedy", .kind = TABLE_TEXT},
    {.key = NULL},
};

static void add_places(const struct trace_check *check, struct table *table)
{
	*table = table_of(place_columns);
	for (size_t i = 0; i < check->kept_count; i++) {
		const struct check_place *place = &check->places[i];
		table_number(table, place->cpu);
		TABLE_NUMBER_IF(table, place->has_after, place->after_ns);
		TABLE_NUMBER_IF(table, place->has_until, place->until_ns);
		TABLE_NUMBER_IF(table, place->has_lost, place->lost);
		table_string(table, check_place_text(place));
	}
}

static void add_cpus(const struct trace_check *check, const struct pass *pass, struct table *table)
{
	*table = table_of(cpu_columns);
	for (uint32_t cpu = 0; cpu < check->cpu_count; cpu++) {
		const struct check_cpu *account = &check->cpus[cpu];
		if (trace_check_has_cpu(check, pass, cpu))
			TABLE_NUMBERS(table, cpu, account->events, account->first_ns, account->last_ns,
				      account->lost_events, account->lost_places, account->faults);
	}
}

static void add_findings_text(const struct check_report *report, unsigned int terminal, struct buffer *out)
{
	const unsigned int width = terminal && terminal < 79 ? terminal : 79;
	struct buffer text = {0};

	for (size_t i = 0; i < report->trace.finding_count; i++) {
		const struct quality_finding *finding = &report->trace.findings[i];
		if (report->brief && finding->grade == QUALITY_GOOD)
			continue;
		buffer_printf(out, "  %-4s  %-10s  ", quality_grade_name(finding->grade), finding->name);
		buffer_clear(&text);
		escape_line_add(finding->text, strlen(finding->text), &text);
		wrap_add(text.data, 20, 20, width, out);
		if (finding->remedy[0] && finding->grade != QUALITY_GOOD) {
			buffer_printf(out, "%20s-> ", "");
			wrap_add(finding->remedy, 23, 23, width, out);
		}
	}
	buffer_free(&text);
}

/* The trace.dat of the pass if it has instances, else NULL. */
static const struct tracedat *instances_of(const struct pass *pass)
{
	struct sched_stream *stream = sched_source_stream(pass->run.source);
	const struct tracedat *trace = stream ? sched_stream_trace(stream) : NULL;

	return trace && trace->instance_count ? trace : NULL;
}

static void add_buffers_text(const struct pass *pass, unsigned int width, struct buffer *out)
{
	const struct tracedat *trace = instances_of(pass);
	struct buffer line = {0};

	if (!trace)
		return;
	buffer_text(&line, "Read: ");
	if (trace->buffer.length) {
		buffer_text(&line, "instance ");
		escape_line_add(trace->buffer.text, trace->buffer.length, &line);
	} else {
		buffer_text(&line, "the main buffer");
	}
	buffer_text(&line, "; instances of this file (--instance):");
	for (uint32_t i = 0; i < trace->instance_count; i++) {
		buffer_text(&line, i ? ", " : " ");
		escape_line_add(trace->instances[i].text, trace->instances[i].length, &line);
	}
	buffer_text(out, "\n");
	wrap_add(line.data, 0, 2, width ? width : 79, out);
	buffer_free(&line);
}

static void add_buffers_json(const struct pass *pass, struct json_writer *json)
{
	const struct tracedat *trace = instances_of(pass);
	char name[256];

	if (!trace)
		return;
	json_array_begin(json, "instances");
	for (uint32_t i = 0; i < trace->instance_count; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)trace->instances[i].length, trace->instances[i].text);
		json_text(json, NULL, name);
	}
	json_array_end(json);
	snprintf(name, sizeof(name), "%.*s", (int)trace->buffer.length, trace->buffer.text ? trace->buffer.text : "");
	json_text(json, "instance", name);
}

static void add_text(struct check_report *report, const struct pass *pass, const struct table *cpus,
		     const struct table *places)
{
	const struct trace_quality *trace = &pass->trace.quality;
	unsigned int width = report->wanted->pass.output ? 0 : terminal_width();
	struct buffer *out = &report->out, line = {0};

	escape_line_add(pass->run.path, strlen(pass->run.path), &line);
	buffer_printf(&line, ": %s; %" PRIu64 " events in %.3f s", quality_grade_text(report->trace.worst->grade),
		      trace->events, (double)trace->duration_ns / 1e9);
	wrap_add(line.data, 0, 2, width, out);
	buffer_free(&line);
	add_findings_text(report, width, out);
	if (report->brief)
		return;
	add_buffers_text(pass, width, out);
	buffer_text(out, "\n");
	table_write_text(cpus, width, out);
	if (report->trace.place_count == 0)
		return;
	buffer_text(out, "\n");
	table_write_text(places, width, out);
	if (report->trace.place_count > report->trace.places_max)
		buffer_printf(out, "and %" PRIu64 " more places\n",
			      report->trace.place_count - report->trace.places_max);
}

static void add_finding(struct table *table, const struct quality_finding *finding)
{
	table_string(table, finding->name);
	table_string(table, quality_grade_name(finding->grade));
	table_number(table, finding->count);
	table_string(table, finding->text);
	table_string(table, finding->remedy[0] ? finding->remedy : NULL);
}

static void add_json(struct check_report *report, const struct pass *pass, const struct table *cpus,
		     const struct table *places)
{
	struct json_writer *json = &report->json;

	json_object_begin(json, NULL);
	json_text(json, "trace", pass->run.path);
	json_text(json, "verdict", quality_grade_text(report->trace.worst->grade));
	json_u64(json, "events", pass->trace.quality.events);
	json_u64(json, "duration_ns", pass->trace.quality.duration_ns);
	struct table table = table_of(finding_columns + 1);
	for (size_t i = 0; i < report->trace.finding_count; i++)
		add_finding(&table, &report->trace.findings[i]);
	table_write_json(&table, json, "findings");
	table_free(&table);
	table_write_json(cpus, json, "cpus");
	add_buffers_json(pass, json);
	json_u64(json, "place_count", report->trace.place_count);
	table_write_json(places, json, "places");
	json_object_end(json);
}

static void show_trace(void *context, const struct pass *pass)
{
	struct check_report *report = context;
	struct table cpus, places;

	add_cpus(&report->trace, pass, &cpus);
	add_places(&report->trace, &places);
	if (report->wanted->json)
		add_json(report, pass, &cpus, &places);
	for (size_t i = 0; report->wanted->csv && i < report->trace.finding_count; i++) {
		table_string(&report->findings, pass->run.path);
		add_finding(&report->findings, &report->trace.findings[i]);
	}
	if (analysis_is_text(report->wanted))
		add_text(report, pass, &cpus, &places);
	table_free(&cpus);
	table_free(&places);
}

static void show_unreadable(void *context, const struct pass *pass, const char *text)
{
	struct check_report *report = context;

	if (report->wanted->json) {
		json_object_begin(&report->json, NULL);
		json_text(&report->json, "trace", pass->run.path);
		json_text(&report->json, "verdict", "unreadable");
		json_text(&report->json, "error", text);
		json_object_end(&report->json);
	} else if (report->wanted->csv) {
		table_string(&report->findings, pass->run.path);
		table_string(&report->findings, "unreadable");
		table_string(&report->findings, "bad");
		table_number(&report->findings, 1);
		table_string(&report->findings, text);
		table_none(&report->findings);
	} else if (report->several || report->wanted->pass.output) {
		/* For a single trace, the error on standard error is enough. */
		buffer_printf(&report->out, "unreadable: %s\n", text);
	}
}

/* True for "check --json NAME.dat >NAME.json": the shell empties that file before the command starts. */
static bool has_empty_metadata(const struct run *run)
{
	const char *slash = strrchr(run->path, '/');
	char *path = xasprintf("%.*s%s.json", slash ? (int)(slash - run->path + 1) : 0, run->path, run->id);
	struct buffer text = {0};
	const bool is_empty = file_read(path, 1, &text, NULL) == STATUS_OK && text.length == 0;

	buffer_free(&text);
	free(path);
	return is_empty;
}

/* The key events are checked, too: damage to them would look like a broken rule. */

static enum status begin_keys(void *context, const struct pass *pass, struct error *err)
{
	const struct trace_check *check = context;
	struct check_report *report = check->context;

	enum status status = report->counting.begin(context, pass, err);
	if (status == STATUS_CORRUPT && has_empty_metadata(&report->trace.run))
		status = STATUS_OK;
	key_events_begin(&report->keys, sched_source_stream(pass->run.source));
	return status == STATUS_OK ? key_events_check(&report->keys, pass->run.path, err) : status;
}

static enum status check_key_event(struct check_report *report, const struct pass *pass, uint32_t cpu,
				   struct error *err)
{
	struct key_event keys;

	key_events_read(&report->keys, sched_stream_record(sched_source_stream(pass->run.source)), cpu, &keys);
	return key_events_check(&report->keys, pass->run.path, err);
}

static enum status step_trace(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	const struct trace_check *check = context;
	struct check_report *report = check->context;
	enum status status = STATUS_OK;

	if (event->kind == SCHED_OTHER_EVENT && report->keys.is_known)
		status = check_key_event(report, pass, event->cpu, err);
	return status == STATUS_OK ? report->counting.step(context, pass, event, step, err) : status;
}

static enum status read_traces(struct check_report *report, const struct operands *operands, struct pass *pass,
			       struct error *err)
{
	const struct analysis_options *wanted = report->wanted;

	report->counting = trace_check_consumer(&report->trace);
	struct pass_consumer consumer = report->counting;
	consumer.begin = begin_keys;
	consumer.step = step_trace;
	report->findings = table_of(finding_columns);
	if (wanted->json) {
		report->json.out = &report->out;
		json_object_begin(&report->json, NULL);
		json_array_begin(&report->json, "traces");
	}
	enum status status = analysis_read(wanted, operands, &consumer, pass, err);
	if (wanted->json) {
		json_array_end(&report->json);
		json_object_end(&report->json);
		buffer_text(&report->out, "\n");
	}
	if (wanted->csv)
		table_write_csv(&report->findings, &report->out);
	table_free(&report->findings);
	return status == STATUS_OK ? print_to_output(wanted->pass.output, &report->out, err) : status;
}

enum status check_report_print(struct check_report *report, const struct operands *operands, struct pass *pass,
			       struct error *err)
{
	report->trace.context = report;
	report->trace.show = show_trace;
	report->trace.show_unreadable = show_unreadable;
	report->several = operands->count > 1 || (operands->count == 1 && file_is_directory(operands->items[0]));
	report->brief = report->several && message_level() != MESSAGE_VERBOSE;
	return read_traces(report, operands, pass, err);
}

void check_report_free(struct check_report *report)
{
	buffer_free(&report->out);
	trace_check_free(&report->trace);
}
