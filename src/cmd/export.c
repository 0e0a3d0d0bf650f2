/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/export_traces.h"
#include "data/csv_read.h"
#include "data/row_export.h"
#include "export/json_lines.h"
#include "export/perfetto.h"
#include "export/trace_text.h"
#include "print/analysis_print.h"
#include "print/print.h"
#include "trace/input.h"

#define EXPORT_FORMATS "text|perfetto|csv|baseline|jsonl"

struct export_options {
	const char *format, *output, *columns, *time, *trace_id, *run, *workload, *instance;
	bool nanoseconds, no_keys;
};

static const struct option export_options[] = {
    OPTION_CHOICES(struct export_options, format, "format", EXPORT_FORMATS, .letter = 'f', .argument = "FORMAT",
		   .help = "output format", .fallback = "text"),
    OPTION(struct export_options, output, "output", .letter = 'o', .argument = "FILE",
	   .help = "output file; - is standard output", .fallback = "-"),
    OPTION(struct export_options, nanoseconds, "ns",
	   .help = "text: times with nine decimals, not rounded to microseconds"),
    OPTION_CHOICES(struct export_options, columns, "columns", CSV_LAYOUTS, .argument = "SET",
		   .help = "csv: the columns, as in build"),
    OPTION(struct export_options, trace_id, "trace-id", .argument = "ID",
	   .help = "csv: the trace's name in its rows (default: the file's)"),
    OPTION_CHOICES(struct export_options, time, "time", "difference|timestamp", .argument = "WHICH",
		   .help = "baseline: the time column: since the row before, or by the trace clock"),
    OPTION(struct export_options, no_keys, "no-keys",
	   .help =
	       "perfetto: leave out the tracks of keys, which can make the file\nseven times as large as the trace"),
    RUN_CHOICE_ROWS(struct export_options, run, workload, "perfetto: "),
    OPTION_INSTANCE(struct export_options, instance),
    {.name = NULL},
};

/* --- Formats --- */

enum reads { READS_DAT, READS_TRACES, READS_TRACES_AND_CSV };

struct export_format {
	const char *name, *help;
	enum reads reads;
	const char *suffix; /* usual suffix of a binary format, for the remedy; NULL: a text format */
	/* Writes the whole input and reports parts that are left out. */
	enum status (*write)(const struct export_options *given, struct input *input, struct output_stream *sink,
			     struct error *err);
};

/* Reports events that the trace lacks. stream is NULL for a text trace, or if the trace was not read to its end. */
static void report_missing(const struct input *input, const struct sched_stream *stream)
{
	struct losses losses = {.incomplete = input->trace.truncated};
	char warning[INPUT_WARNING_SIZE];
	struct buffer text = {0};

	if (input_followed_text(input, warning, sizeof(warning)))
		message_warning("%s", warning);
	if (!stream)
		return;
	sched_stream_losses(stream, &losses);
	if (losses_any(&losses)) {
		losses_describe(&losses, &text);
		message_warning("%s: lost %s", input->name, text.data);
	}
	buffer_free(&text);
	losses_free(&losses);
}

/* Reports the result of the pass over an open stream. */
static enum status end_stream(const struct input *input, struct sched_stream *stream, enum status status)
{
	report_missing(input, status == STATUS_OK ? stream : NULL);
	sched_stream_close(stream);
	return status;
}

static enum status write_text(const struct export_options *given, struct input *input, struct output_stream *sink,
			      struct error *err)
{
	struct sched_stream *stream;
	uint64_t events;
	enum status status = sched_stream_open_any(&input->trace, input->name, &stream, err);

	if (status != STATUS_OK)
		return status;
	status = trace_text_write(input, stream, given->nanoseconds, sink, &events, err);
	if (status == STATUS_OK)
		message_detail("%s: %" PRIu64 " events", input->name, events);
	return end_stream(input, stream, status);
}

