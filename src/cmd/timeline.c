/* SPDX-License-Identifier: MIT */
#include "base/interrupt.h"
#include "cmd/commands.h"
#include "export/cpu_map.h"
#include "export/switch_line.h"
#include "export/switch_rows.h"
#include "measure/task_choice.h"
#include "print/analysis_print.h"
#include "print/terminal.h"

struct timeline_options {
	struct analysis_options analysis;
	struct task_choice tasks;
	uint64_t head;
	bool map;
};

static const struct option options[] = {
    OPTION(struct timeline_options, head, "head", .letter = 'n', .argument = "N",
	   .help = "only the first N of the selected switches", .min = 1),
    TASK_CHOICE_ROWS(struct timeline_options, tasks, "only switches from or to\n"),
    TASK_CHOICE_ROLE_ROW(struct timeline_options, tasks, "only switches from or to\n"),
    OPTION(struct timeline_options, map, "map",
	   .help = "show a map instead: one column per CPU, two characters per task"),
    ANALYSIS_OPTION_ROWS(struct timeline_options, analysis),
    {.name = NULL},
};

struct timeline {
	const struct timeline_options *values;
	struct analysis_stream stream;
	struct cpu_map map;
	struct switch_line_form form;
	uint64_t printed; /* number of printed switches */
	bool is_full;     /* --head switches were printed */
};

static void add_row(struct timeline *timeline, const struct pass *pass, const struct switch_row *row)
{
	uint64_t time_ns = pass_since_start(pass, row->event->ts_ns);
	struct buffer *out = &timeline->stream.sink.pending;

	if (timeline->values->analysis.json)
		switch_row_add_json(row, &timeline->stream.json);
	else if (timeline->values->analysis.csv)
		switch_row_add_csv(row, out);
	else if (timeline->values->map && row->event->kind == SCHED_SWITCH)
		cpu_map_add(&timeline->map, &pass->states, row->event->cpu, time_ns, out);
	else
		switch_row_add_line(row, time_ns, &timeline->form, out);
}

/* STATUS_END after --head switches. */
static enum status show_event(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct timeline *timeline = context;
	const struct timeline_options *values = timeline->values;
	const struct switch_row row = {pass->run.number, pass->run.source, event, step};

	if (timeline->is_full)
		return STATUS_END;
	if (event->kind != SCHED_SWITCH && event->kind != SCHED_MARK && event->kind != SCHED_LOST)
		return STATUS_OK;
	if (event->kind != SCHED_MARK && !pass_wants_cpu(pass, event->cpu))
		return STATUS_OK;
	if (event->kind == SCHED_SWITCH && !task_choice_has_switch(&values->tasks, &pass->states, event, step))
		return STATUS_OK;
	add_row(timeline, pass, &row);
	timeline->printed += event->kind == SCHED_SWITCH;
	enum status status = output_stream_write_if_full(&timeline->stream.sink, err);
	timeline->is_full = values->head && timeline->printed == values->head;
	return status == STATUS_OK && timeline->is_full ? STATUS_END : status;
}

/* JSON has the names of the traces at its end. */
static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct timeline *timeline = context;
	struct analysis_stream *stream = &timeline->stream;

	if (!analysis_is_text(stream->options) || timeline->is_full)
		return STATUS_OK;
	analysis_stream_name_trace(stream, pass);
	if (timeline->values->map)
		cpu_map_heading(&stream->sink.pending);
	else
		switch_line_heading(&timeline->form, &stream->sink.pending);
	return output_stream_write_if_full(&stream->sink, err);
}

static bool wants_cpu(const void *context, uint32_t cpu)
{
	return pass_wants_cpu(context, cpu);
}

static enum status print_timeline(struct timeline *timeline, const struct operands *operands, struct pass *pass,
				  struct error *err)
{
	const struct pass_consumer consumer = {.context = timeline, .step = show_event, .begin = begin_trace};
	const struct analysis_options *wanted = &timeline->values->analysis;
	enum status status = analysis_stream_open(&timeline->stream, wanted, "events", switch_row_csv_heading, err);

	if (status != STATUS_OK)
		return status;
	timeline->form = switch_line_form_of(wanted->pass.output ? 0 : terminal_width());
	timeline->map = (struct cpu_map){.wants_cpu = wants_cpu, .context = pass};
	status = analysis_read(wanted, operands, &consumer, pass, err);
	cpu_map_free(&timeline->map);
	return analysis_stream_close(&timeline->stream, pass, status, err);
}

static enum status check_options(struct timeline_options *values, struct error *err)
{
	if (values->map && !analysis_is_text(&values->analysis))
		return error_set(err, STATUS_USAGE, NULL, "--map is a form of text; leave out --json and --csv");
	values->analysis.tasks = &values->tasks;
	return task_choice_check(&values->tasks, &values->analysis.pass, err);
}

static int run_timeline(const struct call *call)
{
	struct timeline_options *values = call->values;
	struct timeline timeline = {.values = values};
	struct pass pass = {0};
	struct error err = {0};

	interrupt_catch();
	enum status status = check_options(values, &err);
	if (status == STATUS_OK)
		status = print_timeline(&timeline, &call->operands, &pass, &err);
	return analysis_exit(&pass, status, &err);
}

const struct command command_timeline = {
    .name = "timeline",
    .summary = "one line per context switch: CPU, task, its run time, next task",
    ANALYSIS_COMMAND(struct timeline_options, run_timeline),
    .details =
	"Reads trace.dat files and the kernel's text traces, directories of them (DIR/raw if there is one), or -\n"
	"for standard input; without an operand picknext.dat. Several traces follow one another.\n\n"
	"Times count from the trace's first event. ST is the state in which the task left: S sleeps, D sleeps\n"
	"uninterruptibly, R+ was preempted in the kernel, R on the way out of it or yielded. RAN FOR is ? if the\n"
	"beginning of the slice is not in the trace. Marks and lost events are shown in their places.\n\n"
	"--map has one column per CPU: . is idle, - is unknown, x is offline, * has just switched. Each task has two "
	"characters;\n"
	"its name is given where it first appears.",
    .examples = "  picknext timeline trace.dat | less\n"
		"  picknext timeline --head 2000 --cpu 0,2-3 trace.dat\n"
		"  picknext timeline --comm 'hackbench*' --from 0.5 --to 0.6 trace.dat\n"
		"  picknext timeline --map --from-mark 'second phase' trace.dat\n"
		"  picknext timeline --csv -o switches.csv trace.dat",
};
