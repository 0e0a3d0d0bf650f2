/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "data/csv_read.h"
#include "data/row_export.h"
#include "export/json_lines.h"
#include "export/perfetto.h"
#include "export/trace_text.h"
#include "print/print.h"
#include "trace/input.h"

#define EXPORT_FORMATS "text|perfetto|csv|baseline|jsonl"

struct export_options {
	const char *format, *output, *columns, *time, *trace_id;
	bool nanoseconds;
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
    {.name = NULL},
};

/* --- Formats --- */

enum reads { READS_DAT, READS_TRACES, READS_TRACES_AND_CSV };

struct export_format {
	const char *name, *help;
	enum reads reads;
	const char *suffix; /* of a binary format, for the remedy; NULL: text */
	/* Writes the whole input, and reports what is left out. */
	enum status (*write)(const struct export_options *given, struct input *input, struct output_stream *sink,
			     struct error *err);
};

/* Reports how the pass over an open stream ended. */
static enum status end_stream(const struct input *input, struct sched_stream *stream, enum status status)
{
	input_warn_followed(input);
	if (status == STATUS_OK)
		input_warn_losses(input, stream);
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

static void report_perfetto(const char *name, const struct perfetto_summary *summary)
{
	message_detail("%s: %" PRIu64 " events of %" PRIu64 " tasks", name, summary->events, summary->tasks);
	if (summary->other_events)
		message_info("%s: %" PRIu64
			     " events are left out: only switches, wakeups, migrations and marks are exported",
			     name, summary->other_events);
	if (summary->tasks_left_out)
		message_warning("%s: only the first %" PRIu64 " tasks are listed as processes", name, summary->tasks);
}

static enum status write_perfetto(const struct export_options *given, struct input *input, struct output_stream *sink,
				  struct error *err)
{
	struct perfetto_summary summary;
	struct sched_stream *stream;
	enum status status = sched_stream_open(&input->trace, input->name, &stream, err);

	(void)given;
	if (status != STATUS_OK)
		return status;
	status = perfetto_write(input, stream, sink, &summary, err);
	if (status == STATUS_OK)
		report_perfetto(input->name, &summary);
	return end_stream(input, stream, status);
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
	input_warn_followed(input);
	if (status == STATUS_OK && sched_source_stream(source))
		input_warn_losses(input, sched_source_stream(source));
	sched_source_close(source);
	return status;
}

/* Their names are EXPORT_FORMATS. */
static const struct export_format formats[] = {
    {"text",
     "is the kernel's own file \"trace\" for the same events, byte for byte, header included, for kernels from 5.17 "
     "on. "
     "The name at the front of each line is from saved_cmdlines, <...> if unknown. Events whose print fmt has an "
     "unsupported construct are written field by field. On a terminal, control characters are written as \\xNN, here "
     "and in csv.",
     READS_DAT, NULL, write_text},
    {"perfetto",
     "is for ui.perfetto.dev and trace_processor: switches, wakeups, migrations and marks. Perfetto's boot clock is "
     "declared equal to the trace's clock. The events do not group threads into processes, so each task is shown as a "
     "process of its own. Perfetto derives waiting tasks from sched_waking; if that was not recorded, each "
     "sched_wakeup is written as one too. A byte of a name that is not UTF-8 becomes U+FFFD.",
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

/* Options that only one format has. */
static enum status check_format_options(const struct export_options *given, struct error *err)
{
	const struct {
		bool is_given;
		const char *option, *format;
	} options[] = {
	    {given->nanoseconds, "--ns", "text"},
	    {given->columns, "--columns", "csv"},
	    {given->trace_id, "--trace-id", "csv"},
	    {given->time, "--time", "baseline"},
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

/* If a trace is corrupt in the middle, the events before that place are still written to standard output. */
static enum status export_input(const struct export_options *given, const struct export_format *format,
				struct input *input, struct error *err)
{
	struct output_stream sink;

	if (input_is_file(input, given->output))
		return error_set(err, STATUS_USAGE, given->output, "is the trace itself; write to another file");
	enum status status = output_stream_open(&sink, given->output, err);
	if (status != STATUS_OK)
		return status;
	status = format->write(given, input, &sink, err);
	if (status == STATUS_CORRUPT && !sink.temporary)
		output_stream_write(&sink, NULL);
	if (status == STATUS_OK)
		return output_stream_finish(&sink, err);
	output_stream_discard(&sink);
	return status;
}

static enum status export_file(const struct export_options *given, const char *operand, struct error *err)
{
	const struct export_format *format = find_format(given->format);
	struct input input;
	enum status status = check_options(given, format, err);

	if (status != STATUS_OK)
		return status;
	interrupt_catch();
	status = format->reads == READS_DAT      ? input_open_dat(&input, operand, err)
		 : format->reads == READS_TRACES ? input_open(&input, operand, err)
						 : input_open_or(&input, operand, csv_is_dataset, err);
	if (status != STATUS_OK)
		return status;
	status = export_input(given, format, &input, err);
	input_close(&input);
	return status;
}

static int run_export(const struct call *call)
{
	struct export_options *given = call->values;
	struct error err = {0};

	enum status status = export_file(given, call->operands.items[0], &err);
	return status == STATUS_OK ? 0 : print_failure(&err);
}

const struct command command_export = {
    .name = "export",
    .summary = "write a trace in the formats of other tools",
    .operands = "FILE|-",
    .operands_min = 1,
    .operands_max = 1,
    .details = "FILE is a trace.dat; for csv and baseline also a text trace. - is standard input, a file or a pipe.\n\n"
	       "Lost events are reported on standard error, and in the output if the format supports it.\n\n"
	       "The formats:",
    .add_rows = add_formats,
    .examples = "  picknext export trace.dat | less               # the kernel's text\n"
		"  picknext export --ns -o trace.txt trace.dat    # with nanoseconds\n"
		"  picknext export -f perfetto -o trace.perfetto-trace trace.dat   # open it at ui.perfetto.dev\n"
		"  zstdcat t.dat.zst | picknext export -f csv --trace-id t - | gzip >t.csv.gz\n"
		"  picknext export -f baseline -o baseline.csv out/test_seen.csv",
    .options = export_options,
    .values_size = sizeof(struct export_options),
    .run = run_export,
};
