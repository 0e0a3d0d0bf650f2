/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/input.h"
#include "export/perfetto.h"
#include "export/sink.h"
#include "export/trace_text.h"

struct export_options {
	const char *format, *output;
	bool nanoseconds;
};

static const struct option export_options[] = {
    {.name = "format",
     .letter = 'f',
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct export_options, format),
     .argument = "FORMAT",
     .help = "what to write: the kernel's own text, or a Perfetto trace",
     .fallback = "text",
     .choices = "text|perfetto"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(struct export_options, output),
     .argument = "FILE",
     .help = "where to write it; - is standard output (the default for text)"},
    {.name = "ns",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct export_options, nanoseconds),
     .help = "text: time with nine digits behind the point, not rounded to microseconds"},
    {.name = NULL},
};

/* Between events: a signal ends the work, and what was read of the file need not stay in memory. */
static enum status let_go(void *context, struct error *err)
{
	struct input *input = context;

	file_map_forget(&input->file);
	return interrupt_check(err);
}

static enum status write_text(const struct export_options *given, const struct tracedat *trace, const char *name,
			      struct sched_stream *stream, const struct export_pause *pause, struct sink *sink,
			      struct error *err)
{
	const struct trace_text_options options = {
	    .nanoseconds = given->nanoseconds,
	    .escape = sink->fd == STDOUT_FILENO && isatty(STDOUT_FILENO),
	    .pause = *pause,
	};
	uint64_t events;
	enum status status = trace_text_write(trace, name, stream, &options, sink, &events, err);

	if (status == STATUS_OK)
		message_detail("%s: %" PRIu64 " events", name, events);
	return status;
}

static enum status write_perfetto(const struct tracedat *trace, const char *name, struct sched_stream *stream,
				  const struct export_pause *pause, struct sink *sink, struct error *err)
{
	struct perfetto_summary summary;
	enum status status = perfetto_write(trace, stream, pause, sink, &summary, err);

	if (status != STATUS_OK)
		return status;
	message_detail("%s: %" PRIu64 " events of %" PRIu64 " tasks", name, summary.events, summary.tasks);
	if (summary.other_events)
		message_info("%s: %" PRIu64
			     " events are left out: only switches, wakeups, migrations and marks are taken",
			     name, summary.other_events);
	if (summary.tasks_left_out)
		message_warning("%s: only the first %" PRIu64 " tasks are listed as processes", name, summary.tasks);
	return STATUS_OK;
}

static enum status check_options(const struct export_options *given, struct error *err)
{
	bool is_text = strcmp(given->format, "text") == 0;

	if (given->nanoseconds && !is_text)
		return error_set(err, STATUS_USAGE, "--ns",
				 "belongs to --format text; Perfetto has nanoseconds always");
	if (!is_text && !given->output) {
		error_set(err, STATUS_USAGE, "--format perfetto", "writes no text, so it needs a file to write to");
		return error_remedy(err, "add -o NAME.perfetto-trace (or -o - for a pipe)");
	}
	return STATUS_OK;
}

/* A trace that goes bad in the middle still gives what comes before: text on standard output has it already. */
static enum status export_trace(const struct export_options *given, struct input *input, struct error *err)
{
	const struct export_pause pause = {let_go, input};
	struct sched_stream *stream;
	struct sink sink;
	enum status status = sched_stream_open(&input->trace, input->name, &stream, err);

	if (status != STATUS_OK)
		return status;
	status = sink_open(&sink, given->output ? given->output : "-", err);
	if (status == STATUS_OK) {
		if (strcmp(given->format, "text") == 0)
			status = write_text(given, &input->trace, input->name, stream, &pause, &sink, err);
		else
			status = write_perfetto(&input->trace, input->name, stream, &pause, &sink, err);
		if (status == STATUS_CORRUPT && !sink.temporary)
			sink_write(&sink, NULL);
		if (status == STATUS_OK)
			status = sink_finish(&sink, err);
		else
			sink_discard(&sink);
	}
	if (status == STATUS_OK)
		input_tell_losses(input, stream);
	sched_stream_close(stream);
	return status;
}

static enum status export_file(const struct export_options *given, const char *operand, struct error *err)
{
	struct input input;
	enum status status = input_open_dat(&input, operand, err);

	if (status != STATUS_OK)
		return status;
	if (given->output && input_is_file(&input, given->output))
		status =
		    error_set(err, STATUS_USAGE, given->output, "is the trace itself; choose another file with -o");
	else
		status = export_trace(given, &input, err);
	input_close(&input);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct export_options given = {0};
	struct operands operands;
	int exit_code;
	struct error err = {0};

	if (!options_begin(command, &given, argc, argv, &operands, &exit_code))
		return exit_code;
	if (check_options(&given, &err) != STATUS_OK)
		return message_error(&err);
	interrupt_catch();
	enum status status = export_file(&given, operands.items[0], &err);
	/* Whoever read our output has had enough, as with | head. */
	if (status == STATUS_SYSTEM && err.errnum == EPIPE)
		return 128 + SIGPIPE;
	return status == STATUS_OK ? 0 : message_error(&err);
}

const struct command command_export = {
    .name = "export",
    .summary = "write a trace in the formats of other tools",
    .operands = "FILE.dat|-",
    .least_operands = 1,
    .most_operands = 1,
    .details =
	"text is what the kernel's own file \"trace\" says for the same events, byte for byte, header included, for\n"
	"kernels from 5.17 on. The name in front of each line is that of saved_cmdlines, <...> where it is not known.\n"
	"Events whose print fmt is more than picknext knows are written field by field. On a terminal, control\n"
	"characters are written as \\xNN.\n\n"
	"perfetto is for ui.perfetto.dev and trace_processor: switches, wakeups, migrations and marks. Perfetto's "
	"boot\n"
	"clock is declared equal to the trace's clock. The events do not say which threads make a process, so each "
	"task\n"
	"is shown as a process of its own. Names that are not UTF-8 hold U+FFFD for each byte that is not.\n\n"
	"Events that were lost are told: where the format can say so, and on standard error.",
    .examples = "  picknext export trace.dat | less               # the kernel's text\n"
		"  picknext export --ns -o trace.txt trace.dat    # with nanoseconds\n"
		"  picknext export -f perfetto -o trace.perfetto-trace trace.dat   # open it at ui.perfetto.dev",
    .options = export_options,
    .run = run,
};