static void report_perfetto(const struct input *input, const struct sched_stream *stream,
			    const struct perfetto_summary *summary)
{
	message_detail("%s: %" PRIu64 " events of %" PRIu64 " tasks", input->name, summary->events, summary->tasks);
	if (summary->other_events && !summary->has_keys)
		message_info("%s: %" PRIu64
			     " events are left out: only switches, wakeups, migrations, marks and keys are exported",
			     input->name, summary->other_events);
	if (summary->tasks_left_out)
		message_warning("%s: only the first %" PRIu64 " tasks are listed as processes", input->name,
				summary->tasks);
	report_missing(input, stream);
}

static enum status write_perfetto(const struct export_options *given, struct input *input, struct output_stream *sink,
				  struct error *err)
{
	const struct perfetto_request request = {
	    .inputs = input, .count = 1, .without_keys = given->no_keys, .report = report_perfetto};

	return perfetto_write(&request, sink, err);
}

static enum status write_rows(const struct row_export *request, struct output_stream *sink, struct error *err)
{
	uint64_t count;
	enum status status = row_export_write(request, sink, &count, err);

	if (status == STATUS_OK)
		message_detail("%s: %" PRIu64 " rows", request->input->name, count);
	return status;
}

static enum status write_csv(const struct export_options *given, struct input *input, struct output_stream *sink,
			     struct error *err)
{
	const struct row_export request = {
	    .input = input, .columns = switch_columns(given->columns), .trace_id = given->trace_id};

	return write_rows(&request, sink, err);
}

static enum status write_baseline(const struct export_options *given, struct input *input, struct output_stream *sink,
				  struct error *err)
{
	const struct row_export request = {
	    .input = input, .is_baseline = true, .timestamps = given->time && strcmp(given->time, "timestamp") == 0};

	return write_rows(&request, sink, err);
}

static enum status write_json_lines(const struct export_options *given, struct input *input, struct output_stream *sink,
				    struct error *err)
{
	struct sched_source *source;
	uint64_t events;
	enum status status = input_source(input, &source, err);

	(void)given;
	if (status != STATUS_OK)
		return status;
	status = json_lines_write(input, source, sink, &events, err);
	if (status == STATUS_OK)
		message_detail("%s: %" PRIu64 " events", input->name, events);
	report_missing(input, status == STATUS_OK ? sched_source_stream(source) : NULL);
	sched_source_close(source);
	return status;
}

/* EXPORT_FORMATS lists their names. */
static const struct export_format formats[] = {
    {"text",
     "is the kernel's own file \"trace\" for the events that picknext knows (picknext help events), byte for byte, "
     "header included, for kernels from 5.17 on. Other events are written as field=value; trace-cmd report -i FILE "
     "prints their full text from the same file. "
     "The name at the front of each line is from saved_cmdlines, <...> if unknown. On a terminal, control characters "
     "are written as \\xNN, here and in csv.",
     READS_DAT, NULL, write_text},
    {"perfetto",
     "is for ui.perfetto.dev and trace_processor: switches, wakeups, migrations, marks and keys. Perfetto's boot clock "
     "is declared equal to the trace's clock. A migration is also an instant with its cause (picknext migrations) on "
     "the "
     "row of its task. The events do not group threads into processes, so each task is shown as "
     "a "
     "process of its own. Perfetto derives waiting tasks from sched_waking; if that was not recorded, each "
     "sched_wakeup is written as one too. A byte of a name that is not UTF-8 becomes U+FFFD.\n\n"
     "A trace with keys (picknext help rules) also has tracks below each task: its lag as CPU time, deadline - V and "
     "vruntime - V at each decision in which it is a candidate, its weight, and its waits with who preempted or woke "
     "it; "
     "and for each CPU V, the length of its queue, its decisions with their reasons, and what is against the rules. "
     "Values are those of picknext why; decisions with candidates that are not known add none.\n\n"
     "Several traces, or directories of runs (--run, --workload), become one Perfetto trace: a process for each, with "
     "its "
     "tasks by their roles, all from the start of the workload, and a mark at the first switch that differs from those "
     "of the first trace. CPUs and PIDs of the traces follow each other: if the first has CPUs 0 to 2, CPU 0 of the "
     "second is CPU 3 in Perfetto's rows of CPUs.",
     READS_DAT, "perfetto-trace", write_perfetto},
    {"csv", "is the output of build for this trace: its header, and a row for each switch.", READS_TRACES, NULL,
     write_csv},
    {"baseline",
     "is for models made for the output of perf sched map: task_code, time, name, pid. FILE can also be a CSV of "
     "picknext build, such as test_seen.csv. time is the time_diff of those rows; if the model computes the "
     "differences itself, use --time timestamp. task_code is A to Z, a to z, 0 to 9 for the first 62 names in the "
     "order of their first rows, then AA, AB and so on.",
     READS_TRACES_AND_CSV, NULL, write_baseline},
    {"jsonl", "is JSON Lines, for jq and programs that read a stream: an object for each event.", READS_TRACES, NULL,
     write_json_lines},
};

