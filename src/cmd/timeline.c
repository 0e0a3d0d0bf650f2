/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/csv_field.h"
#include "base/escape.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/sink.h"
#include "cmd/analysis_print.h"
#include "cmd/commands.h"
#include "cmd/task_choice.h"
#include "export/cpu_map.h"
#include "export/switch_line.h"

struct values {
	struct analysis_options analysis;
	struct task_choice tasks;
	uint64_t head;
	bool map;
};

static const struct option options[] = {
    OPTION(struct values, head, "head", .letter = 'n', .argument = "N",
	   .help = "only the first N of the selected switches", .least = 1),
    TASK_CHOICE_ROWS(struct values, tasks, "only switches "),
    OPTION(struct values, map, "map", .help = "show a map instead: one column per CPU, two characters per task"),
    ANALYSIS_OPTION_ROWS(struct values, analysis),
    {.name = NULL},
};

struct timeline {
	const struct values *values;
	struct sink sink;
	struct json_writer json;
	struct cpu_map map;
	uint64_t printed; /* switches */
	bool is_full;     /* --head */
};

/* The slice that the switch ends is the last. */
static const struct task_slice *slice_of(const struct task_step *step)
{
	const struct task_slice *slice = step->slice_count ? &step->slices[step->slice_count - 1] : NULL;

	return slice && !slice->start_cut && !slice->end_cut ? slice : NULL;
}

static enum status add_text(struct timeline *timeline, const struct pass *pass, const struct sched_event *event,
			    const struct task_step *step, struct error *err)
{
	struct buffer *out = &timeline->sink.pending;
	uint64_t time_ns = pass_since_start(pass, event->ts_ns);
	const struct task_slice *slice = slice_of(step);
	char state[32];

	if (event->kind == SCHED_MARK)
		switch_line_mark(time_ns, event->mark.text, event->mark.length, out);
	if (event->kind == SCHED_LOST)
		switch_line_lost(time_ns, event->cpu, event->lost.count_known, event->lost.count, out);
	if (event->kind != SCHED_SWITCH)
		return STATUS_OK;
	if (timeline->values->map)
		return cpu_map_add(&timeline->map, &pass->states, event->cpu, time_ns, out, err);
	sched_source_state_text(pass->run.source, event->switched.prev_state, state, sizeof(state));
	const struct switch_line line = {
	    .time_ns = time_ns,
	    .cpu = event->cpu,
	    .prev = &event->switched.prev,
	    .next = &event->switched.next,
	    .state = state,
	    .runtime_known = slice,
	    .runtime_ns = slice ? slice->end_ns - slice->start_ns : 0,
	};
	switch_line_add(&line, out);
	return STATUS_OK;
}

static const char *kind_name(enum sched_event_kind kind)
{
	return kind == SCHED_SWITCH ? "switch" : kind == SCHED_MARK ? "mark" : "lost";
}

static void add_csv_task(const struct sched_task *task, struct buffer *out)
{
	csv_field_add(out, task->comm.bytes, task->comm.length);
	buffer_printf(out, ",%ld,%ld,", (long)task->pid, (long)task->prio);
}

static void add_csv(const struct pass *pass, const struct sched_event *event, const struct task_step *step,
		    struct buffer *out)
{
	const struct task_slice *slice = slice_of(step);
	char state[32];

	buffer_printf(out, "%u,%llu,%u,%s,", pass->run.number, (unsigned long long)event->ts_ns, event->cpu,
		      kind_name(event->kind));
	if (event->kind == SCHED_SWITCH) {
		add_csv_task(&event->switched.prev, out);
		sched_source_state_text(pass->run.source, event->switched.prev_state, state, sizeof(state));
		buffer_printf(out, "%s,", state);
		if (slice)
			buffer_printf(out, "%llu", (unsigned long long)(slice->end_ns - slice->start_ns));
		buffer_text(out, ",");
		add_csv_task(&event->switched.next, out);
	} else {
		buffer_text(out, ",,,,,,,,");
	}
	if (event->kind == SCHED_MARK)
		csv_field_add(out, event->mark.text, event->mark.length);
	if (event->kind == SCHED_LOST && event->lost.count_known)
		buffer_printf(out, "%llu", (unsigned long long)event->lost.count);
	buffer_text(out, "\n");
}

