/* SPDX-License-Identifier: MIT */
#include "live/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/message.h"
#include "export/switch_line.h"
#include "live/screen.h"
#include "measure/top.h"
#include "print/print.h"
#include "print/terminal.h"
#include "record/live.h"

/* Tasks use memory even after their end. Above this number, all tasks are forgotten. */
enum { TASKS_MAX = 100000 };

struct monitor {
	struct switch_line_form form; /* for --events */
	const struct monitor_choice *choice;
	struct live *live;
	struct task_states states;
	struct leave_reason_table outs;
	struct top top;
	struct screen screen;
	struct buffer out,
	    report; /* output to be written; the last report, redrawn when the size of the terminal changes */
	uint64_t reports, printed;
	uint64_t due_ns; /* time of the next report */
	bool quits;      /* the user pressed q */
};

static void render_state(const void *context, uint64_t prev_state, char *text, size_t size)
{
	sched_state_text(context, prev_state, text, size);
}

static struct sched_task task_of(const struct task_states *states, uint32_t number)
{
	const struct task *task = &states->tasks[number];

	return (struct sched_task){.comm = *task_comm(states, number), .pid = task->pid, .prio = task->prio};
}

static void print_switch(struct monitor *monitor, const struct sched_event *event, const struct task_step *step)
{
	struct sched_event shown = *event;
	struct task_slice slice;

	if (!top_switch(&monitor->top, &monitor->states, step, &slice))
		return;
	shown.switched.prev = task_of(&monitor->states, slice.task);
	if (!task_choice_has(&monitor->choice->tasks, &monitor->states, slice.task, slice.comm) &&
	    !task_choice_has_named(&monitor->choice->tasks, shown.switched.next.pid, &shown.switched.next.comm))
		return;
	const struct switch_line line = {
	    .time_ns = event->ts_ns - monitor->live->start_ns,
	    .cpu = event->cpu,
	    .prev = &shown.switched.prev,
	    .next = &shown.switched.next,
	    .state = leave_reason_letter(slice.out),
	    .runtime_known = !slice.start_cut,
	    .runtime_ns = slice.end_ns - slice.start_ns,
	};
	switch_line_add(&line, &monitor->form, &monitor->out);
	monitor->printed++;
}

static void print_event(struct monitor *monitor, const struct sched_event *event, const struct task_step *step)
{
	uint64_t start_ns = monitor->live->start_ns;
	uint64_t time_ns = event->ts_ns > start_ns ? event->ts_ns - start_ns : 0;

	if (event->kind == SCHED_SWITCH && event->ts_ns >= start_ns)
		print_switch(monitor, event, step);
	if (event->kind == SCHED_MARK)
		switch_line_mark(time_ns, event->mark.text, event->mark.length, &monitor->out);
	if (event->kind == SCHED_LOST)
		switch_line_lost(time_ns, event->cpu, event->lost.count_known, event->lost.count, &monitor->out);
}

static bool has_enough(const struct monitor *monitor)
{
	const struct monitor_choice *choice = monitor->choice;

	return choice->count && (choice->events ? monitor->printed : monitor->reports) >= choice->count;
}

/* Reads all available events. */
static enum status read_events(struct monitor *monitor, struct error *err)
{
	struct sched_event event;
	struct task_step step;
	enum status status;

	while ((status = live_next(monitor->live, &event, err)) == STATUS_OK) {
		monitor->top.own_pid = monitor->live->own_pid;
		status = task_states_step(&monitor->states, &event, &step, err);
		if (status != STATUS_OK)
			return status;
		if (monitor->choice->events)
			print_event(monitor, &event, &step);
		top_step(&monitor->top, &monitor->states, &event, &step);
		if (monitor->choice->events && has_enough(monitor))
			break;
	}
	if (status == STATUS_OK || status == STATUS_END)
		return monitor->choice->events ? print_until_signal(&monitor->out, err) : STATUS_OK;
	return status;
}

static void begin_machine(struct monitor *monitor)
{
	task_states_free(&monitor->states);
	task_states_begin(&monitor->states, &monitor->outs, NULL);
	int32_t own_pid = monitor->top.own_pid;
	top_free(&monitor->top);
	monitor->top.own_pid = own_pid;
	monitor->top.tasks_wanted = &monitor->choice->tasks;
}

/* --- One report --- */