static void add_formats(struct buffer *out)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		buffer_printf(out, "%s%s %s", i ? "\n\n" : "", formats[i].name, formats[i].help);
}

static const struct export_format *find_format(const char *name)
{
	size_t i = 0;

	while (strcmp(formats[i].name, name) != 0)
		i++;
	return &formats[i];
}

/* --- The command --- */

/* STATUS_USAGE for an option that the chosen format does not have. */
static enum status check_format_options(const struct export_options *given, struct error *err)
{
	const struct {
		bool is_given;
		const char *option, *format;
	} options[] = {
	    {given->nanoseconds, "--ns", "text"},      {given->columns, "--columns", "csv"},
	    {given->trace_id, "--trace-id", "csv"},    {given->time, "--time", "baseline"},
	    {given->run, "--run", "perfetto"},         {given->workload, "--workload", "perfetto"},
	    {given->no_keys, "--no-keys", "perfetto"},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].is_given && strcmp(given->format, options[i].format) != 0)
			return error_set(err, STATUS_USAGE, NULL, "%s needs --format %s", options[i].option,
					 options[i].format);
	return STATUS_OK;
}

static enum status check_options(const struct export_options *given, const struct export_format *format,
				 struct error *err)
{
	if (check_format_options(given, err) != STATUS_OK)
		return err->status;
	if (format->suffix && strcmp(given->output, "-") == 0 && isatty(STDOUT_FILENO)) {
		error_set(err, STATUS_USAGE, NULL, "--format %s is binary; it is not written to a terminal",
			  format->name);
		return error_remedy(err, "add -o NAME.%s, or pipe it", format->suffix);
	}
	return output_check(given->output, err);
}

/* Opens the output, and ends it. If a trace is corrupt in the middle, the events before that place are still written
 * to standard output. */
static enum status begin_output(const struct export_options *given, struct output_stream *sink,
				const struct input *input, struct error *err)
{
	if (input_is_file(input, given->output))
		return error_set(err, STATUS_USAGE, given->output, "is the trace itself; write to another file");
	return output_stream_open(sink, given->output, err);
}

static enum status end_output(struct output_stream *sink, enum status status, struct error *err)
{
	if (status == STATUS_CORRUPT && !sink->temporary)
		output_stream_write(sink, NULL);
	if (status == STATUS_OK)
		return output_stream_finish(sink, err);
	output_stream_discard(sink);
	return status;
}

static enum status export_input(const struct export_options *given, const struct export_format *format,
				struct input *input, struct error *err)
{
	struct output_stream sink;
	enum status status = begin_output(given, &sink, input, err);

	return status == STATUS_OK ? end_output(&sink, format->write(given, input, &sink, err), err) : status;
}