static void add_json_task(struct json_writer *json, const char *key, const struct sched_task *task)
{
	json_object_begin(json, key);
	json_bytes(json, "comm", task->comm.bytes, task->comm.length);
	json_i64(json, "pid", task->pid);
	json_i64(json, "prio", task->prio);
	json_object_end(json);
}

static void add_json(struct timeline *timeline, const struct pass *pass, const struct sched_event *event,
		     const struct task_step *step)
{
	struct json_writer *json = &timeline->json;
	const struct task_slice *slice = slice_of(step);
	char state[32];

	json_object_begin(json, NULL);
	json_u64(json, "run", pass->run.number);
	json_u64(json, "ts_ns", event->ts_ns);
	json_u64(json, "cpu", event->cpu);
	json_text(json, "kind", kind_name(event->kind));
	if (event->kind == SCHED_SWITCH) {
		add_json_task(json, "prev", &event->switched.prev);
		sched_source_state_text(pass->run.source, event->switched.prev_state, state, sizeof(state));
		json_text(json, "prev_state", state);
		if (slice)
			json_u64(json, "runtime_ns", slice->end_ns - slice->start_ns);
		else
			json_null(json, "runtime_ns");
		add_json_task(json, "next", &event->switched.next);
	} else if (event->kind == SCHED_MARK) {
		json_bytes(json, "text", event->mark.text, event->mark.length);
	} else if (event->lost.count_known) {
		json_u64(json, "lost_events", event->lost.count);
	} else {
		json_null(json, "lost_events");
	}
	json_object_end(json);
}

/* STATUS_END after --head switches. */
static enum status take(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *step, struct error *err)
{
	struct timeline *timeline = context;
	const struct values *values = timeline->values;
	enum status status = STATUS_OK;

	if (timeline->is_full)
		return STATUS_END;
	if (event->kind != SCHED_SWITCH && event->kind != SCHED_MARK && event->kind != SCHED_LOST)
		return STATUS_OK;
	if (event->kind != SCHED_MARK && !pass_wants_cpu(pass, event->cpu))
		return STATUS_OK;
	if (event->kind == SCHED_SWITCH && !task_choice_has(&values->tasks, event))
		return STATUS_OK;
	if (values->analysis.json)
		add_json(timeline, pass, event, step);
	else if (values->analysis.csv)
		add_csv(pass, event, step, &timeline->sink.pending);
	else
		status = add_text(timeline, pass, event, step, err);
	timeline->printed += event->kind == SCHED_SWITCH;
	if (status == STATUS_OK)
		status = sink_write_if_full(&timeline->sink, err);
	timeline->is_full = values->head && timeline->printed == values->head;
	return status == STATUS_OK && timeline->is_full ? STATUS_END : status;
}

/* Text names the trace before its lines; JSON has the traces at its end. */
static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct timeline *timeline = context;
	struct buffer *out = &timeline->sink.pending;

	if (timeline->values->analysis.json || timeline->values->analysis.csv || timeline->is_full)
		return STATUS_OK;
	buffer_text(out, pass->run.number ? "\n# " : "# ");
	escape_line_add(pass->run.path, strlen(pass->run.path), out);
	buffer_text(out, "\n");
	if (timeline->values->map)
		cpu_map_heading(out);
	else
		switch_line_heading(out);
	return sink_write_if_full(&timeline->sink, err);
}

static void start(struct timeline *timeline)
{
	struct buffer *out = &timeline->sink.pending;

	if (timeline->values->analysis.csv)
		buffer_text(out, "run,ts_ns,cpu,kind,prev_comm,prev_pid,prev_prio,prev_state,runtime_ns,next_comm,"
				 "next_pid,next_prio,text\n");
	if (!timeline->values->analysis.json)
		return;
	timeline->json.out = out;
	json_object_begin(&timeline->json, NULL);
	json_array_begin(&timeline->json, "events");
}