static double seconds_of(const struct monitor *monitor)
{
	uint64_t length_ns = monitor->live->now_ns - monitor->top.from_ns;

	return length_ns ? (double)length_ns / 1e9 : 1e-9;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_wait(uint64_t wait_ns, struct buffer *out)
{
	if (wait_ns)
		buffer_printf(out, " %11.3f", (double)wait_ns / 1e6);
	else
		buffer_printf(out, " %11s", "-");
}

static void add_task(const struct task_states *states, uint32_t task, struct buffer *out)
{
	comm_add_padded(task_comm(states, task), 0, out);
	buffer_printf(out, "[%" PRId32 "]", states->tasks[task].pid);
}

static void add_longest_wait(const struct monitor *monitor, enum wait_kind kind, const char *label, const char *none,
			     struct buffer *out)
{
	const struct top_wait *wait = &monitor->top.longest_waits[kind];
	char text[DURATION_TEXT_SIZE];

	if (wait->task == TASK_NONE) {
		buffer_printf(out, "%s%s\n", label, none);
		return;
	}
	duration_text(wait->length_ns, text);
	buffer_printf(out, "%s%s%s, ", label, text + strspn(text, " "), wait->goes_on ? " so far" : "");
	add_task(&monitor->states, wait->task, out);
	buffer_printf(out, " on CPU %" PRIu32 "\n", wait->cpu);
}

static void add_head(const struct monitor *monitor, struct buffer *out)
{
	const struct top *top = &monitor->top;
	uint64_t up_s = (monitor->live->now_ns - monitor->live->start_ns) / 1000000000;
	double seconds = seconds_of(monitor);
	uint64_t switches = 0;
	uint64_t involuntary = 0;
	uint64_t own_ns = 0;

	for (uint32_t cpu = 0; cpu < top->cpu_count; cpu++) {
		switches += top->cpus[cpu].switches;
		involuntary += top->cpus[cpu].involuntary;
		own_ns += top->cpus[cpu].own_ns;
	}
	buffer_printf(out, "picknext monitor  %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ", last %.1f s%s\n", up_s / 3600,
		      up_s / 60 % 60, up_s % 60, seconds,
		      monitor->screen.draws && monitor->screen.has_keys ? "; q quits" : "");
	buffer_printf(out, "%.0f switches/s, %.1f %% involuntary; %.0f wakeups/s; %" PRIu64 " events lost\n",
		      (double)switches / seconds, percent_of(involuntary, switches), (double)top->wakeups / seconds,
		      live_lost(monitor->live));
	add_longest_wait(monitor, AFTER_WAKEUP, "worst wakeup latency: ", "no wakeups", out);
	add_longest_wait(monitor, AFTER_PREEMPTION, "longest wait after preemption: ", "none", out);
	buffer_printf(out, "left out: picknext itself, %.1f %% of a CPU\n", (double)own_ns / seconds / 1e7);
}

static void add_cpu(const struct monitor *monitor, uint32_t cpu, struct buffer *out)
{
	const struct top_cpu *counts = &monitor->top.cpus[cpu];
	double seconds = seconds_of(monitor);
	uint32_t current = monitor->states.cpus[cpu].current;

	buffer_printf(out, "%4" PRIu32 " %11.0f %8.1f %6.1f", cpu, counts->switches / seconds,
		      percent_of(counts->involuntary, counts->switches), (double)counts->busy_ns / seconds / 1e7);
	add_wait(counts->longest_wait_ns, out);
	buffer_text(out, "  ");
	/* At the end of the interval, picknext itself runs on one of the CPUs. */
	if (current != TASK_NONE && monitor->states.tasks[current].pid == monitor->top.own_pid)
		current = counts->hidden.task;
	if (current == TASK_NONE)
		buffer_text(out, "-");
	else if (monitor->states.tasks[current].is_idle)
		buffer_text(out, "idle");
	else
		add_task(&monitor->states, current, out);
	buffer_text(out, "\n");
}

/* Adds at most rows rows, like add_tasks(). */
static void add_cpus(const struct monitor *monitor, unsigned int rows, struct buffer *out)
{
	buffer_text(out, "\n CPU  switches/s  invol.%  busy%  max wait ms  now\n");
	uint32_t shown = monitor->live->cpu_count;
	if (shown > rows)
		shown = rows ? rows - 1 : 0;
	for (uint32_t cpu = 0; cpu < shown; cpu++) {
		if (cpu < monitor->states.cpu_count && monitor->states.cpus[cpu].seen)
			add_cpu(monitor, cpu, out);
		else
			buffer_printf(out, "%4" PRIu32 "           0        -      -           -  nothing seen yet\n",
				      cpu);
	}
	if (shown < monitor->live->cpu_count)
		buffer_printf(out, "      and %" PRIu32 " more\n", monitor->live->cpu_count - shown);
}

static void add_tasks(const struct monitor *monitor, unsigned int rows, struct buffer *out)
{
	uint32_t *tasks = xreallocarray(NULL, rows, sizeof(*tasks));
	uint32_t count = top_order(&monitor->top, &monitor->states, tasks, rows);
	double seconds = seconds_of(monitor);

	buffer_text(out, "\n    PID NAME              CPU%  switches/s  invol.%  wakeups/s max wait ms\n");
	for (uint32_t i = 0; i < count; i++) {
		const struct top_task *task = &monitor->top.tasks[tasks[i]];
		buffer_printf(out, "%7" PRId32 " ", monitor->states.tasks[tasks[i]].pid);
		comm_add_padded(task_comm(&monitor->states, tasks[i]), 15, out);
		buffer_printf(out, " %6.1f %11.0f %8.1f %10.0f", (double)task->cpu_time_ns / seconds / 1e7,
			      task->switches / seconds, percent_of(task->involuntary, task->switches),
			      task->wakeups / seconds);
		add_wait(task->longest_wait_ns, out);
		buffer_text(out, "\n");
	}
	free(tasks);
}

static void add_report(const struct monitor *monitor, struct buffer *out)
{
	enum { HEADINGS = 10, TASKS_MIN = 5 };
	unsigned int cpu_rows = UINT32_MAX, task_rows = (unsigned int)monitor->choice->rows;

	/* The rows of a terminal, without headings, are divided between CPUs and tasks. */
	if (monitor->screen.draws) {
		const unsigned int rows = monitor->screen.rows > HEADINGS ? monitor->screen.rows - HEADINGS : 0;
		cpu_rows = rows > TASKS_MIN ? rows - TASKS_MIN : 0;
		task_rows = rows - (monitor->live->cpu_count < cpu_rows ? monitor->live->cpu_count : cpu_rows);
	}
	add_head(monitor, out);
	add_cpus(monitor, cpu_rows, out);
	add_tasks(monitor, task_rows, out);
}

static enum status show_report(struct monitor *monitor, struct error *err)
{
	enum status status = STATUS_OK;

	top_finish(&monitor->top, &monitor->states, monitor->live->now_ns);
	monitor->reports++;
	if (monitor->screen.draws) {
		buffer_clear(&monitor->report);
		add_report(monitor, &monitor->report);
		if (!screen_draw(&monitor->screen, &monitor->report))
			status = error_system(err, EIO, "standard output", "cannot write");
	} else {
		add_report(monitor, &monitor->out);
		buffer_text(&monitor->out, "\n");
		status = print_until_signal(&monitor->out, err);
	}
	if (monitor->states.task_count > TASKS_MAX)
		begin_machine(monitor);
	top_restart(&monitor->top, monitor->live->now_ns);
	return status;
}

/* --- All --- */

static int wait_ms(void *context)
{
	const struct monitor *monitor = context;
	uint64_t now_ns = monitor->live->now_ns;
	uint64_t left_ms = monitor->due_ns > now_ns ? (monitor->due_ns - now_ns) / 1000000 + 1 : 0;

	return left_ms < LIVE_READ_MS ? (int)left_ms : LIVE_READ_MS;
}

static bool is_done(void *context)
{
	const struct monitor *monitor = context;

	return monitor->quits || has_enough(monitor);
}

static void read_keys(struct monitor *monitor)
{
	bool resized = false;
	int key = screen_wait(&monitor->screen, 0, &resized);

	monitor->quits = key == 'q' || key == 'Q';
	if (resized && monitor->screen.draws && !monitor->quits)
		screen_draw(&monitor->screen, &monitor->report);
}

static enum status watch_interval(void *context, struct error *err)
{
	struct monitor *monitor = context;
	uint64_t interval_ns = (uint64_t)(monitor->choice->interval_s * 1e9);

	read_keys(monitor);
	if (monitor->quits)
		return STATUS_OK;
	enum status status = read_events(monitor, err);
	if (status != STATUS_OK || monitor->live->now_ns < monitor->due_ns)
		return status;
	if (!monitor->choice->events)
		status = show_report(monitor, err);
	/* Missed intervals are skipped. */
	uint64_t late_ns = (monitor->live->now_ns - monitor->due_ns) % interval_ns;
	monitor->due_ns = monitor->live->now_ns + interval_ns - late_ns;
	return status;
}

static enum status begin_live(void *context, struct live *live, struct error *err)
{
	struct monitor *monitor = context;
	const struct monitor_choice *choice = monitor->choice;
	const char *refusal = screen_refusal();

	(void)err;
	monitor->live = live;
	monitor->due_ns = live->start_ns + (uint64_t)(choice->interval_s * 1e9);
	if (refusal && !choice->events)
		message_info("picknext: %s; printing one report every %g s", refusal, choice->interval_s);
	monitor->outs = (struct leave_reason_table){.text = render_state, .context = live->stream};
	monitor->top.own_pid = live->own_pid;
	begin_machine(monitor);
	top_restart(&monitor->top, live->start_ns);
	screen_begin(&monitor->screen, !refusal && !choice->events);
	if (choice->events)
		switch_line_heading(&monitor->form, &monitor->out);
	return STATUS_OK;
}

enum status monitor_run(const struct monitor_choice *choice, struct error *err)
{
	static const struct live_consumer consumer = {
	    .begin = begin_live, .interval_ms = wait_ms, .read = watch_interval, .is_done = is_done};
	const struct capture_settings settings = {.buffer_size_kb = choice->buffer_size_kb};
	struct monitor monitor = {.choice = choice, .form = switch_line_form_of(terminal_width())};
	enum status status = live_run(&settings, &consumer, &monitor, err);

	screen_end(&monitor.screen);
	top_free(&monitor.top);
	task_states_free(&monitor.states);
	buffer_free(&monitor.out);
	buffer_free(&monitor.report);
	return status;
}
