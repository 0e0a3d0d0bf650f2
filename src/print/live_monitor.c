/* SPDX-License-Identifier: MIT */
#include "print/live_monitor.h"

#include <errno.h>

#include "base/message.h"
#include "export/switch_line.h"
#include "print/monitor_report.h"
#include "print/print.h"
#include "print/screen.h"
#include "record/live.h"

/* Tasks use memory even after their end. Above this number, all are forgotten. */
enum { TASKS_MAX = 100000 };

struct monitor {
	const struct monitor_choice *choice;
	struct live *live;
	struct task_states states;
	struct leave_reason_table outs;
	struct top top;
	struct screen screen;
	struct buffer out,
	    report; /* output to be written; the last report, redrawn when the size of the terminal changes */
	uint64_t reports, printed;
	uint64_t due_ns; /* the next report */
	bool quits;      /* a key said so */
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
	switch_line_add(&line, &monitor->out);
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

/* Divides the rows of a terminal, without headings, between CPUs and tasks. */
static void share_rows(const struct monitor *monitor, struct monitor_report *report)
{
	enum { HEADINGS = 10, TASKS_MIN = 5 };
	unsigned int rows = monitor->screen.rows > HEADINGS ? monitor->screen.rows - HEADINGS : 0;

	report->cpu_rows = rows > TASKS_MIN ? rows - TASKS_MIN : 0;
	unsigned int cpus = report->cpu_count < report->cpu_rows ? report->cpu_count : report->cpu_rows;
	report->task_rows = rows - cpus;
}

static enum status show_report(struct monitor *monitor, struct error *err)
{
	struct monitor_report report = {
	    .top = &monitor->top,
	    .states = &monitor->states,
	    .cpu_count = monitor->live->cpu_count,
	    .start_ns = monitor->live->start_ns,
	    .until_ns = monitor->live->now_ns,
	    .lost = live_lost(monitor->live),
	    .cpu_rows = UINT32_MAX,
	    .task_rows = (unsigned int)monitor->choice->rows,
	    .hint = monitor->screen.draws && monitor->screen.has_keys ? "q quits" : NULL,
	};
	enum status status = STATUS_OK;

	top_finish(&monitor->top, &monitor->states, report.until_ns);
	monitor->reports++;
	if (monitor->screen.draws) {
		share_rows(monitor, &report);
		buffer_clear(&monitor->report);
		monitor_report_add(&report, &monitor->report);
		if (!screen_draw(&monitor->screen, &monitor->report))
			status = error_system(err, EIO, "standard output", "cannot write");
	} else {
		monitor_report_add(&report, &monitor->out);
		buffer_text(&monitor->out, "\n");
		status = print_until_signal(&monitor->out, err);
	}
	if (monitor->states.task_count > TASKS_MAX)
		begin_machine(monitor);
	top_restart(&monitor->top, report.until_ns);
	return status;
}

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
		switch_line_heading(&monitor->out);
	return STATUS_OK;
}

enum status monitor_run(const struct monitor_choice *choice, struct error *err)
{
	static const struct live_consumer consumer = {
	    .begin = begin_live, .interval_ms = wait_ms, .read = watch_interval, .is_done = is_done};
	const struct capture_settings settings = {.buffer_size_kb = choice->buffer_size_kb};
	struct monitor monitor = {.choice = choice};
	enum status status = live_run(&settings, &consumer, &monitor, err);

	screen_end(&monitor.screen);
	top_free(&monitor.top);
	task_states_free(&monitor.states);
	buffer_free(&monitor.out);
	buffer_free(&monitor.report);
	return status;
}
