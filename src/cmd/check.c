/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/trace_check.h"
#include "base/escape.h"
#include "base/message.h"
#include "base/wrap.h"
#include "cmd/check_plan.h"
#include "cmd/commands.h"
#include "export/switch_line.h"
#include "output/analysis_print.h"
#include "term/print.h"

struct values {
	struct analysis_options analysis;
	uint64_t places;
	bool contents;
};

static const struct option options[] = {
    OPTION(struct values, places, "places", .argument = "N",
	   .help = "list at most N places with lost or wrong events, or an offline CPU", .fallback = "20"),
    OPTION(struct values, contents, "contents",
	   .help = "of a directory of picknext vm: compare the bytes of all files with\ntheir recorded hashes, not "
		   "only their sizes"),
    ANALYSIS_OPTION_ROWS(struct values, analysis),
    {.name = NULL},
};

struct check {
	const struct values *values;
	struct buffer out; /* text, or JSON */
	struct json_writer json;
	struct table findings; /* CSV */
	struct trace_check trace;
	bool several, brief; /* traces; brief: only their bad findings */
};

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

/* In CSV the name of the trace comes first. */
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
	table_begin(table, place_columns);
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
	table_begin(table, cpu_columns);
	for (uint32_t cpu = 0; cpu < check->cpu_count; cpu++) {
		const struct check_cpu *account = &check->cpus[cpu];
		if (trace_check_has_cpu(check, pass, cpu))
			TABLE_NUMBERS(table, cpu, account->events, account->first_ns, account->last_ns,
				      account->lost_events, account->lost_places, account->faults);
	}
}

static void add_findings_text(const struct check *check, struct buffer *out)
{
	for (size_t i = 0; i < QUALITY_FINDINGS; i++) {
		const struct quality_finding *finding = &check->trace.findings[i];
		if (check->brief && finding->grade == QUALITY_GOOD)
			continue;
		buffer_printf(out, "  %-4s  %-10s  ", quality_grade_name(finding->grade), finding->name);
		wrap_add(finding->text, 20, out);
		if (finding->remedy[0] && finding->grade != QUALITY_GOOD) {
			buffer_printf(out, "%20s-> ", "");
			wrap_add(finding->remedy, 23, out);
		}
	}
}

static void add_text(struct check *check, const struct pass *pass, const struct table *cpus, const struct table *places)
{
	const struct trace_quality *trace = &pass->trace.quality;
	unsigned int width = check->values->analysis.pass.output ? 0 : terminal_width();
	struct buffer *out = &check->out;

	escape_line_add(pass->run.path, strlen(pass->run.path), out);
	buffer_printf(out, ": %s; %" PRIu64 " events in %.3f s\n", quality_grade_text(check->trace.worst->grade),
		      trace->events, (double)trace->duration_ns / 1e9);
	add_findings_text(check, out);
	if (check->brief)
		return;
	buffer_text(out, "\n");
	table_write_text(cpus, width, out);
	if (check->trace.place_count == 0)
		return;
	buffer_text(out, "\n");
	table_write_text(places, width, out);
	if (check->trace.place_count > check->values->places)
		buffer_printf(out, "and %" PRIu64 " more places\n", check->trace.place_count - check->values->places);
}

static void add_finding(struct table *table, const struct quality_finding *finding)
{
	table_string(table, finding->name);
	table_string(table, quality_grade_name(finding->grade));
	table_number(table, finding->count);
	table_string(table, finding->text);
	table_string(table, finding->remedy[0] ? finding->remedy : NULL);
}

static void add_json(struct check *check, const struct pass *pass, const struct table *cpus, const struct table *places)
{
	struct json_writer *json = &check->json;
	struct table table;

	json_object_begin(json, NULL);
	json_text(json, "trace", pass->run.path);
	json_text(json, "verdict", quality_grade_text(check->trace.worst->grade));
	json_u64(json, "events", pass->trace.quality.events);
	json_u64(json, "duration_ns", pass->trace.quality.duration_ns);
	table_begin(&table, finding_columns + 1);
	for (size_t i = 0; i < QUALITY_FINDINGS; i++)
		add_finding(&table, &check->trace.findings[i]);
	table_write_json(&table, json, "findings");
	table_free(&table);
	table_write_json(cpus, json, "cpus");
	json_u64(json, "place_count", check->trace.place_count);
	table_write_json(places, json, "places");
	json_object_end(json);
}

static enum status show_trace(void *context, const struct pass *pass, struct error *err)
{
	struct check *check = context;
	struct table cpus, places;

	add_cpus(&check->trace, pass, &cpus);
	add_places(&check->trace, &places);
	if (check->values->analysis.json)
		add_json(check, pass, &cpus, &places);
	for (size_t i = 0; check->values->analysis.csv && i < QUALITY_FINDINGS; i++) {
		table_string(&check->findings, pass->run.path);
		add_finding(&check->findings, &check->trace.findings[i]);
	}
	if (analysis_is_text(&check->values->analysis))
		add_text(check, pass, &cpus, &places);
	bool failed = check->out.failed || cpus.failed || places.failed;
	table_free(&cpus);
	table_free(&places);
	return failed ? error_system(err, ENOMEM, NULL, "cannot print the result") : STATUS_OK;
}