static void finish(struct timeline *timeline, const struct pass *pass)
{
	char verdict[512];

	if (timeline->values->analysis.json) {
		json_array_end(&timeline->json);
		analysis_add_summary(pass, &timeline->json);
		json_object_end(&timeline->json);
		buffer_text(&timeline->sink.pending, "\n");
		return;
	}
	analysis_summary(pass, verdict, sizeof(verdict));
	if (timeline->values->analysis.csv)
		message_info("%s", verdict);
	else
		buffer_printf(&timeline->sink.pending, "%s\n", verdict);
}

static bool wants_cpu(const void *context, uint32_t cpu)
{
	return pass_wants_cpu(context, cpu);
}

static enum status print(struct timeline *timeline, const struct operands *operands, struct pass *pass,
			 struct error *err)
{
	const struct pass_consumer consumer = {.context = timeline, .step = take, .begin = begin};
	const struct analysis_options *wanted = &timeline->values->analysis;
	enum status status = sink_open(&timeline->sink, wanted->pass.output ? wanted->pass.output : "-", err);

	if (status != STATUS_OK)
		return status;
	timeline->map = (struct cpu_map){.wants_cpu = wants_cpu, .context = pass};
	start(timeline);
	status = analysis_read(wanted, operands, &consumer, pass, err);
	if (status == STATUS_OK) {
		finish(timeline, pass);
		status = sink_finish(&timeline->sink, err);
	} else {
		/* The lines before a corrupt page are valid. */
		if (status == STATUS_CORRUPT && !timeline->sink.temporary)
			sink_write(&timeline->sink, NULL);
		sink_discard(&timeline->sink);
	}
	cpu_map_free(&timeline->map);
	return status;
}

static enum status check_options(struct values *values, struct error *err)
{
	if (values->map && (values->analysis.json || values->analysis.csv))
		return error_set(err, STATUS_USAGE, "--map", "is a form of text; leave out --json and --csv");
	return task_choice_check(&values->tasks, err);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct values values = {0};
	struct timeline timeline = {.values = &values};
	struct pass pass = {0};
	struct operands operands;
	int exit_code;
	struct error err = {0};

	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	interrupt_catch();
	enum status status = check_options(&values, &err);
	if (status == STATUS_OK)
		status = print(&timeline, &operands, &pass, &err);
	return analysis_exit(&pass, status, &err);
}

const struct command command_timeline = {
    .name = "timeline",
    .summary = "one line per context switch: CPU, task, its run time, next task",
    .operands = ANALYSIS_OPERANDS,
    .most_operands = SIZE_MAX,
    .details =
	"Reads trace.dat files and the kernel's text traces, directories of them (DIR/raw if there is one), or - for\n"
	"standard input; without an operand picknext.dat. Several traces follow one another.\n\n"
	"Times count from the trace's first event. ST is the state in which the task left: S sleeps, D sleeps\n"
	"uninterruptibly, R+ was preempted in the kernel, R on the way out of it or yielded. RAN FOR is ? if the\n"
	"beginning of the slice is not in the trace. Marks and lost events are shown in their places.\n\n"
	"--map has one column per CPU: . is idle, - is unknown, * has just switched. Each task has two characters; "
	"its\n"
	"name is given where it first appears.",
    .examples = "  picknext timeline trace.dat | less\n"
		"  picknext timeline --head 2000 --cpu 0,2-3 trace.dat\n"
		"  picknext timeline --comm 'hackbench*' --from 0.5 --to 0.6 trace.dat\n"
		"  picknext timeline --map --from-mark 'second phase' trace.dat\n"
		"  picknext timeline --csv -o switches.csv trace.dat",
    .options = options,
    .run = run,
};