static enum status export_file(const struct export_options *given, const struct export_format *format,
			       const char *operand, struct error *err)
{
	char warning[INPUT_WARNING_SIZE];
	struct input input;
	enum status status = format->reads == READS_DAT      ? input_open_dat(&input, operand, err)
			     : format->reads == READS_TRACES ? input_open(&input, operand, err)
							     : input_open_or(&input, operand, csv_is_dataset, err);

	if (status != STATUS_OK)
		return status;
	if (format->reads == READS_DAT && input_skipped_text(&input, warning, sizeof(warning)))
		message_warning("%s", warning);
	status = export_input(given, format, &input, err);
	input_close(&input);
	return status;
}

/* --- Several traces --- */

static enum status write_traces(const struct export_options *given, struct export_traces *traces, struct error *err)
{
	const struct perfetto_request request = {.inputs = traces->inputs,
						 .labels = traces->count > 1 ? traces->labels : NULL,
						 .count = traces->count,
						 .without_keys = given->no_keys,
						 .report = report_perfetto};
	struct output_stream sink;
	enum status status = export_traces_align(traces, err);

	for (size_t i = 1; i < traces->count && status == STATUS_OK; i++)
		if (input_is_file(&traces->inputs[i], given->output))
			return error_set(err, STATUS_USAGE, given->output, "is a trace itself; write to another file");
	if (status == STATUS_OK)
		status = begin_output(given, &sink, &traces->inputs[0], err);
	return status == STATUS_OK ? end_output(&sink, perfetto_write(&request, &sink, err), err) : status;
}

static enum status export_traces(const struct export_options *given, const struct operands *operands, struct error *err)
{
	struct run_choice choice = {.workload = given->workload};
	struct export_traces traces = {.count = 0};

	if (strcmp(given->format, "perfetto") != 0)
		return operands->count > 1
			   ? error_set(err, STATUS_USAGE, NULL, "only --format perfetto writes several traces")
			   : error_set(err, STATUS_USAGE, operands->items[0],
				       "is a directory, and only --format perfetto writes a run of one");
	enum status status = run_choice_parse(&choice, given->run, err);
	if (status == STATUS_OK)
		status = export_traces_open(&traces, operands, &choice, err);
	if (status == STATUS_OK)
		status = write_traces(given, &traces, err);
	export_traces_free(&traces);
	return status;
}

static int run_export(const struct call *call)
{
	const struct export_options *given = call->values;
	const struct export_format *format = find_format(given->format);
	const char *operand = call->operands.items[0];
	struct error err = {0};

	enum status status = check_options(given, format, &err);
	if (status == STATUS_OK) {
		interrupt_catch();
		status = call->operands.count > 1 || file_is_directory(operand)
			     ? export_traces(given, &call->operands, &err)
			     : export_file(given, format, operand, &err);
	}
	return status == STATUS_OK ? 0 : print_failure(&err);
}

const struct command command_export = {
    .name = "export",
    .summary = "write a trace in the formats of other tools",
    .operands = "FILE|DIR|-...",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .details =
	"FILE is a trace.dat; for csv and baseline also a text trace. - is standard input, a file or a pipe. Only\n"
	"perfetto writes several traces, and those of directories.\n\n"
	"Lost events are reported on standard error, and in the output if the format supports it.\n\n"
	"The formats:",
    .add_rows = add_formats,
    .examples = "  picknext export trace.dat | less               # the kernel's text\n"
		"  picknext export --ns -o trace.txt trace.dat    # with nanoseconds\n"
		"  picknext export -f perfetto -o trace.perfetto-trace trace.dat   # open it at ui.perfetto.dev\n"
		"  picknext export -f perfetto -w io_mixed --run 1 -o both.perfetto-trace out/6.1.0 out/6.12.95\n"
		"  zstdcat t.dat.zst | picknext export -f csv --trace-id t - | gzip >t.csv.gz\n"
		"  picknext export -f baseline -o baseline.csv out/test_seen.csv",
    .options = export_options,
    .values_size = sizeof(struct export_options),
    .run = run_export,
};