static void show_unreadable(void *context, const struct pass *pass, const char *text)
{
	struct check *check = context;

	if (check->values->analysis.json) {
		json_object_begin(&check->json, NULL);
		json_text(&check->json, "trace", pass->run.path);
		json_text(&check->json, "verdict", "unreadable");
		json_text(&check->json, "error", text);
		json_object_end(&check->json);
	} else if (check->values->analysis.csv) {
		table_string(&check->findings, pass->run.path);
		table_string(&check->findings, "unreadable");
		table_string(&check->findings, "bad");
		table_number(&check->findings, 1);
		table_string(&check->findings, text);
		table_none(&check->findings);
	} else if (check->several || check->values->analysis.pass.output) {
		/* For a single trace, the error on standard error is enough. */
		buffer_printf(&check->out, "unreadable: %s\n", text);
	}
}

static enum status print_checks(struct check *check, const struct operands *operands, struct pass *pass,
				struct error *err)
{
	const struct pass_consumer consumer = trace_check_consumer(&check->trace);
	const struct analysis_options *wanted = &check->values->analysis;

	table_begin(&check->findings, finding_columns);
	if (wanted->json) {
		check->json.out = &check->out;
		json_object_begin(&check->json, NULL);
		json_array_begin(&check->json, "traces");
	}
	enum status status = analysis_read(wanted, operands, &consumer, pass, err);
	if (wanted->json) {
		json_array_end(&check->json);
		json_object_end(&check->json);
		buffer_text(&check->out, "\n");
	}
	if (wanted->csv)
		table_write_csv(&check->findings, &check->out);
	check->out.failed = check->out.failed || check->findings.failed;
	table_free(&check->findings);
	return status == STATUS_OK ? print_to_output(wanted->pass.output, &check->out, err) : status;
}

static bool are_several(const struct operands *operands)
{
	struct stat info;

	return operands->count > 1 ||
	       (operands->count == 1 && stat(operands->items[0], &info) == 0 && S_ISDIR(info.st_mode));
}

static int check_directory(const char *directory, const struct values *values)
{
	const struct check_plan_form form = {
	    .json = values->analysis.json, .with_content = values->contents, .output = values->analysis.pass.output};
	struct error err;

	if (!values->analysis.csv)
		return check_plan_run(directory, &form);
	error_set(&err, STATUS_USAGE, "--csv", "a directory with a plan is checked as text or --json");
	return message_error(&err);
}

static int check_traces(const struct call *call)
{
	struct values *values = call->values;
	struct check check = {.values = values};
	struct pass pass = {0};
	struct error err = {0};

	check.trace = (struct trace_check){
	    .places_max = values->places, .context = &check, .show = show_trace, .show_unreadable = show_unreadable};
	check.several = are_several(&call->operands);
	check.brief = check.several && message_level() != MESSAGE_VERBOSE;
	enum status status = print_checks(&check, &call->operands, &pass, &err);
	if (status == STATUS_OK && check.trace.bad + check.trace.unreadable) {
		err = check.trace.first;
		status = err.status;
	}
	if (status == check.trace.first.status && check.trace.bad + check.trace.unreadable > 1)
		message_warning("traces that cannot be read: %" PRIu32 ", that are not to be trusted: %" PRIu32
				"; the first:",
				check.trace.unreadable, check.trace.bad);
	buffer_free(&check.out);
	trace_check_free(&check.trace);
	return analysis_exit(&pass, status, &err);
}

static int run(const struct call *call)
{
	const struct operands *operands = &call->operands;

	if (operands->count == 1 && check_plan_is_one(operands->items[0]))
		return check_directory(operands->items[0], call->values);
	return check_traces(call);
}

const struct command command_check = {
    .name = "check",
    .summary = "the quality of a trace; what is missing in a directory of vm",
    .operands = ANALYSIS_OPERANDS,
    .operands_max = SIZE_MAX,
    .details =
	"Exit code 0: good, or usable with notes. 5: results from the trace are not to be trusted; one line says\n"
	"why and what to do. 3: the trace cannot be read. A trace is not to be trusted if events were lost; if it\n"
	"ends early; if a CPU begins late by more than 1 % of the time, because its first events were overwritten;\n"
	"if more than 0.1 % of its times go back, or one of them by more than a millisecond; if more than 5 % of\n"
	"its switches are missing, or the task is unknown for 2 % of the CPUs' time; if more than 0.5 % of its\n"
	"switches contradict those before. --from, --to and the marks check that part only.\n\n"
	"Linux 6.18 leaves out some switches into tasks that were just woken: 0.04 to 0.3 % were seen on busy\n"
	"machines. They are counted separately from impossible transitions: a task on two CPUs, or a switch from a\n"
	"task that did not run. Of several traces only the bad findings are shown; -v shows all. A CPU is offline from "
	"its stopper's\n"
	"last switch to its next event: it is neither busy nor idle then, and the places list it.\n\n"
	"A directory that picknext vm -o wrote, or several copied into one, is checked against its plan instead: "
	"which\n"
	"of the boots (cells) are there, which are missing or failed, with the command that makes each, and which\n"
	"contradict the plan or their own record. vm.json of each set is brought up to date with its cells. Exit code\n"
	"0: complete; 1: cells are missing or failed; 5: cells contradict. The traces of a set: check DIR/SET.",
    .examples = "  picknext check trace.dat\n"
		"  picknext check -q raw/ && picknext stat raw/      # results only from good traces\n"
		"  picknext check --from 0.25 trace.dat              # without the beginning\n"
		"  picknext check out                                # of picknext vm --shard: is it complete?\n"
		"  picknext check --json trace.dat | jq '.traces[].verdict'",
    .options = options,
    .values_size = sizeof(struct values),
    .run = run,
};
